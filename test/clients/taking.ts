/** Takes answers down by name, each of which must be a success. */
export function taking() {
	const done: string[] = [];
	const must = <Data, Failure extends { code?: string; detail?: string }>(
		name: string,
		{ data, error }: { data?: Data; error?: Failure },
	): Data => {
		if (error || data === undefined) throw new Error(`${name}: ${error?.code} ${error?.detail}`);
		done.push(name);
		return data;
	};
	return { done, must };
}
