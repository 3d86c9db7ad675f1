/** How the documentation presents the API. */
import { endpoints } from "../api.ts";
import type { Endpoint, Tag } from "../http/endpoint.ts";

/** The chapters of the documentation, in reading order. */
const tags: Tag[] = [
	{
		name: "Resolve",
		description:
			"Turn a code into an address. Anyone can resolve one code, from any web page. A batch of codes needs a credential.",
	},
	{ name: "Print", description: "QR codes and door cards as images. Anyone can fetch them." },
	{ name: "Addresses", description: "Create addresses and manage your own." },
	{
		name: "Accounts",
		description:
			"Register and sign in with a phone number and a password. Access tokens are valid for 30 minutes, refresh tokens for 30 days.",
	},
	{
		name: "Keys",
		description:
			"API keys are for systems. They read address records, and with the scope addresses:write they also manage the addresses of their owner. A signed-in person creates and revokes them.",
	},
	{
		name: "Attest",
		description:
			"How a phone number or an address becomes verified. It is a sign of trust and gives no further rights.",
	},
	{
		name: "Follow",
		description:
			"Keep a copy of all addresses up to date: load a snapshot, then follow the feed of changes from its cursor. The operator of the registry grants a key the scope `changes:read` for this. Anyone follows their own addresses without it.",
	},
	{
		name: "Operate",
		description:
			"For those who run the registry. Each act needs a reason and is recorded permanently. Programs of other people cannot use these endpoints.",
	},
	{ name: "Status", description: "Whether the service is up." },
];

const chapterOf = ({ tag }: Endpoint) => tags.findIndex(({ name }) => name === tag);

export const api = {
	title: "Address registry",
	summary: "Creates, resolves and prints short address codes.",
	description: `Short, checkable, resolvable address codes for places without a usable street address.

- Anyone can resolve a code, without a key or an account, from any web page.
- A code is two letters for the country, four digits for the zone and five more digits. The last digit catches typing mistakes. Case, spaces and dashes do not matter.
- Everyone who has the code of an address can read its exact point and texts, unless the owner makes it private.
- Signed-in people create addresses for coordinates. Their systems read and manage them with an API key.
- Errors are RFC 9457 problems with a stable \`code\`.
- A path works with and without a trailing slash. An endpoint that answers GET also answers HEAD.
- Answers may gain fields at any time within /v1: ignore those you do not know. Unknown fields in requests are refused by name.
- An endpoint or field that is to go is named in the [changelog](/docs/changelog) at least twelve months before. Until then, the answers of such an endpoint carry \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594).`,
	tags,
	endpoints: endpoints.toSorted((a, b) => chapterOf(a) - chapterOf(b)),
};

/** The page of the reference that presents a chapter's endpoints, by the tag of the chapter. */
export function chapterPath(tag: string): string {
	return `/docs/${tag.toLowerCase().replaceAll(" ", "-")}`;
}

/** Where the reference presents an endpoint. */
export function endpointPath({ tag, id }: Pick<Endpoint, "tag" | "id">): string {
	return `${chapterPath(tag)}#${id}`;
}

/** The page that presents the objects of requests and answers. */
export const OBJECTS_PATH = "/docs/objects";
