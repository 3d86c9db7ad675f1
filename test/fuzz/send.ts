/** Sends one generated request, well formed over HTTP or with its bytes broken over a bare socket. */
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { pick, type Random } from "./values.ts";

/** A request as it goes out. Header names and values are sent as they stand. */
export interface FuzzRequest {
	method: string;
	/** Path and query, as they stand in the request line. */
	target: string;
	headers: [name: string, value: string][];
	body: string | undefined;
	/** The name of the way in which the bytes are broken; undefined for well-formed HTTP. */
	broken: string | undefined;
}

export interface FuzzAnswer {
	status: number;
	headers: Headers;
	body: string;
	milliseconds: number;
}

/** How long an answer is waited for, in milliseconds. */
const PATIENCE = 20_000;
/** How long a broken request may go unanswered: a server that waits for the rest of it is right. */
const BROKEN_PATIENCE = 700;

function serialised({ method, target, headers, body }: FuzzRequest): string {
	const lines = [
		`${method} ${target} HTTP/1.1`,
		"Host: 127.0.0.1",
		...headers.map(([name, value]) => `${name}: ${value}`),
	];
	if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
	return `${lines.join("\r\n")}\r\nConnection: close\r\n\r\n${body ?? ""}`;
}

/** Ways to break the bytes of a request, by name. */
const breaks: Record<string, (bytes: string) => string> = {
	"a Host with a space": (bytes) => bytes.replace("Host: 127.0.0.1", "Host: a b"),
	"a Host with brackets": (bytes) => bytes.replace("Host: 127.0.0.1", "Host: [::1"),
	"a Host with a slash": (bytes) => bytes.replace("Host: 127.0.0.1", "Host: a/b?c#d"),
	"a Host with an odd port": (bytes) => bytes.replace("Host: 127.0.0.1", "Host: a:99999"),
	"a Host of 3,000 characters": (bytes) => bytes.replace("Host: 127.0.0.1", `Host: ${"a".repeat(3_000)}`),
	"no Host": (bytes) => bytes.replace("Host: 127.0.0.1\r\n", ""),
	"two Hosts": (bytes) => bytes.replace("Host: 127.0.0.1", "Host: 127.0.0.1\r\nHost: evil.example"),
	"a NUL in a header": (bytes) => bytes.replace("Connection: close", "X-A: a\u0000b\r\nConnection: close"),
	"a folded header": (bytes) => bytes.replace("Connection: close", "X-A: a\r\n b\r\nConnection: close"),
	"a header without a colon": (bytes) => bytes.replace("Connection: close", "nonsense\r\nConnection: close"),
	"a header name with a space": (bytes) => bytes.replace("Connection: close", "X A: b\r\nConnection: close"),
	"a header of 60 KB": (bytes) => bytes.replace("Connection: close", `X-A: ${"a".repeat(60_000)}\r\nConnection: close`),
	"two Content-Lengths": (bytes) =>
		bytes.replace("Connection: close", "Content-Length: 3\r\nContent-Length: 5\r\nConnection: close"),
	"Content-Length and chunks": (bytes) =>
		bytes.replace("Connection: close", "Transfer-Encoding: chunked\r\nConnection: close"),
	"a negative Content-Length": (bytes) => bytes.replace(/Content-Length: \d+/, "Content-Length: -1"),
	"a Content-Length too long": (bytes) => bytes.replace(/Content-Length: \d+/, "Content-Length: 99999"),
	"two Authorizations": (bytes) =>
		bytes.replace("Connection: close", "Authorization: Bearer a\r\nAuthorization: Bearer b\r\nConnection: close"),
	"bare line feeds": (bytes) => bytes.replaceAll("\r\n", "\n"),
	"HTTP/9.9": (bytes) => bytes.replace("HTTP/1.1", "HTTP/9.9"),
	"no version": (bytes) => bytes.replace(" HTTP/1.1", ""),
	"an absolute target": (bytes) => bytes.replace(" /", " http://evil.example/"),
	"a target without a slash": (bytes) => bytes.replace(" /", " "),
	"a space in the target": (bytes) => bytes.replace(" HTTP/1.1", " x HTTP/1.1"),
	"an asterisk as target": (bytes) => bytes.replace(/ \S+ HTTP/, " * HTTP"),
	"an unknown method": (bytes) => bytes.replace(/^\w+/, "BREW"),
	"a method in lower case": (bytes) => bytes.replace(/^\w+/, (method) => method.toLowerCase()),
	"half of it": (bytes) => bytes.slice(0, bytes.length / 2),
	"Latin-1 in the target": (bytes) => bytes.replace(" HTTP/1.1", "\u00e9 HTTP/1.1"),
	"Expect: 100-continue": (bytes) => bytes.replace("Connection: close", "Expect: 100-continue\r\nConnection: close"),
	"an upgrade": (bytes) => bytes.replace("Connection: close", "Upgrade: websocket\r\nConnection: Upgrade"),
};

/** The name of a way to break a request. */
export function drawBreak(random: Random): string {
	return pick(random, Object.keys(breaks));
}

function parse(text: string): { status: number; headers: Headers; body: string } | undefined {
	const [, status, head = ""] = /^HTTP\/1\.[01] (\d{3})[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(text) ?? [];
	if (!status) return undefined;
	const headers = new Headers();
	for (const line of head.split("\r\n").filter(Boolean))
		headers.append(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim());
	const body = text.slice(text.indexOf("\r\n\r\n") + 4);
	return {
		status: Number(status),
		headers,
		body: headers.get("Transfer-Encoding") === "chunked" ? unchunked(body) : body,
	};
}

function unchunked(body: string): string {
	let whole = "";
	for (let rest = Buffer.from(body, "latin1"); rest.length > 0; ) {
		const end = rest.indexOf("\r\n");
		const size = Number.parseInt(rest.subarray(0, end).toString(), 16);
		if (!(size > 0)) break;
		whole += rest.subarray(end + 2, end + 2 + size).toString("latin1");
		rest = rest.subarray(end + 2 + size + 2);
	}
	return Buffer.from(whole, "latin1").toString();
}

function sendBroken(port: number, request: FuzzRequest, started: number): Promise<FuzzAnswer | undefined> {
	return new Promise((resolve) => {
		const socket = connect(port, "127.0.0.1");
		const chunks: Buffer[] = [];
		const finish = () => {
			socket.destroy();
			const parsed = parse(
				Buffer.concat(chunks)
					.toString("latin1")
					.replace(/^HTTP\/1\.1 100 [^\r\n]*\r\n\r\n/, ""),
			);
			resolve(parsed && { ...parsed, milliseconds: performance.now() - started });
		};
		socket.setTimeout(BROKEN_PATIENCE, finish);
		socket.on("data", (chunk: Buffer) => chunks.push(chunk));
		socket.on("error", finish);
		socket.on("close", finish);
		const change = breaks[request.broken ?? ""] ?? ((bytes: string) => bytes);
		socket.write(Buffer.from(change(serialised(request)), request.broken?.startsWith("Latin") ? "latin1" : "utf8"));
	});
}

function sendWell(port: number, { method, target, headers, body }: FuzzRequest, started: number): Promise<FuzzAnswer> {
	return new Promise((resolve, reject) => {
		// As a flat list, headers go out as they stand, and Node adds none.
		const framed = [["Host", `127.0.0.1:${port}`], ["Connection", "close"], ...headers];
		if (body !== undefined) framed.push(["Content-Length", String(Buffer.byteLength(body))]);
		const sent = httpRequest(
			{ host: "127.0.0.1", port, method, path: target, headers: framed.flat(), timeout: PATIENCE, agent: false },
			(answer) => {
				const chunks: Buffer[] = [];
				answer.on("data", (chunk: Buffer) => chunks.push(chunk));
				answer.on("error", reject);
				answer.on("end", () => {
					const received = new Headers();
					for (let at = 0; at < answer.rawHeaders.length; at += 2)
						received.append(answer.rawHeaders[at] ?? "", answer.rawHeaders[at + 1] ?? "");
					resolve({
						status: answer.statusCode ?? 0,
						headers: received,
						body: Buffer.concat(chunks).toString(),
						milliseconds: performance.now() - started,
					});
				});
			},
		);
		sent.on("timeout", () => sent.destroy(new Error(`no answer within ${PATIENCE} ms`)));
		sent.on("error", reject);
		sent.end(body);
	});
}

/** Sends a request and waits for its answer; undefined where a broken one gets none. */
export function send(port: number, request: FuzzRequest): Promise<FuzzAnswer | undefined> {
	const started = performance.now();
	return request.broken === undefined ? sendWell(port, request, started) : sendBroken(port, request, started);
}
