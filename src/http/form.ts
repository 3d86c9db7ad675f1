/** Plain forms (application/x-www-form-urlencoded), which every page works with. */
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { AppError } from "../errors.ts";
import type { AppEnv } from "./app-env.ts";

/** Refuses a body of more than `kibibytes` KiB. `what` names it in the error. @throws AppError BODY_TOO_LARGE. */
export function formLimit(kibibytes = 16, what = "A form") {
	return bodyLimit({
		maxSize: kibibytes * 1024,
		onError: () => {
			throw new AppError("BODY_TOO_LARGE", `${what} may have at most ${kibibytes} KiB.`);
		},
	});
}

/** The fields of a form. Not read as text(), because the platform warns of a body whose type is not text. */
export async function readFields(c: Context<AppEnv>): Promise<URLSearchParams> {
	return new URLSearchParams(new TextDecoder().decode(await c.req.arrayBuffer()));
}
