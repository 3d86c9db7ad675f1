/** Makes what takes long for the first who asks for it, and gives it to all who ask after. None of them may change it. */
export function once<Made>(make: () => Made): () => Made {
	let made: { value: Made } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}
