import type { Bindings } from "../env.ts";
import { AppError } from "../errors.ts";
import { log } from "../logs/log.ts";
import { beforeDeadline } from "../time/deadline.ts";
import { waitMilliseconds } from "../time/wait-times.ts";

/** The folder of static assets into which .dev/build.ts puts data files. */
const FOLDER = "data";

/**
 * Makes a reader of a data file that is deployed beside the Worker, so that isolates start without loading it. Any `name.bin` in src is a
 * data file. An isolate reads it when it is first needed, and caches what `decode` makes of it.
 * @returns The reader; it throws AppError UNAVAILABLE while the file cannot be read in time.
 */
export function dataFile<Value extends object>(
	name: string,
	decode: (bytes: Uint8Array<ArrayBuffer>) => Value | Promise<Value>,
): (env: Bindings) => Promise<Value> {
	const cached = new WeakMap<Fetcher, Value>();

	async function read(assets: Fetcher): Promise<Value> {
		// A binding ignores the host, but a URL needs one.
		const answer = await assets.fetch(new URL(`${FOLDER}/${name}`, "https://assets.invalid"));
		if (!answer.ok) throw new Error(`the assets answer ${answer.status}`);
		// Caches the value, not the promise, which must not outlive its request. A value too late for this request serves the next.
		const value = await decode(new Uint8Array(await answer.arrayBuffer()));
		cached.set(assets, value);
		return value;
	}

	return async (env) => {
		const found = cached.get(env.ASSETS);
		if (found) return found;
		try {
			return await beforeDeadline(read(env.ASSETS), waitMilliseconds.assetsRead, "the assets took too long");
		} catch (error) {
			log("error", "data_file_unreadable", { name, message: String(error) });
			const detail = "A part of the service cannot be read right now. Try again shortly.";
			throw new AppError("UNAVAILABLE", detail, { headers: { "Retry-After": "5" } });
		}
	};
}
