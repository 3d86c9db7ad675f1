/** The text of a script, as .dev/build.ts makes it. */
declare module "*.inline.js" {
	const text: string;
	export default text;
}
