/** The endpoints for anyone: resolving codes, and the images to print. */
import { accepts } from "hono/accepts";
import type { Bindings } from "../env.ts";
import { AppError } from "../errors.ts";
import { json, representations } from "../http/answer.ts";
import { webUrl } from "../http/app-env.ts";
import { anyone, type Endpoint, endpoint } from "../http/endpoint.ts";
import { problemBody } from "../http/problem.ts";
import { userOrKey } from "../keys/authentication.ts";
import type { ValueOf } from "../lazy.ts";
import { defineFormat, PUBLIC_CACHE_CONTROL, type PublicAnswer, RECORD_FORMAT } from "./address-cache.ts";
import { cardSvg } from "./card.ts";
import { readCardFont } from "./card-font.ts";
import { cardPng, qrPng } from "./card-png.ts";
import { displayCode, normalizeCode } from "./code.ts";
import { CODE_ERRORS, canonicalParameterSchema, codeParameterSchema, geoJsonParameterSchema } from "./code-schemas.ts";
import { askGuarded, isMiss } from "./enumeration.ts";
import type { UnknownCodes } from "./enumeration-store.ts";
import { addressStores, answerPublicly } from "./look-up.ts";
import { qrSvg } from "./qr.ts";
import { geoJsonFeature, type PublicAddress, publicRecord, qrUrl } from "./record.ts";
import { resolveAddresses } from "./resolve.ts";
import { batchAnswerSchema, batchSchema, featureSchema, publicAddressSchema, resolveQuerySchema } from "./schemas.ts";

/** Largest body of a batch, in bytes. */
const BATCH_BODY_BYTES_MAX = 64 * 1024;

/** An image of an address to print. */
interface PrintedImage {
	/** The last segment of the path without its extension. */
	file: string;
	type: "svg" | "png";
	id: string;
	summary: string;
	description: string;
	/** What the file is called when it is saved, after the code. */
	suffix: string;
	draw(url: string, address: PublicAddress, env: Bindings): string | Promise<Uint8Array<ArrayBuffer>>;
}

const GEOJSON = defineFormat("geojson");

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

function printedImage({ file, type, id, summary, description, suffix, draw }: PrintedImage): Endpoint {
	const { content, contentType } = imageTypes[type];
	const format = defineFormat(`${file}-${type}`);
	return endpoint(
		{
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
		},
		async ({ c, params }) => {
			const fileName = `${displayCode(params.canonical.canonical)}${suffix}.${type}`;
			return answerPublicly(c, params.canonical, format, async (address) => ({
				body: await draw(qrUrl(address.canonical, webUrl(c)), address, c.env),
				headers: { "Content-Type": contentType, "Content-Disposition": `inline; filename="${fileName}"` },
			}));
		},
	);
}

export const publicAddressEndpoints: Endpoint[] = [
	// In front of the resolve endpoint, whose path takes any text.
	endpoint(
		{
			method: "get",
			path: "/v1/public/addresses/{code}.geojson",
			id: "resolveAddressAsGeoJson",
			tag: "Resolve",
			summary: "Resolve a code as GeoJSON",
			description: "Returns the address of a code as a GeoJSON Feature, for map libraries and generated clients.",
			access: anyone,
			params: geoJsonParameterSchema,
			cache: PUBLIC_CACHE_CONTROL,
			answer: representations({ "application/geo+json": featureSchema }, "The address as a GeoJSON Feature."),
			errors: CODE_ERRORS,
		},
		({ c, params }) => answerPublicly(c, params.code, GEOJSON, geoJsonAnswer),
	),
	endpoint(
		{
			method: "get",
			path: "/v1/public/addresses/{code}",
			id: "resolveAddress",
			tag: "Resolve",
			summary: "Resolve a code",
			description:
				"Returns the address of a code. The check digit is verified first: a code with a wrong one is refused and never leads to another address. The answer may be up to a minute old.",
			access: anyone,
			params: codeParameterSchema,
			query: resolveQuerySchema,
			cache: PUBLIC_CACHE_CONTROL,
			answer: representations(
				{ "application/json": publicAddressSchema, "application/geo+json": featureSchema },
				"The address, as JSON or as a GeoJSON Feature, depending on the Accept header.",
				{ headers: { Vary: "Accept, because it chooses the format.", "Cache-Tag": "The canonical code." } },
			),
			errors: CODE_ERRORS,
		},
		({ c, params, query }) => {
			const wanted = accepts(c, {
				header: "Accept",
				supports: ["application/json", "application/geo+json"],
				default: "application/json",
			});
			const format = query.format ?? (wanted === "application/geo+json" ? "geojson" : "json");
			return format === "json"
				? answerPublicly(c, params.code, RECORD_FORMAT)
				: answerPublicly(c, params.code, GEOJSON, geoJsonAnswer);
		},
	),
	endpoint(
		{
			method: "post",
			path: "/v1/public/addresses/batch",
			id: "resolveAddresses",
			tag: "Resolve",
			summary: "Resolve up to 100 codes",
			description:
				"Each code gets its address or its own problem. An account or an API key may send 60 batches per minute. Each code that does not exist counts towards the limit of the account on such codes. The body may have up to 64 KiB.",
			access: userOrKey,
			body: batchSchema,
			bodyBytesMax: BATCH_BODY_BYTES_MAX,
			answer: json(200, batchAnswerSchema, "One item per code, in the order asked."),
		},
		async ({ c, caller, body: { codes } }) => {
			const resolved = await askGuarded(c, caller, {
				codes: codes.map(normalizeCode),
				limit: "BATCHES",
				async ask(counts) {
					let counted: UnknownCodes[] | undefined;
					const results = await resolveAddresses(addressStores(c.env), codes, async (holders) => {
						const [found, known] = await caller.run(holders, counts(holders.db));
						counted = [...(counted ?? []), ...known];
						return found;
					});
					// Without a code to ask for, a caller is proved all the same.
					if (!counted) await caller.run();
					return [results, counted ?? []];
				},
				missesOf: (results) => results.filter(isMiss).length,
				isOwn: () => false,
			});
			const data: ValueOf<typeof batchAnswerSchema>["data"] = resolved.map((outcome, index) => {
				const code = codes[index] ?? "";
				return outcome instanceof AppError
					? { code, status: "failed", problem: problemBody(outcome, webUrl(c), c.var.requestId) }
					: { code, status: "found", address: publicRecord(outcome) };
			});
			return { data };
		},
	),
	printedImage({
		file: "qr",
		type: "svg",
		id: "getAddressQr",
		summary: "QR code as SVG",
		description: "The QR code opens the page of the address. The image is sized in millimetres for printing.",
		suffix: "",
		draw: (url, { canonical }) => qrSvg(url, displayCode(canonical)),
	}),
	printedImage({
		file: "qr",
		type: "png",
		id: "getAddressQrPng",
		summary: "QR code as PNG",
		description: "The same QR code for programs that cannot show SVG.",
		suffix: "",
		draw: qrPng,
	}),
	printedImage({
		file: "label",
		type: "svg",
		id: "getAddressLabel",
		summary: "Door card as SVG",
		description: "A card for the door: the QR code, the code in large type, the name of the zone and the label.",
		suffix: "-label",
		draw: (url, { canonical, zoneName, label }) => cardSvg(url, canonical, zoneName, label),
	}),
	printedImage({
		file: "label",
		type: "png",
		id: "getAddressLabelPng",
		summary: "Door card as PNG",
		description:
			"The same card for programs that cannot show SVG. It has Latin letters only: a name or label in another script is left out.",
		suffix: "-label",
		draw: async (url, { canonical, zoneName, label }, env) =>
			cardPng(await readCardFont(env), url, canonical, zoneName, label),
	}),
];
