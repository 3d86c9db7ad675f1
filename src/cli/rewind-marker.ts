/** Notes in the folder of a saved state that a registry is going back in time, so that an interrupted return continues from there. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { writePrivately } from "./backup.ts";

/**
 * A file in the folder of the saved state, from before the registry goes back in time until everything newer has been put back. Meanwhile
 * newer accounts and reports exist in that folder alone.
 */
const GOING_BACK = "going-back.json";

interface Return {
	/** In milliseconds since the epoch. */
	moment: number;
	/** Whether the database has been taken back. */
	isBack: boolean;
	/** Whether it had been rolled back by other means before, so that what was saved of it is no news. */
	isBehind?: boolean;
}

export function markReturn(folder: string, state: Return): void {
	writePrivately(path.join(folder, GOING_BACK), JSON.stringify(state));
}

export function readReturn(folder: string): Return | undefined {
	const file = path.join(folder, GOING_BACK);
	return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

/**
 * The folder from which an interrupted return continues; undefined if none was interrupted.
 * @param folders Folders of saved states.
 * @param moment What the registry is to go back to; undefined for a backup.
 * @throws Error if the interrupted return goes to another moment.
 */
export function interruptedReturn(folders: string[], moment?: number): string | undefined {
	const returns = folders.flatMap((folder) =>
		[folder, ...foldersIn(folder)].flatMap((own) => {
			const going = readReturn(own);
			return going ? [{ folder, own, moment: going.moment }] : [];
		}),
	);
	const other = returns.find((going) => going.moment !== moment);
	if (!other) return returns[0]?.folder;
	throw new Error(
		`A restore to ${new Date(other.moment).toISOString()} was interrupted. Only ${other.own} contains what is newer: finish that restore first, with --to and that time. To abandon it, delete ${GOING_BACK} there.`,
	);
}

function foldersIn(folder: string): string[] {
	const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
	return entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(folder, name));
}

/** Takes the note away, once everything newer has been put back. */
export function endReturn(folder: string): void {
	rmSync(path.join(folder, GOING_BACK), { force: true });
}
