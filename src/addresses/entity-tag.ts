/** The ETags of addresses, and the versions that an If-Match allows (RFC 9110 sections 8.8.3 and 13.1.1). */
import * as z from "zod/mini";
import { digestHex } from "../crypto/hash.ts";
import { AppError } from "../errors.ts";
import { described } from "../schemas/common.ts";
import { lazy } from "../schemas/lazy.ts";

/** The versions of an address that a request allows, or any with `*`. No version is allowed if none of its ETags is an address's. */
export type IfMatch = "*" | readonly number[];

/**
 * The ETag of an address in one format. It changes with the version, the format and the body, because links in the body depend on WEB_URL,
 * and its fields on the deployment.
 */
export async function entityTag(
	version: number,
	format: string,
	body: string | Uint8Array<ArrayBuffer>,
): Promise<string> {
	return `"${version}-${format}-${(await digestHex(body)).slice(0, 12)}"`;
}

/** The versions in the ETags of a header, in whatever format. Any other ETag has none. */
export function versionsOf(header: string): number[] {
	return Array.from(header.matchAll(/"(\d{1,15})-[a-z-]+-[0-9a-f]{12}"/g), ([, version]) => Number(version));
}

/** What the ETag of an answer says in the documentation. */
export const RECORD_TAG = {
	ETag: "The version of the address as this call leaves it. Send it as If-Match with your next change.",
};

/** `*`, or ETags separated by commas, of which some may be empty (RFC 9110 section 5.6.1). */
const IF_MATCH =
	/^(?:\*|[\t ,]*(?:W\/)?"[!\x23-\x7e\x80-\xff]*"(?:[\t ]*,[\t ,]*(?:W\/)?"[!\x23-\x7e\x80-\xff]*")*[\t ,]*)$/;
const IF_MATCH_CHARACTERS_MAX = 1000;

/**
 * The condition of a change. Only the version in an ETag counts. So the ETag of another format serves too, and a weak one, although strong
 * comparison would refuse it: proxies such as Cloudflare and nginx weaken every ETag that they pass on compressed. If-None-Match has
 * no meaning here and is refused, because a change that ignored it would break RFC 9110 section 13.1.2.
 */
export const ifMatchHeaderSchema = lazy(() =>
	z
		.looseObject({
			"if-match": z.optional(
				z.pipe(
					described(
						z
							.string()
							.with(
								z.maxLength(IF_MATCH_CHARACTERS_MAX),
								z.regex(
									IF_MATCH,
									'Send an ETag as you got it, with its quotes, such as "7-record-5f2b6c0a9d3e", or *.',
								),
							),
						"An ETag that an answer about this address carried, in whatever format, or several, or `*`. The call changes something only while the address has that version, and is refused with 412 otherwise. Only the version counts.",
						'"7-record-5f2b6c0a9d3e"',
					),
					z.transform((header): IfMatch => (header === "*" ? header : versionsOf(header))),
				),
			),
		})
		.with(
			z.superRefine((headers, { addIssue }) => {
				if (headers["if-none-match"] === undefined) return;
				const message = "A change cannot depend on If-None-Match. Send If-Match, or neither.";
				addIssue({ code: "custom", path: ["if-none-match"], message });
			}),
		),
);

/** The error for an address that has another version than If-Match allows. */
export const preconditionFailed = () =>
	new AppError(
		"PRECONDITION_FAILED",
		"The address has changed since the version that If-Match names. Read it again, and send the change with its new ETag if it is still right.",
	);

/**
 * Does a write. If that is refused by If-Match but nothing is left to change, answers as it is, because an earlier attempt may have written
 * it and its answer was lost (RFC 9110 section 13.1.1).
 * @param asItIs The answer for the current state; undefined where that is not what the write asks for.
 */
export async function unlessDone<Result>(
	write: () => Promise<Result>,
	asItIs: () => Promise<Result | undefined>,
): Promise<Result> {
	try {
		return await write();
	} catch (error) {
		if (!(error instanceof AppError) || error.code !== "PRECONDITION_FAILED") throw error;
		const done = await asItIs();
		if (done === undefined) throw error;
		return done;
	}
}
