import type * as z from "zod/mini";

/** A schema that is made when it is first needed. */
export type LazySchema<Value = unknown> = () => z.ZodMiniType<Value>;

/** The values that a lazy schema describes. */
export type ValueOf<Lazy extends LazySchema> = z.infer<ReturnType<Lazy>>;

/**
 * What is made once, when it is first needed. To make all schemas takes an isolate longer than all else that it starts with, and it
 * needs few of them: those of answers serve the documentation alone.
 */
export function lazy<Value>(make: () => Value): () => Value {
	let made: { value: Value } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}
