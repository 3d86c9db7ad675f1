/** The types of `<address-code>` for Vue. Importing `address-registry/vue` defines the element and allows it in templates. */
import type { HTMLAttributes } from "vue";
import type { FieldAttributes } from "./attributes.ts";

export * from "./address-code.ts";

interface AddressCodeProps extends FieldAttributes, HTMLAttributes {
	readonly?: boolean;
	autocomplete?: string;
}

declare module "vue" {
	interface GlobalComponents {
		"address-code": new () => { $props: AddressCodeProps };
	}
}
