import type { Endpoint } from "../http/endpoint.ts";

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
