/** The types of `<address-code>` for Svelte. Importing `address-registry/svelte` defines the element and allows it in components. */
import type { HTMLAttributes } from "svelte/elements";
import type { AddressCodeElement } from "./address-code.ts";
import type { FieldAttributes } from "./attributes.ts";

export * from "./address-code.ts";

interface AddressCodeProps extends FieldAttributes, Omit<HTMLAttributes<AddressCodeElement>, keyof FieldAttributes> {
	readonly?: boolean;
	autocomplete?: string;
}

declare module "svelte/elements" {
	interface SvelteHTMLElements {
		"address-code": AddressCodeProps;
	}
}
