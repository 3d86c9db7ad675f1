import type { Database } from "./open.ts";
import { inOneTripBehind, type ResultOf, type Statement, type Statements } from "./statement.ts";

/** What a credential's check finds. */
interface Proved {
	userId: string;
	/** Of an API key. */
	id?: string;
	isSandbox?: 0 | 1 | null;
	scopes?: readonly string[] | null;
}

/** How a credential is proved against the database. */
export interface Credential<Found extends Proved> {
	/** The database of accounts. */
	db: Database;
	/** Finds whom the credential speaks for, or refuses. */
	check: Statement<Found[]>;
	/** The user, where the credential itself tells it. */
	userId: string | undefined;
	/** What limits know the caller by, before anybody has proved them. */
	countedBy: string;
	/** Called each time the check has passed. */
	proved?: (found: Found) => void;
}

/** Makes statements for a user, and for the sandbox or not. */
type Making<Work> = (userId: string, isSandbox: boolean) => Work;

/**
 * Whoever calls with a credential that looks genuine and that only the database can prove. The check runs in front of the caller's
 * own statements, in the same trip and transaction, so that they do nothing where it refuses.
 */
export interface Caller {
	/**
	 * The user, once a trip has proved the credential.
	 * @throws Error before that, so that no endpoint answers a caller whom nobody has proved.
	 */
	readonly userId: string;
	/** Whether a trip has proved the credential. */
	readonly isProved: boolean;
	/** What an API key may do, once a trip has proved it; empty for a person. */
	readonly scopes: readonly string[];
	/** The id of an API key, once a trip has proved it; undefined for a person. */
	readonly keyId: string | undefined;
	/** What limits know the caller by: the session of an access token, or the key itself. It proves nothing. */
	readonly countedBy: string;
	/** The same for what agents alone may do, where the credential is a person's: its trips refuse anybody else. */
	agent?: () => Caller;
	/**
	 * Runs a statement, or several by name, behind the check. Those that are made for the user, and for the sandbox or not, take one more trip
	 * where the credential does not tell its user.
	 * @throws AppError where the check refuses; besides, what the statements throw.
	 */
	run<const Work extends Statement | Statements>(db: Database, work: Work | Making<Work>): Promise<ResultOf<Work>>;
	/**
	 * Runs the check alone.
	 * @throws AppError where it refuses.
	 */
	prove(): Promise<void>;
	/** The user whom statements are to be made for: as the credential tells, or else as a trip proves. */
	user(): Promise<string>;
	/** Whether the credential writes sandbox addresses, and those alone: as a trip tells where the credential does not. */
	isSandbox(): Promise<boolean>;
}

/** A caller by a credential that nobody has proved yet. */
export function createCaller<Found extends Proved>(credential: Credential<Found>): Caller {
	const { db: accounts, check, proved } = credential;
	let found: Found | undefined;

	async function run<Work extends Statement | Statements>(
		db: Database,
		work: Work | Making<Work>,
	): Promise<ResultOf<Work>> {
		if (db !== accounts) throw new Error("Statements of two databases cannot run together");
		const made =
			typeof work === "function" ? (work as Making<Work>)(await user(), found?.isSandbox === 1) : (work as Work);
		const { checked: [row] = [], result } = await inOneTripBehind(db, check, made);
		if (!row) throw new Error("The check of a credential found nobody and did not refuse");
		found = row;
		proved?.(row);
		return result;
	}

	async function prove(): Promise<void> {
		await run(accounts, {});
	}

	function provedUser(): string {
		if (!found) throw new Error("Nobody has proved this caller yet: run a statement of theirs first");
		return found.userId;
	}

	async function user(): Promise<string> {
		if (!credential.userId && !found) await prove();
		return credential.userId ?? provedUser();
	}

	return {
		countedBy: credential.countedBy,
		get userId() {
			return provedUser();
		},
		get scopes() {
			return found?.scopes ?? [];
		},
		get keyId() {
			return found?.id;
		},
		get isProved() {
			return found !== undefined;
		},
		run,
		prove,
		user,
		async isSandbox() {
			await user();
			return found?.isSandbox === 1;
		},
	};
}
