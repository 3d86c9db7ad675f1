/** Bundles the Worker as it is deployed: minified, and without what the documentation alone is made of. */
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { type ESTree, Visitor } from "rolldown/utils";

const root = path.join(import.meta.dirname, "..");

/** Where the Worker that wrangler.toml names is put. */
export const WORKER_FOLDER = path.join(root, "dist/worker");

/** What documents an endpoint, or a schema, in the object that describes it, and what makes an endpoint of that object. */
const OF_ENDPOINT = ["id", "tag", "summary", "description", "errors"];
const MAKING_ENDPOINTS = ["endpoint", "actEndpoint"];
const OF_SCHEMA = ["examples", "maxLength", "maxItems"];

/** Where schemas are named and described. */
const HELPERS = /\/schemas\.ts$/;

/** What names a schema, in the first argument. */
const NAMING = ["named", "sent", "answered"];

/** The console for operators makes its forms of the schemas and endpoints in these modules, and shows these texts of those with a body. */
const OF_OPERATORS = /\/src\/(operate\/|(keys\/)?schemas\.ts$)/;
const SHOWN_TO_OPERATORS = ["summary", "description"];

/** A text with blanks instead of what is cut: all else stays where it was, and with it the source map right. */
function blanked(code: string, start: number, end: number, instead = ""): string {
	const blanks = code.slice(start + instead.length, end).replace(/[^\n]/g, " ");
	return code.slice(0, start) + instead + blanks + code.slice(end);
}

type Callee = ESTree.Expression | ESTree.Super | ESTree.Argument | undefined;

const isOfZod = (node: Callee, ...names: string[]) =>
	node?.type === "MemberExpression" &&
	node.object.type === "Identifier" &&
	node.object.name === "z" &&
	node.property.type === "Identifier" &&
	names.includes(node.property.name);

/**
 * A module without its documentation: `z.meta` and `z.describe` of schemas, their names, what endpoints say of themselves, and the
 * schemas of answers, which nothing is checked against.
 */
function withoutDocumentation(code: string, program: ESTree.Program, isShownToOperators: boolean): string {
	const cuts: { start: number; end: number; instead?: string }[] = [];
	const cutArguments = (call: ESTree.CallExpression, isCut: (argument: ESTree.Argument, index: number) => boolean) => {
		for (const [index, argument] of call.arguments.entries()) {
			const end = call.arguments[index + 1]?.start ?? call.end - 1;
			if (isCut(argument, index)) cuts.push({ start: argument.start, end });
		}
	};
	const cutProperties = (node: ESTree.Argument | undefined, names: string[]) => {
		if (node?.type !== "ObjectExpression") return;
		const named = node.properties.map((property) =>
			property.type === "Property" && property.key.type === "Identifier" ? property.key.name : "",
		);
		const shown = isShownToOperators && named.includes("body") ? SHOWN_TO_OPERATORS : [];
		for (const [index, property] of node.properties.entries()) {
			const name = named[index] ?? "";
			const end = node.properties[index + 1]?.start ?? node.end - 1;
			if (names.includes(name) && !shown.includes(name)) cuts.push({ start: property.start, end });
		}
	};
	const isDocumenting = (node: ESTree.Argument) =>
		node.type === "CallExpression" && isOfZod(node.callee, "meta", "describe");
	const imported = new Set<string>();
	new Visitor({
		ImportDeclaration({ source, specifiers }) {
			if (HELPERS.test(source.value)) for (const { local } of specifiers) imported.add(local.name);
		},
		CallExpression(call) {
			const { callee } = call;
			const isRegistering = isOfZod(call.arguments[0], "globalRegistry");
			if (callee.type === "MemberExpression" && callee.property.type === "Identifier") {
				const { name } = callee.property;
				const isAllCut = name === "with" && !isShownToOperators && call.arguments.every(isDocumenting);
				if (isAllCut || (name === "register" && isRegistering)) cuts.push({ start: callee.object.end, end: call.end });
				else if (name === "with" && !isShownToOperators) cutArguments(call, isDocumenting);
			}
			if (isDocumenting(call)) cutProperties(call.arguments[0], OF_SCHEMA);
			if (callee.type !== "Identifier") return;
			const [schema, ...about] = call.arguments;
			const said = isShownToOperators ? about.slice(1) : about;
			const isHelper = imported.has(callee.name);
			if (isHelper && callee.name === "described" && schema && said.length > 0) {
				const isOfDescription = said.length < about.length;
				cuts.push({ start: (isOfDescription ? about[0] : schema)?.end ?? 0, end: call.end - 1 });
				if (!isOfDescription) cuts.push({ start: callee.start, end: callee.end });
			}
			if (isHelper && NAMING.includes(callee.name) && schema) cuts.push({ ...schema, instead: "0" });
			if (MAKING_ENDPOINTS.includes(callee.name)) cutProperties(call.arguments[0], OF_ENDPOINT);
			// Of src/http/answer.ts. Only the status is for the Worker.
			if (callee.name === "json") cutArguments(call, (_, index) => index > 0);
			if (["representations", "noContent"].includes(callee.name)) cutArguments(call, () => true);
		},
	}).visit(program);
	return cuts.reduce((kept, { start, end, instead }) => blanked(kept, start, end, instead), code);
}

const undocumented: Plugin = {
	name: "undocumented",
	transform: {
		filter: { id: /\/src\/.*\.tsx?$/ },
		handler(code, id) {
			const program = this.parse(code, { lang: id.endsWith("x") ? "tsx" : "ts" });
			return { code: withoutDocumentation(code, program, OF_OPERATORS.test(id)), map: null };
		},
	},
};

/**
 * What nothing here reaches, of packages that hold it in one piece with what is used: Drizzle's relational queries, which need a schema
 * that src/db/open.ts does not give, its transactions, which D1 has none of, and its migrations, which are wrangler's; Hono's elements
 * that move themselves into the head, and its ways of calling other applications; the pictures and files that qrcode-svg makes of its
 * modules; codes that are shortened; the arithmetic of points of a tile, and the ways of reading one that none here is written in; and
 * names of schemas. A call of one ends the build.
 */
const UNREACHED_MODULES =
	/\/drizzle-orm\/(relations|sqlite-core\/query-builders\/query)\.js$|\/intrinsic-element\/components\.js$/;
const UNREACHED_METHODS = `
	buildRelationalQuery buildRelationalQueryWithoutPK transaction rollback migrate sync clearCache $count $dynamic $with $withCache
	crossJoin fullJoin rightJoin toSQL getSQLType getName union unionAll intersect except createSetOperator addSetOperators
	getSelectedFields mapWith references defaultNow generatedAlwaysAs $default $defaultFn $onUpdate $onUpdateFn isResponseInArrayMode
	getUsedTables
	mount setRenderer setLayout getLayout render event fire routePath matchedRoutes parseBody
	svg save createMovieClip toGeoJSON getTileJson getMetadata setHeaders readMessage readFields readBytes readFixed32 readSFixed32
	readFixed64 readSFixed64 readPackedVarint readPackedSVarint readPackedBoolean readPackedFloat readPackedDouble readPackedEnd
	readPackedFixed32 readPackedSFixed32 readPackedFixed64 readPackedSFixed64 shorten nextField multByPoint divByPoint mult div sub rotate
	rotateAround matMult unit perp mag equals dist distSqr angle angleTo angleWith angleWithSep _matMult _sub _mult _div _multByPoint
	_divByPoint _unit _perp _rotate _rotateAround brand register getMetadataAttempt
`.match(/\S+/g)!;

/** What only they need, behind a condition that never holds. */
const CALLED_IN_VAIN = ["buildSetOperations", "buildSetOperationQuery"];

/**
 * All that pmtiles holds passes through a function that only names it, and would be kept for that. src/basemap/archive.ts gives it a
 * source, a cache and an inflater: what it would make in their place is for browsers.
 */
const IN_PMTILES = [
	['var d=(o,t)=>j(o,"name"', 'var d=/* @__NO_SIDE_EFFECTS__ */(o,t)=>j(o,"name"'],
	[
		'typeof t=="string"?this.source=new E(t):this.source=t,r?this.decompress=r:this.decompress=P,e?this.cache=e:this.cache=new C',
		"this.source=t,this.decompress=r,this.cache=e",
	],
	["U=class U{constructor(t=100,e=!0,r=P)", "U=class U{constructor(t,e,r)"],
] as const;

const unreached: Plugin = {
	name: "unreached",
	transform: {
		filter: { id: /\/node_modules\/(@mapbox|drizzle-orm|hono|open-location-code|pbf|pmtiles|qrcode-svg|zod)\// },
		handler(code, id) {
			const program = this.parse(code);
			const names: string[] = [];
			let kept = code;
			const cutUnreached = ({ key, start, end }: ESTree.MethodDefinition | ESTree.PropertyDefinition) => {
				if (key.type === "Identifier" && [...UNREACHED_METHODS, ...CALLED_IN_VAIN].includes(key.name))
					kept = blanked(kept, start, end);
			};
			new Visitor({
				ExportSpecifier({ exported }) {
					if (exported.type === "Identifier") names.push(exported.name);
				},
				MethodDefinition: cutUnreached,
				PropertyDefinition: cutUnreached,
				ObjectExpression({ properties, end }) {
					for (const [index, property] of properties.entries()) {
						if (property.type !== "Property" || property.value.type !== "FunctionExpression") continue;
						const { key, start } = property;
						if (key.type !== "Identifier" || !UNREACHED_METHODS.includes(key.name)) continue;
						kept = blanked(kept, start, properties[index + 1]?.start ?? end - 1);
					}
				},
				AssignmentExpression({ left, start, end }) {
					if (left.type !== "MemberExpression" || left.property.type !== "Identifier") return;
					const isOfPrototype =
						left.object.type === "MemberExpression" && UNREACHED_METHODS.includes(left.property.name);
					if (isOfPrototype) kept = blanked(kept, start, end);
				},
			}).visit(program);
			if (UNREACHED_MODULES.test(id)) kept = names.map((name) => `export const ${name} = {};`).join("\n");
			for (const [from, to] of id.includes("/pmtiles/") ? IN_PMTILES : []) {
				if (!kept.includes(from)) throw new Error(`pmtiles holds no "${from}" any more: mend IN_PMTILES.`);
				kept = kept.replace(from, to);
			}
			return { code: kept, map: null };
		},
	},
};

/** Modules of one kind stand side by side, as gzip finds only what repeats within 32 KB. */
const adjacent: Plugin = {
	name: "adjacent",
	transform: {
		filter: { id: /\/src\/index\.ts$/ },
		handler(code) {
			const files = readdirSync(path.join(root, "src"), { encoding: "utf8", recursive: true }).sort();
			const alike = ["store.ts", "schemas.ts"].flatMap((kind) => files.filter((file) => file.endsWith(kind)));
			return { code: alike.map((file) => `import "./${file}";`).join("") + code, map: null };
		},
	},
};

/** The files of the modules of a bundled Worker, its entry first. */
export function modulesIn(folder: string): string[] {
	const names = readdirSync(folder, { encoding: "utf8", recursive: true }).filter((name) => name.endsWith(".js"));
	return ["index.js", ...names.filter((name) => name !== "index.js")].map((name) => path.join(folder, name));
}

/**
 * Bundles a Worker as modules: `index.js`, which leads to `parts/registry.js`, and the other parts, which are loaded when they are
 * first needed.
 * @param folder Where they are put. It is emptied first.
 * @param entry The module that replaces src/index.ts.
 * @param plugins What else is done to its modules.
 */
export async function bundleWorker(folder = WORKER_FOLDER, entry = "src/index.ts", plugins: Plugin[] = []) {
	const bundle = await rolldown({
		input: { index: path.resolve(root, entry) },
		platform: "neutral",
		preserveEntrySignatures: "strict",
		external: /^(node|cloudflare):/,
		resolve: {
			conditionNames: ["workerd", "worker", "browser", "import"],
			mainFields: ["module", "main"],
		},
		checks: { pluginTimings: false },
		// A schema that nothing uses is left out.
		treeshake: { manualPureFunctions: ["lazy", ...NAMING] },
		plugins: [adjacent, undocumented, unreached, ...plugins],
	});
	rmSync(folder, { recursive: true, force: true });
	const written = await bundle.write({
		dir: folder,
		format: "esm",
		chunkFileNames: "parts/[name].js",
		// What the entry imports. The rest is loaded when it is first needed.
		codeSplitting: { groups: [{ name: "registry", tags: ["$initial"] }] },
		minify: true,
		sourcemap: true,
		comments: false,
	});
	await bundle.close();
	const code = written.output.map((part) => (part.type === "chunk" ? part.code : "")).join("");
	const called = UNREACHED_METHODS.filter((name) =>
		["(", ".apply(", ".bind(", ".call("].some((call) => code.includes(`.${name}${call}`)),
	);
	if (called.length > 0) throw new Error(`Take ${called.join(", ")} off UNREACHED_METHODS: the Worker calls it.`);
}
