/**
 * The types of `<address-code>` for React. Importing `address-registry/react` defines the element and allows it in JSX. React 19 sets its
 * attributes and listens to its events as it does for built-in elements.
 */
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { AddressCodeElement } from "./address-code.ts";
import type { FieldAttributes } from "./attributes.ts";

export * from "./address-code.ts";

export interface AddressCodeAttributes extends FieldAttributes, HTMLAttributes<AddressCodeElement> {
	readOnly?: boolean;
	autocomplete?: string;
}

export type AddressCodeProps = DetailedHTMLProps<AddressCodeAttributes, AddressCodeElement>;

declare module "react" {
	namespace JSX {
		interface IntrinsicElements {
			"address-code": AddressCodeProps;
		}
	}
}
