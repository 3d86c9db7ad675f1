import { vi } from "vitest";

/** A line of the log. */
export interface Line {
	level: string;
	event: string;
	request_id: string;
	[field: string]: unknown;
}

/** What is logged while something is done, as lines; of one event where it is named. */
export async function logged(work: () => Promise<unknown>, event?: string): Promise<Line[]> {
	const spies = (["info", "warn", "error"] as const).map((level) => vi.spyOn(console, level));
	try {
		await work();
		const texts = spies.flatMap((spy) => spy.mock.calls.map(([text]) => String(text)));
		const lines = texts.filter((text) => text.startsWith("{")).map((text) => JSON.parse(text) as Line);
		return event === undefined ? lines : lines.filter((line) => line.event === event);
	} finally {
		for (const spy of spies) spy.mockRestore();
	}
}
