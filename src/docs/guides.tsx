import { raw } from "hono/html";
import { Marked, type Tokens } from "marked";
import checkoutDemo from "../../dist/browser/checkout-demo.inline.js";
import { inline } from "../web/inline.ts";
import type { DocsPage } from "./docs-layout.tsx";

/** A guide, as Markdown that GitHub shows as well. */
export interface Guide {
	/** The last part of its path, such as `operate`. */
	name: string;
	/** Starts with its title as a heading, then a paragraph that says who it is for. */
	markdown: string;
}

/** The anchor of a heading, as GitHub makes it, so that links work here and there. */
function anchorOf(title: string): string {
	return title
		.toLowerCase()
		.replace(/[^\p{L}\p{N} _-]/gu, "")
		.replaceAll(" ", "-");
}

/** The page that a link of a guide leads to; undefined for a file that is only in the repository. */
function linkOf(href: string): string | undefined {
	if (/^(https?:|#|\/)/.test(href)) return href;
	const [, name, anchor = ""] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
	return name && `/docs/guides/${name.toLowerCase()}${anchor}`;
}

/** A file of src/docs/samples: a guide that links to one in a paragraph of its own shows its text. */
export interface Sample {
	name: string;
	text: string;
}

/** The text of a guide with each link to a sample replaced by the sample. @throws Error for a missing sample. */
function withSamples(markdown: string, samples: Sample[]): string {
	return markdown.replace(/^\[[^\]]+\]\(\.\.\/samples\/([\w.-]+)\)$/gm, (_, name: string) => {
		const sample = samples.find((candidate) => candidate.name === name);
		if (!sample) throw new Error(`There is no sample ${name}`);
		return `\`\`\`${name.replace(/.*\./, "")}\n${sample.text.trimEnd()}\n\`\`\``;
	});
}

/** The line of a guide that the sample's form replaces, where it runs. */
const DEMO = "<!-- checkout.html runs here -->";

/** The sample's form, which calls the page's own registry, with what it sends and what the shop's server makes of it. */
function demoOf(samples: Sample[]): string {
	const [form] = /<form[\s\S]*<\/form>/.exec(samples.find(({ name }) => name === "checkout.html")?.text ?? "") ?? [];
	if (!form) throw new Error("The sample checkout.html has no form");
	const live = form
		.replace(/ (registry|action)="[^"]*"/g, "")
		.replace(/\n\s*/g, "")
		.replace("<form", "<form novalidate");
	return `<article id="demo" hidden>${live}<p>The form sends:</p><output></output><p>Your server finds:</p><output aria-live="polite"></output></article>`;
}

const renderer = new Marked({
	renderer: {
		heading({ tokens, depth, text }: Tokens.Heading) {
			return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
		},
		link({ href, tokens }: Tokens.Link) {
			const text = this.parser.parseInline(tokens);
			const link = linkOf(href);
			return link ? `<a href="${link}">${text}</a>` : text;
		},
		table({ header, rows }: Tokens.Table) {
			const cell = ({ tokens, text }: Tokens.TableCell, tag: string) => {
				// A header must name the column below it, so an empty one becomes an ordinary cell.
				const name = text === "" ? "td" : tag;
				return `<${name}>${this.parser.parseInline(tokens)}</${name}>`;
			};
			const cells = (row: Tokens.TableCell[], tag: string) => `<tr>${row.map((each) => cell(each, tag)).join("")}</tr>`;
			const body = rows.map((row) => cells(row, "td")).join("");
			return `<div class="wide" tabindex="0"><table><thead>${cells(header, "th")}</thead><tbody>${body}</tbody></table></div>\n`;
		},
	},
});

function textOf(guide: Guide): { title: string; summary: string } {
	const [, title, summary] = /^# (.+)\n\n([^\n]+(?:\n[^\n]+)*)/.exec(guide.markdown) ?? [];
	if (!title || !summary) throw new Error(`The guide ${guide.name} starts with no title and paragraph`);
	return { title, summary: summary.replaceAll("\n", " ") };
}

/** A section of the documentation, as its search finds it. */
export interface GuideSection {
	title: string;
	path: string;
	/** Its words. */
	text: string;
}

/** The sections of a guide, each below its heading, without samples. */
export function sectionsOf({ name, markdown }: Guide): GuideSection[] {
	// In a sample, what looks like a heading is a comment of a shell.
	const text = markdown.replace(/^```[\s\S]*?^```/gm, "").replace(/<!--.*?-->/gs, "");
	return Array.from(
		text.matchAll(/^#{1,3} (.+)$([\s\S]*?)(?=^#{1,3} |$(?![\s\S]))/gm),
		([, title = "", words = ""]) => ({
			title: title.replaceAll("`", ""),
			path: `/docs/guides/${name}#${anchorOf(title)}`,
			text: words
				.replace(/\]\([^)]*\)/g, "")
				.replace(/[`*|[\]]|^[-:| ]+$/gm, "")
				.replace(/\s+/g, " ")
				.trim(),
		}),
	);
}

/** A guide for programs that read Markdown, with its samples. */
export function guideMarkdown(guide: Guide, samples: Sample[]): string {
	return withSamples(guide.markdown, samples).replace(DEMO, "");
}

/** All guides in one text, for a language model. */
export function allGuides(guides: Guide[], samples: Sample[]): string {
	return guides.map((guide) => guideMarkdown(guide, samples).trim()).join("\n\n---\n\n");
}

/** The page of the changelog. */
export function changelogPage(markdown: string): DocsPage {
	return {
		title: "Changelog",
		description: "What changed for people who use, integrate or run a registry, by version.",
		path: "/docs/changelog",
		body: raw(renderer.parse(markdown, { async: false })),
	};
}

/** The page of a guide. */
export function guidePage(guide: Guide, samples: Sample[]): DocsPage {
	const { title, summary } = textOf(guide);
	return {
		title,
		description: summary,
		path: `/docs/guides/${guide.name}`,
		...(guide.markdown.includes(DEMO) ? { scripts: [inline(checkoutDemo), { file: "/address-code.js" }] } : {}),
		body: (
			<>
				{raw(
					renderer.parse(withSamples(guide.markdown, samples), { async: false }).replace(DEMO, () => demoOf(samples)),
				)}
				<p class="soft">
					<a href={`/docs/guides/${guide.name}.md`}>This guide as Markdown</a>
				</p>
			</>
		),
	};
}

/** The page that lists all guides. */
export function guideList(guides: Guide[]): DocsPage {
	return {
		title: "Guides to the address registry",
		description: "How to use the API, how to run a registry, and what it stores about people.",
		path: "/docs/guides",
		body: (
			<>
				<h1>Guides</h1>
				<dl>
					{guides.map((guide) => (
						<>
							<dt>
								<a href={`/docs/guides/${guide.name}`}>{textOf(guide).title}</a>
							</dt>
							<dd>{textOf(guide).summary}</dd>
						</>
					))}
				</dl>
			</>
		),
	};
}
