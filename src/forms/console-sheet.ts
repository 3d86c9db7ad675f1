/**
 * The styles of the console's pages. The first page that a visitor opens has its styles inline, so that it is painted at once. It also has
 * the browser fetch one file with all styles, which every further page uses. So nobody loads the same styles with each step.
 */
import type { Context } from "hono";
import files from "../../dist/browser/files.js";
import type { AppEnv } from "../http/app-env.ts";
import { perPaper } from "../print/paper.ts";
import { type Inline, inline, type Styles } from "../web/inline.ts";
import { cardStyles, sheetStyles } from "../web/sheet.tsx";
import { pageStyles, streetStyles } from "../web/styles.ts";
import { consoleStyles, formStyles, ownStyles, pinStyles } from "./console-styles.ts";

/**
 * The styles of the pages that people open first, of most others, of those on which a pin is placed, and of the visitor's own addresses.
 */
export const formSheet = inline(pageStyles.text + formStyles);
export const plainSheet = inline(pageStyles.text + consoleStyles);
export const pinSheet = inline(plainSheet.text + pinStyles + streetStyles);
export const ownSheet = inline(plainSheet.text + streetStyles + ownStyles);

/**
 * The styles of a page as the browser gets them. A Referer under /my shows that it is not the first page; only pages under /my send one.
 */
export function stylesFor(c: Context<AppEnv>, styles: Inline): Styles {
	const sheet = files.console;
	if (!sheet || ![formSheet, plainSheet, pinSheet, ownSheet].includes(styles)) return styles;
	const isFurther = c.req.header("Referer")?.startsWith(`${c.get("url").origin}/my`);
	return isFurther ? { sheet } : { text: styles.text, source: styles.source, next: sheet };
}

/** The styles of a console page that is a sheet to print, for each paper. */
export const printingStyles = perPaper((paper) =>
	inline(`${pageStyles.text}${consoleStyles}${sheetStyles(paper)}${cardStyles}nav.console{padding:0 1rem}`),
);
