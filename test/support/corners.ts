/** Corners as well-known text has them: `28 -29, 28.1 -29.5`. */
export function corners(text: string): [x: number, y: number][] {
	return text.split(", ").map((corner) => corner.split(" ").map(Number) as [number, number]);
}

/** The four corners of a rectangle, from its south-western one on counter-clockwise. */
export function rectangle(west: number, south: number, east: number, north: number): [x: number, y: number][] {
	return corners(`${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}`);
}
