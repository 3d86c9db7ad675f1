/**
 * What an operator can do, as one value: its target, its fields, its statements and its texts. The feature that owns the table defines it.
 * This folder runs and records any act, and derives its endpoint, its form, the links to it, its command and its line of `--help`.
 */
import * as z from "zod/mini";
import type { Database } from "../db/open.ts";
import type { Statements } from "../db/statement.ts";
import type { ProblemCode } from "../errors.ts";
import type { Answer } from "../http/answer.ts";
import type { Registry } from "../registry.ts";
import { described, lineOfText, sent } from "../schemas/common.ts";
import { type LazySchema, lazy, type ValueOf } from "../schemas/lazy.ts";
import type { Mandate } from "./identity.ts";

/** Fewest letters and digits, and most characters, of a reason. */
const REASON_CHARACTERS_MIN = 3;
export const REASON_CHARACTERS_MAX = 500;

export const EXAMPLE_REASON = "Ticket 4711: the holder asked for it.";

/** Why an operator acts. */
export const reason = lazy(() =>
	described(
		lineOfText(REASON_CHARACTERS_MAX).with(
			z.refine(
				(text) => (text.replace(/\p{DI}/gu, "").match(/[\p{L}\p{N}]/gu) ?? []).length >= REASON_CHARACTERS_MIN,
				"Give a reason of at least 3 letters or digits.",
			),
		),
		"Why you do this. It is recorded with the act.",
		EXAMPLE_REASON,
		{ minLength: REASON_CHARACTERS_MIN, maxLength: REASON_CHARACTERS_MAX },
	),
);

/** The body of an act that needs only a reason. */
export const reasonAlone = sent("OperatorActRequest", () => ({ reason: reason() }));

type ReasonAlone = ValueOf<typeof reasonAlone>;

/** What an act is done to, as its record names it, and where it is done. */
export interface ActContext {
	/** The id or the code of what it is done to. */
	subject: string;
	/** The account that it concerns; empty where none does. */
	userId: string;
	/** The database in which it is done and recorded: for an address, that of its code. */
	db: Database;
}

/** A kind of target of acts, such as accounts. */
export interface Target<Found extends ActContext = ActContext, Params = unknown, Shown = unknown> {
	/** The word for it. */
	name: "account" | "address" | "key" | "report";
	/** Its path behind `/v1/operator/` and `/operate/`, such as `accounts/{id}`. */
	path: string;
	params: LazySchema<Params>;
	/** An id or a code of one, such as `usr_7dN3kq0vXW2mZrB8cT5yLa`. */
	example: string;
	/** The command that prints it. */
	printedBy: string;
	errors?: readonly ProblemCode[];
	/** Reads what acts need to know of it. @throws AppError One of `errors`, if it does not exist. */
	find(registry: Registry, params: Params): Promise<Found>;
	/** The id or code of a target that a page shows. */
	idOf(shown: Shown): string;
}

/** What an act will do. A context of its own replaces that of the target. */
export interface Deed extends Partial<ActContext> {
	/** What is set, if the name of the act does not say it. */
	detail?: string;
	/**
	 * Run in one batch with the record. They refuse if the target does not exist, or the act would change nothing. Those of accounts run
	 * first, if the act is done in another database.
	 */
	statements: Statements;
	/** Another account that it affects, which gets a record of its own. */
	also?: { userId: string; detail: string } | undefined;
	/** Runs afterwards, such as to purge caches. */
	announce?(): Promise<void>;
}

/** A response of its own, in place of the record of the act. */
interface ActAnswer<Found extends ActContext = ActContext> {
	answer: Answer;
	read(registry: Registry, found: Found): Promise<object>;
}

export interface Act<
	Found extends ActContext = ActContext,
	Body extends ReasonAlone = ReasonAlone,
	Params = unknown,
	Shown = unknown,
> {
	/** Its name in records, and its command unless `command` says another. */
	name: string;
	/** Its command, where another one has its name. */
	command?: string;
	on: Target<Found, Params, Shown>;
	/** The last segment of its path, if that is not its name. */
	path?: string;
	/** The operationId of its endpoint. */
	id: string;
	summary: string;
	description: string;
	/** The text of its button and of links to it, which may depend on how a link has filled the form. */
	button: string | ((filled: URLSearchParams) => string);
	/** The notice when it is done. An act without one only reads, and its response is shown instead. */
	done?: string;
	body?: LazySchema<Body>;
	/** Its errors, besides those of its target and its body. */
	errors?: readonly ProblemCode[];
	/** The initial values of its form for a target that a page shows; undefined if it does not apply. Without it, it always applies. */
	offer?(shown: Shown): Readonly<Record<string, string | readonly string[]>> | undefined;
	/** Plans what to do. @throws AppError if it cannot be done. */
	plan(registry: Registry, found: Found, body: Body, mandate: Mandate): Deed | Promise<Deed>;
	answers?: ActAnswer<Found>;
}

/** Infers the types of an act from its target and its body. */
export function act<Found extends ActContext, Body extends ReasonAlone, Params, Shown>(
	described: Act<Found, Body, Params, Shown>,
): Act {
	return described;
}

/** Infers the type of a response of its own. */
export function answering<Found extends ActContext, Result extends object>(
	answer: Answer<Result>,
	read: (registry: Registry, found: Found) => Promise<NoInfer<Result>>,
): ActAnswer<Found> {
	return { answer, read };
}

/** The path of an act behind `/v1/operator/` and `/operate/`. */
export function pathOf({ on, path, name }: Act): string {
	return `${on.path}/${path ?? name}`;
}
