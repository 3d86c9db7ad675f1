/** The attributes of `<address-code>`, for the types of frameworks. */
export interface FieldAttributes {
	name?: string;
	value?: string;
	/** The text of the label, in place of the element's own. */
	label?: string;
	/** The origin of the registry, such as `https://addr.example`. */
	registry?: string;
	required?: boolean;
	disabled?: boolean;
	/** Whether it asks for a unit and a note too. */
	details?: boolean;
	/** Whether whoever has no code yet can get one, in a tab of the registry. */
	give?: boolean;
	placeholder?: string;
	/** The id of the form that the field belongs to, where it stands elsewhere. */
	form?: string;
}
