/** An element with properties and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
	name: Name,
	properties: { readonly [Property in keyof HTMLElementTagNameMap[Name]]?: unknown } = {},
	...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
	const made = Object.assign(document.createElement(name), properties);
	made.append(...children);
	return made;
}
