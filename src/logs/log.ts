/** Logs one structured line: an event name and fields, which must hold no secret, token or full phone number. */
export function log(level: "info" | "warn" | "error", event: string, fields: Record<string, unknown> = {}): void {
	console[level](JSON.stringify({ level, event, ...fields }));
}
