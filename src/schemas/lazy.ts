import type * as z from "zod/mini";

/** A schema that is made when first needed. */
export type LazySchema<Value = unknown> = () => z.ZodMiniType<Value>;

/** The values that a lazy schema describes. */
export type ValueOf<Lazy extends LazySchema> = z.infer<ReturnType<Lazy>>;

/**
 * Makes a value once, when it is first needed. Making all schemas would take an isolate longer than the rest of its start, and it needs
 * only a few: those of answers serve only the documentation.
 */
export function lazy<Value>(make: () => Value): () => Value {
	let made: { value: Value } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}
