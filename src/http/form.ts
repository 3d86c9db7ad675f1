/** Plain forms (application/x-www-form-urlencoded), which every page works with. */
import type { Context } from "hono";
import type { AppEnv } from "./app-env.ts";
import { BODY_BYTES_MAX, readBody } from "./validation.ts";

/**
 * The fields of a form.
 * @throws AppError BODY_TOO_LARGE; INVALID_REQUEST if it is truncated.
 */
export async function readFields(c: Context<AppEnv>, bytesMax = BODY_BYTES_MAX): Promise<URLSearchParams> {
	return new URLSearchParams(new TextDecoder().decode(await readBody(c.req.raw, bytesMax)));
}
