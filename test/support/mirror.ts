/** A copy of all public addresses, as a courier keeps one: by nothing but the API. */
import { createHash } from "node:crypto";

export interface SnapshotPart {
	url: string;
	count: number;
	bytes: number;
	sha256: string;
}

export interface Manifest {
	id: string;
	created_at: string;
	cursor: string;
	count: number;
	parts: SnapshotPart[];
}

/** The path and query of a link of the registry. */
export function pathOf(url: string): string {
	const { pathname, search } = new URL(url);
	return pathname + search;
}

/** The lines of a part of a snapshot. @throws Error where it is not the file that the manifest names. */
export async function linesOfPart({ url, count, bytes, sha256 }: SnapshotPart, answer: Response): Promise<string[]> {
	const type = answer.headers.get("Content-Type");
	const file = new Uint8Array(await answer.arrayBuffer());
	const found = createHash("sha256").update(file).digest("hex");
	if (type !== "application/gzip" || file.length !== bytes || found !== sha256)
		throw new Error(`${url} is ${answer.status}, ${type}, ${file.length} bytes, ${found}`);
	const text = await new Response(new Blob([file]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
	const lines = text.split("\n").slice(0, -1);
	if (lines.length !== count) throw new Error(`${url} has ${lines.length} lines and not ${count}`);
	return lines;
}

export class Mirror {
	readonly addresses = new Map<string, string>();
	readonly kinds = new Set<string>();
	cursor = "";
	/** How often the feed did not know its cursor any more. */
	resets = 0;
	private readonly ask: (path: string) => Promise<Response>;
	private readonly waitForSnapshot: () => Promise<unknown>;
	private readonly limit: number;

	/**
	 * @param ask Sends a request with a key that may follow all addresses.
	 * @param waitForSnapshot Waits for a run of the job that makes snapshots.
	 * @param limit Changes of a page.
	 */
	constructor(ask: (path: string) => Promise<Response>, waitForSnapshot: () => Promise<unknown>, limit = 50) {
		this.limit = limit;
		this.ask = ask;
		this.waitForSnapshot = waitForSnapshot;
	}

	/** Loads the newest snapshot. What it does not have yet, or holds of what has just gone, is asked for again. */
	async load(): Promise<void> {
		this.addresses.clear();
		const again = async ({ status, body }: Response) => {
			await body?.cancel();
			if (![410, 503].includes(status)) throw new Error(`A snapshot answers ${status}`);
			await this.waitForSnapshot();
			return this.load();
		};
		const found = await this.ask("/v1/snapshots/latest");
		if (!found.ok) return again(found);
		const { parts, count, cursor } = (await found.json()) as Manifest;
		for (const part of parts) {
			const answer = await this.ask(pathOf(part.url));
			if (!answer.ok) return again(answer);
			for (const line of await linesOfPart(part, answer)) this.addresses.set(JSON.parse(line).canonical, line);
		}
		if (this.addresses.size !== count) throw new Error(`${this.addresses.size} addresses are in it and not ${count}`);
		this.cursor = cursor;
	}

	/** Follows the feed to its end. */
	async follow(): Promise<void> {
		for (let path: string | undefined = `/v1/changes?after=${this.cursor}&limit=${this.limit}`; path; ) {
			const answer = await this.ask(path);
			const text = await answer.text();
			if (answer.status === 410) {
				this.resets += 1;
				await this.load();
				path = `/v1/changes?after=${this.cursor}&limit=${this.limit}`;
				continue;
			}
			if (!answer.ok) throw new Error(`The feed answers ${answer.status}: ${text}`);
			for (const line of text.split("\n").slice(0, -1)) {
				const { code, kind, address } = JSON.parse(line);
				this.kinds.add(kind);
				if (address) this.addresses.set(code, JSON.stringify(address));
				else this.addresses.delete(code);
			}
			this.cursor = answer.headers.get("Next-Cursor") ?? "";
			const [, next] = /<(.*)>/.exec(answer.headers.get("Link") ?? "") ?? [];
			path = next && pathOf(next);
		}
	}

	get text(): string {
		return [...this.addresses.values()].sort().join("\n");
	}
}
