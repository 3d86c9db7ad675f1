import type { Bindings } from "./env.ts";
import { AppError } from "./errors.ts";
import { log } from "./log.ts";

/** The folder of static assets that .dev/build.ts puts data files into. */
const FOLDER = "data";

/**
 * A reader of a data file that is deployed beside the Worker, so that isolates start without it. `name.bin` anywhere in src is one. An isolate
 * reads it when it is first needed, and keeps what `decode` makes of it.
 * @returns The reader; it throws AppError UNAVAILABLE while the file cannot be read.
 */
export function dataFile<Value extends object>(
	name: string,
	decode: (bytes: Uint8Array<ArrayBuffer>) => Value | Promise<Value>,
): (env: Pick<Bindings, "ASSETS">) => Promise<Value> {
	let kept: Value | undefined;

	async function read(assets: Fetcher): Promise<Value> {
		// The host is of no account to a binding, but a URL needs one.
		const answer = await assets.fetch(new URL(`${FOLDER}/${name}`, "https://assets.invalid"));
		if (!answer.ok) throw new Error(`the assets answer ${answer.status}`);
		return decode(new Uint8Array(await answer.arrayBuffer()));
	}

	return async ({ ASSETS }) => {
		try {
			// Not a promise, which must not outlive its request.
			kept ??= await read(ASSETS);
			return kept;
		} catch (error) {
			log("error", "data_file_unreadable", { name, message: String(error) });
			const detail = "A part of the service cannot be read right now. Try again shortly.";
			throw new AppError("UNAVAILABLE", detail, { headers: { "Retry-After": "5" } });
		}
	};
}
