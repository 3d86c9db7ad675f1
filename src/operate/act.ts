/**
 * What an operator does, as one value: to what, with which fields, by which statements, and how it is called. The feature that owns the
 * table has the value. This folder runs, records and announces any act, and makes its endpoint, its form and the links to it, its command
 * and its line of `--help`.
 */
import * as z from "zod/mini";
import type { Database } from "../db/open.ts";
import type { Statements } from "../db/statement.ts";
import type { ProblemCode } from "../errors.ts";
import type { Answer } from "../http/answer.ts";
import { type LazySchema, lazy, type ValueOf } from "../lazy.ts";
import type { Registry } from "../registry.ts";
import { described, lineOfText, sent } from "../schemas.ts";
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

/** What an act takes that needs nothing but a reason. */
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

/** What acts are done to, such as accounts. */
export interface Target<Found extends ActContext = ActContext, Params = unknown, Shown = unknown> {
	/** What a person calls it. */
	name: "account" | "address" | "key" | "report";
	/** Its path behind `/v1/operator/` and `/operate/`, such as `accounts/{id}`. */
	path: string;
	params: LazySchema<Params>;
	/** An id or a code of one, such as `usr_7dN3kq0vXW2mZrB8cT5yLa`. */
	example: string;
	/** The command that prints it. */
	printedBy: string;
	errors?: readonly ProblemCode[];
	/** Reads what an act needs to know of it. @throws AppError One of `errors`, where there is none. */
	find(registry: Registry, params: Params): Promise<Found>;
	/** The id or code of one that a page shows. */
	idOf(shown: Shown): string;
}

/** What an act is about to do. What it says of whom it concerns stands instead of what was found. */
export interface Deed extends Partial<ActContext> {
	/** What is set, where the name of the act does not say it. */
	detail?: string;
	/** Done in one batch with the record. They refuse where there is nothing to do it to, or it is done already. */
	statements: Statements;
	/** Another account to which it is done as well, and which gets a record of its own. */
	also?: { userId: string; detail: string } | undefined;
	/** What follows, such as emptying caches. */
	announce?(): Promise<void>;
}

/** What an act answers instead of its record. */
export interface ActAnswer<Found extends ActContext = ActContext> {
	answer: Answer;
	read(registry: Registry, found: Found): Promise<object>;
}

export interface Act<
	Found extends ActContext = ActContext,
	Body extends ReasonAlone = ReasonAlone,
	Params = unknown,
	Shown = unknown,
> {
	/** As it is recorded, and its command. */
	name: string;
	on: Target<Found, Params, Shown>;
	/** The last part of its path, where that is not its name. */
	path?: string;
	/** The operationId of its endpoint. */
	id: string;
	summary: string;
	description: string;
	/** What its button and the links to it say, by what a link has filled in. */
	button: string | ((filled: URLSearchParams) => string);
	/** What is said when it is done. An act without it reads: what it answers is shown instead. */
	done?: string;
	body?: LazySchema<Body>;
	/** Those of its own, besides those of its target and its body. */
	errors?: readonly ProblemCode[];
	/** What its form holds at first where a page shows a target; undefined where there is nothing to do. Without it, it is always offered. */
	offer?(shown: Shown): Readonly<Record<string, string | readonly string[]>> | undefined;
	/** Says what is to be done. @throws AppError where it cannot be done. */
	plan(registry: Registry, found: Found, body: Body, mandate: Mandate): Deed | Promise<Deed>;
	answers?: ActAnswer<Found>;
}

/** Types an act by its target and its body. */
export function act<Found extends ActContext, Body extends ReasonAlone, Params, Shown>(
	described: Act<Found, Body, Params, Shown>,
): Act {
	return described;
}

/** Types what an act answers. */
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
