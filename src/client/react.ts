/**
 * The types of `<address-code>` for React. Importing `address-registry/react` defines the element and allows it in JSX. React 19 sets its
 * attributes and listens to its events as it does for built-in elements.
 */
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { AddressCodeElement } from "./address-code.ts";

export * from "./address-code.ts";

export interface AddressCodeAttributes extends HTMLAttributes<AddressCodeElement> {
	name?: string;
	value?: string;
	/** The text of the label, in place of the element's own. */
	label?: string;
	/** The origin of the registry, such as `https://addr.example`. */
	registry?: string;
	required?: boolean;
	disabled?: boolean;
	readOnly?: boolean;
	placeholder?: string;
	autocomplete?: string;
	/** The id of the form that the field belongs to, where it stands elsewhere. */
	form?: string;
	/** Whether it asks for a unit and a note too. */
	details?: boolean;
}

export type AddressCodeProps = DetailedHTMLProps<AddressCodeAttributes, AddressCodeElement>;

declare module "react" {
	namespace JSX {
		interface IntrinsicElements {
			"address-code": AddressCodeProps;
		}
	}
}
