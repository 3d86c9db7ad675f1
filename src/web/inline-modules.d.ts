/** The text of a script, as .dev/build.ts makes it. */
declare module "*.inline.js" {
	const text: string;
	export default text;
}

/** The paths of the files of pages: scripts by their names in src/web/browser, and the styles of the console. */
declare module "*/browser/files.js" {
	const paths: Record<string, string>;
	export default paths;
}
