/** The endpoints for anyone: resolving codes, and the images to print. */
import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { type AddressCode, displayCode } from "../codes/code.ts";
import { askedByLink } from "../codes/unit.ts";
import { AppError } from "../errors.ts";
import { json, representations } from "../http/answer.ts";
import type { AppEnv } from "../http/app-env.ts";
import { anyone, type Endpoint, endpoint } from "../http/endpoint.ts";
import { problemBody } from "../http/problem.ts";
import { userOrKey } from "../keys/key-auth.ts";
import { assertMayDraw } from "../limits/rate-limits.ts";
import type * as drawings from "../print/drawings.ts";
import type { Registry } from "../registry.ts";
import type { ValueOf } from "../schemas/lazy.ts";
import { answerAddress, lookUpAddresses } from "./actions.ts";
import { PUBLIC_CACHE_CONTROL, type PublicAnswer, type PublicRequest, RECORD_FORMAT } from "./address-cache.ts";
import {
	geoJsonFeature,
	isUnchangedSince,
	type PublicAddress,
	publicRecord,
	qrUrl,
	whereabouts,
} from "./address-record.ts";
import { CODE_ERRORS, canonicalParameterSchema, codeParameterSchema, geoJsonParameterSchema } from "./code-schemas.ts";
import {
	batchAnswerSchema,
	batchSchema,
	featureSchema,
	publicAddressSchema,
	resolveQuerySchema,
	sharedQuerySchema,
} from "./schemas.ts";
import { readShare } from "./share-link.ts";

/** Largest body of a batch, in bytes. */
const BATCH_BODY_BYTES_MAX = 64 * 1024;

/** The parts of an address that an image shows. */
type Printed = Pick<PublicAddress, "canonical" | "locality" | "region" | "label">;

/** An image of an address to print. */
interface PrintedImage {
	/** The last segment of the path without its extension. */
	file: "qr" | "label";
	type: "svg" | "png";
	id: string;
	summary: string;
	description: string;
	/** The end of the name of the saved file, after the code. */
	suffix: string;
	draw(
		by: typeof drawings,
		url: string,
		address: Printed,
		registry: Registry,
	): string | Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * The public request for an address that an HTTP request makes. The text `entered` for the code may be a whole link, with a share token.
 */
export function publicRequestOf(c: Context<AppEnv>, code: AddressCode, entered = ""): PublicRequest {
	const { settings, now } = c.get("registry");
	const token = c.req.query("share") ?? askedByLink(entered)?.get("share");
	const share = token ? readShare(settings.shareSecrets, code.canonical, token, now) : undefined;
	return { code, isAnonymous: c.req.header("Authorization") === undefined, share };
}

function geoJsonAnswer(address: PublicAddress): PublicAnswer {
	return {
		body: JSON.stringify(geoJsonFeature(address)),
		headers: { "Content-Type": "application/geo+json", Vary: "Accept" },
	};
}

const imageTypes = {
	svg: { content: { "image/svg+xml": "text" }, contentType: "image/svg+xml; charset=utf-8" },
	png: { content: { "image/png": "bytes" }, contentType: "image/png" },
} as const;

/** The content of an address's card. */
function cardOf(url: string, address: Printed) {
	return { url, canonical: address.canonical, place: whereabouts(address).join(", "), label: address.label };
}

function printedImage({ file, type, id, summary, description, suffix, draw }: PrintedImage): Endpoint {
	const { content, contentType } = imageTypes[type];
	return endpoint({
		method: "get",
		path: `/v1/addresses/{canonical}/${file}.${type}`,
		id,
		tag: "Print",
		summary,
		description,
		access: anyone,
		params: canonicalParameterSchema,
		cache: PUBLIC_CACHE_CONTROL,
		answer: representations(content, "The image.", {
			headers: { "Content-Disposition": "A file name for saving the image." },
		}),
		errors: CODE_ERRORS,
		handle: async ({ registry, c, params: { canonical: code } }) => {
			const fileName = `${displayCode(code.canonical)}${suffix}.${type}`;
			const drawn = async (printed: Printed) => ({
				body: await draw(
					await import("../print/drawings.ts"),
					qrUrl(printed.canonical, registry.webUrl),
					printed,
					registry,
				),
				headers: { "Content-Type": contentType, "Content-Disposition": `inline; filename="${fileName}"` },
			});
			try {
				return await answerAddress(registry, publicRequestOf(c, code), `${file}-${type}`, drawn);
			} catch (error) {
				if (!(error instanceof AppError && error.code === "ADDRESS_PRIVATE")) throw error;
				// The sign of a private address leads to its page, and shows nothing but its code.
				const { body, headers } = await drawn({ canonical: code.canonical, locality: "", region: "", label: "" });
				return new Response(body, { headers: { ...headers, "Cache-Control": "no-store" } });
			}
		},
	});
}

export const publicAddressEndpoints: Endpoint[] = [
	// Before the resolve endpoint, whose path matches any text.
	endpoint({
		method: "get",
		path: "/v1/public/addresses/{code}.geojson",
		id: "resolveAddressAsGeoJson",
		tag: "Resolve",
		summary: "Resolve a code as GeoJSON",
		description: "Returns the address of a code as a GeoJSON Feature, for map libraries and generated clients.",
		access: anyone,
		params: geoJsonParameterSchema,
		query: sharedQuerySchema,
		cache: PUBLIC_CACHE_CONTROL,
		answer: representations({ "application/geo+json": featureSchema }, "The address as a GeoJSON Feature."),
		errors: [...CODE_ERRORS, "ADDRESS_PRIVATE"],
		handle: ({ registry, c, params }) =>
			answerAddress(
				registry,
				publicRequestOf(c, params.code, c.req.param("code")?.replace(/\.geojson$/, "")),
				"geojson",
				geoJsonAnswer,
			),
	}),
	endpoint({
		method: "get",
		path: "/v1/public/addresses/{code}",
		id: "resolveAddress",
		tag: "Resolve",
		summary: "Resolve a code",
		description:
			"Returns the address of a code. The check digit is verified first: a code with a wrong one is refused and never leads to another address. The answer may be up to a minute old. It counts for your network, because no credential is read here: with a key, `GET /v1/addresses/{canonical}` counts for the key. With `Accept: application/geo+json` it is the GeoJSON Feature that the `.geojson` endpoint returns.",
		access: anyone,
		params: codeParameterSchema,
		query: resolveQuerySchema,
		cache: PUBLIC_CACHE_CONTROL,
		answer: representations({ "application/json": publicAddressSchema }, "The address.", {
			headers: { Vary: "Accept", "Cache-Tag": "The canonical code." },
		}),
		errors: [...CODE_ERRORS, "ADDRESS_PRIVATE"],
		handle: ({ registry, c, params, query }) => {
			const wanted = accepts(c, {
				header: "Accept",
				supports: ["application/json", "application/geo+json"],
				default: "application/json",
			});
			const format = query.format ?? (wanted === "application/geo+json" ? "geojson" : "json");
			const asked = publicRequestOf(c, params.code, c.req.param("code"));
			return format === "json"
				? answerAddress(registry, asked, RECORD_FORMAT)
				: answerAddress(registry, asked, "geojson", geoJsonAnswer);
		},
	}),
	endpoint({
		method: "post",
		path: "/v1/public/addresses/batch",
		id: "resolveAddresses",
		tag: "Resolve",
		summary: "Resolve up to 100 codes",
		description:
			"Each code gets its address or its own problem. A session or an API key may send 60 batches per minute. Unknown codes count towards your account's limit. Past it, codes get the problem `RATE_LIMITED`. The body may have up to 64 KiB.",
		access: userOrKey,
		body: batchSchema,
		bodyBytesMax: BATCH_BODY_BYTES_MAX,
		answer: json(200, batchAnswerSchema, "One item per code, in the order asked."),
		handle: async ({ registry, caller, body: { codes, updated_since: since } }) => {
			const resolved = await lookUpAddresses(registry, caller, codes);
			const data: ValueOf<typeof batchAnswerSchema>["data"] = resolved.map((outcome, index) => {
				const code = codes[index] ?? "";
				if (outcome instanceof AppError)
					return { code, status: "failed", problem: problemBody(outcome, registry.webUrl, registry.requestId) };
				if (since && isUnchangedSince(outcome, Date.parse(since))) return { code, status: "unchanged" };
				return { code, status: "found", address: publicRecord(outcome) };
			});
			return { data };
		},
	}),
	printedImage({
		file: "qr",
		type: "svg",
		id: "getAddressQr",
		summary: "QR code as SVG",
		description: "The QR code opens the page of the address. The image is sized in millimetres for printing.",
		suffix: "",
		draw: ({ qrSvg }, url, { canonical }) => qrSvg(url, displayCode(canonical)),
	}),
	printedImage({
		file: "qr",
		type: "png",
		id: "getAddressQrPng",
		summary: "QR code as PNG",
		description: "The same QR code for programs that cannot show SVG.",
		suffix: "",
		draw: ({ qrPng }, url) => qrPng(url),
	}),
	printedImage({
		file: "label",
		type: "svg",
		id: "getAddressLabel",
		summary: "Door card as SVG",
		description: "A card for the door: the plate of the code, the QR code, the locality and the region, and the label.",
		suffix: "-label",
		draw: ({ cardSvg }, url, address) => cardSvg(cardOf(url, address)),
	}),
	printedImage({
		file: "label",
		type: "png",
		id: "getAddressLabelPng",
		summary: "Door card as PNG",
		description:
			"The same card for programs that cannot show SVG. It has Latin letters only: a name or label in another script is left out.",
		suffix: "-label",
		draw: async ({ readCardFont, cardPng }, url, address, registry) => {
			assertMayDraw(registry);
			const font = await readCardFont(registry.bindings);
			return cardPng(font, cardOf(url, address));
		},
	}),
];
