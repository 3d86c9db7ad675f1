/** Sample calls in the languages that developers paste from, for the reference and for tools that read the OpenAPI document. */
/** The call that a sample makes. */
export interface SampleCall {
	method: string;
	url: string;
	/** Headers besides the credential and the Content-Type. */
	headers: Record<string, string>;
	/** The scheme of the Authorization header, and the environment variable with the credential that follows it. */
	credential?: { scheme: "Api-Key" | "Bearer"; variable: string };
	/** What is sent as JSON. */
	body?: unknown;
	/** The file that an answer is written to if it is not text. */
	file?: string;
}

/** How a language writes JSON values. */
interface Literals {
	text: (text: string) => string;
	/** The start and end of an object, and what separates a name from its value. */
	object: [start: string, end: string, between: string];
	words: Record<"true" | "false" | "null", string>;
}

const WORDS = { true: "true", false: "false", null: "null" };
const singleQuoted = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;
const JSON_LITERALS: Literals = { text: JSON.stringify, object: ["{", "}", ": "], words: WORDS };
const PYTHON: Literals = { ...JSON_LITERALS, words: { true: "True", false: "False", null: "None" } };
const PHP: Literals = { text: singleQuoted, object: ["[", "]", " => "], words: WORDS };

function literal(value: unknown, language: Literals): string {
	const { text, object, words } = language;
	if (typeof value === "string") return text(value);
	if (Array.isArray(value)) return `[${value.map((item) => literal(item, language)).join(", ")}]`;
	if (value === null || typeof value !== "object") return words[`${value}` as keyof typeof WORDS] ?? `${value}`;
	const [start, end, between] = object;
	const fields = Object.entries(value).map(([name, item]) => `${text(name)}${between}${literal(item, language)}`);
	return `${start}${fields.join(", ")}${end}`;
}

/** A text in single quotes for a shell, where none of its characters is special. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The headers of a call as code of a language: `secret` writes a text followed by a variable, for the credential, and `text` any other
 * value.
 */
function headersOf(
	{ headers, credential, body }: SampleCall,
	secret: (scheme: string, variable: string) => string,
	text: (text: string) => string,
): [name: string, value: string][] {
	return [
		...(credential
			? [["Authorization", secret(`${credential.scheme} `, credential.variable)] as [string, string]]
			: []),
		...(body === undefined ? [] : [["Content-Type", text("application/json")] as [string, string]]),
		...Object.entries(headers).map(([name, value]): [string, string] => [name, text(value)]),
	];
}

function shellOf(call: SampleCall): string {
	const { method, url, body, file } = call;
	const headers = headersOf(
		call,
		(scheme, variable) => `${scheme}$${variable}`,
		(value) => value,
	);
	return [
		`curl --fail-with-body --silent --show-error${method === "GET" ? "" : ` --request ${method}`} ${quoted(url)}`,
		...headers.map(([name, value]) => `--header "${name}: ${value}"`),
		...(body === undefined ? [] : [`--data ${quoted(literal(body, JSON_LITERALS))}`]),
		...(file ? [`--output ${file}`] : []),
	].join(" \\\n  ");
}

function typeScriptOf(call: SampleCall): string {
	const { method, url, body, file } = call;
	const headers = headersOf(call, (scheme, variable) => `\`${scheme}\${process.env.${variable}}\``, JSON.stringify);
	const options = [
		...(method === "GET" ? [] : [`method: "${method}"`]),
		...(headers.length > 0 ? [`headers: { ${headers.map(([name, value]) => `"${name}": ${value}`).join(", ")} }`] : []),
		...(body === undefined ? [] : [`body: JSON.stringify(${literal(body, JSON_LITERALS)})`]),
	];
	return [
		...(file ? ['import { writeFile } from "node:fs/promises";', ""] : []),
		`const answer = await fetch(${JSON.stringify(url)}${options.length > 0 ? `, {\n\t${options.join(",\n\t")},\n}` : ""});`,
		"if (!answer.ok) throw new Error(await answer.text());",
		file
			? `await writeFile("${file}", new Uint8Array(await answer.arrayBuffer()));`
			: "console.log(await answer.text());",
	].join("\n");
}

function pythonOf(call: SampleCall): string {
	const { method, url, body, file } = call;
	const headers = headersOf(call, (scheme, variable) => `"${scheme}" + os.environ["${variable}"]`, JSON.stringify);
	const options = [
		JSON.stringify(url),
		...(method === "GET" ? [] : [`method="${method}"`]),
		...(headers.length > 0 ? [`headers={${headers.map(([name, value]) => `"${name}": ${value}`).join(", ")}}`] : []),
		...(body === undefined ? [] : [`data=json.dumps(${literal(body, PYTHON)}).encode()`]),
	];
	const modules = [...(body === undefined ? [] : ["json"]), ...(call.credential ? ["os"] : [])];
	return [
		...[...modules, "urllib.error", "urllib.request"].map((name) => `import ${name}`),
		"",
		`request = urllib.request.Request(\n    ${options.join(",\n    ")},\n)`,
		"try:",
		"    with urllib.request.urlopen(request) as answer:",
		file
			? `        with open("${file}", "wb") as file:\n            file.write(answer.read())`
			: "        print(answer.read().decode())",
		"except urllib.error.HTTPError as refusal:",
		"    raise SystemExit(refusal.read().decode())",
	].join("\n");
}

function phpOf(call: SampleCall): string {
	const { method, url, body, file } = call;
	const headers = headersOf(
		call,
		(scheme, variable) => `${scheme}' . getenv('${variable}')`,
		(value) => `${value}'`,
	);
	return [
		"<?php",
		`$answer = file_get_contents(${singleQuoted(url)}, false, stream_context_create(['http' => [`,
		`    'method' => '${method}',`,
		...(headers.length > 0
			? [`    'header' => [${headers.map(([name, value]) => `'${name}: ${value}`).join(", ")}],`]
			: []),
		...(body === undefined ? [] : [`    'content' => json_encode(${literal(body, PHP)}),`]),
		"    'ignore_errors' => true, // A refusal says what is wrong.",
		"]]));",
		...(file
			? [
					`if (!str_contains($http_response_header[0], ' 200 ')) exit($answer);`,
					`file_put_contents('${file}', $answer);`,
				]
			: ["echo $answer;"]),
	].join("\n");
}

/** A call in each language, in the form of `x-codeSamples`, an extension of OpenAPI that Redocly introduced. */
export function codeSamplesOf(call: SampleCall): { lang: string; label: string; source: string }[] {
	return [
		{ lang: "Shell", label: "curl", source: shellOf(call) },
		{ lang: "TypeScript", label: "TypeScript", source: typeScriptOf(call) },
		{ lang: "Python", label: "Python", source: pythonOf(call) },
		{ lang: "PHP", label: "PHP", source: phpOf(call) },
	];
}
