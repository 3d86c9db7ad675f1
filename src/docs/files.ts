import { ANY_ORIGIN } from "../web/docs-routes.ts";
import { docsHtml } from "./docs-layout.tsx";
import { docsPage } from "./docs-page.tsx";
import {
	allGuides,
	changelogPage,
	type Guide,
	guideList,
	guideMarkdown,
	guidePage,
	type Sample,
	sectionsOf,
} from "./guides.tsx";
import { llmsText } from "./llms.ts";
import { apiDocument } from "./openapi.ts";
import { problemCodes, problemList, problemPage } from "./problem-pages.tsx";
import { referencePages, searchIndex } from "./reference-pages.tsx";
import { vectorsCsv } from "./vectors.ts";

/** A file that is deployed beside the Worker. */
interface DocsFile {
	/** Its name in the folder of static assets, such as `docs.html`, which is served as `/docs`. */
	name: string;
	text: string;
	/** Headers that it is served with, besides those implied by its name. */
	headers: Record<string, string>;
}

/** All files for developers, operators and their programs, for whatever origin the registry is served at. */
export function docsFiles(guides: Guide[], samples: Sample[], changelog: string): DocsFile[] {
	const document = apiDocument(ANY_ORIGIN);
	const pages = [
		docsPage(ANY_ORIGIN),
		...referencePages(document),
		problemList(),
		...problemCodes.map(problemPage),
		guideList(guides),
		...guides.map((guide) => guidePage(guide, samples)),
		changelogPage(changelog),
	];
	return [
		{
			name: "openapi.json",
			text: JSON.stringify(document),
			headers: { "Cross-Origin-Resource-Policy": "cross-origin" },
		},
		{ name: "docs/search.json", text: JSON.stringify(searchIndex(document, guides.flatMap(sectionsOf))), headers: {} },
		{ name: "vectors.csv", text: vectorsCsv(), headers: {} },
		{ name: "llms.txt", text: llmsText(ANY_ORIGIN), headers: {} },
		{ name: "llms-full.txt", text: `${llmsText(ANY_ORIGIN)}\n---\n\n${allGuides(guides, samples)}\n`, headers: {} },
		...guides.map((guide) => ({
			name: `docs/guides/${guide.name}.md`,
			text: guideMarkdown(guide, samples),
			headers: {},
		})),
		...pages.map((page) => ({ name: `${page.path.slice(1)}.html`, ...docsHtml(page, ANY_ORIGIN) })),
	];
}
