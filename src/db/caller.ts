import type { Database } from "./open.ts";
import {
	inOneTrip,
	inOneTripBehind,
	isStatement,
	type ResultOf,
	type Statement,
	type Statements,
} from "./statement.ts";

/** What a credential's check finds. */
interface Proved {
	userId: string;
	/** Of an API key. */
	id?: string;
	isSandbox?: 0 | 1 | null;
	scopes?: readonly string[] | null;
	/** The names of the databases in which the user has or had addresses besides that of accounts, separated by spaces. */
	places?: string | null;
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
	/** Keeps what the caller spends in the database of accounts for writes in another. */
	holding: Holding;
	/** Called each time the check has passed. */
	proved?: (found: Found) => void;
}

/** Spends in the database of accounts for a write in another, and gives back where that comes to nothing. */
export interface Holding {
	spend<Written>(write: {
		/** For whom; empty for nobody who has an account. */
		userId: string;
		spending: Statements;
		/** Runs statements in the database of accounts. */
		run(statements: Statements): Promise<Record<string, unknown>>;
		/** Writes in the other. What was spent is given back where nothing is written, and where it throws an AppError. */
		write(): Promise<{ written: Written; isWritten: boolean }>;
	}): Promise<{ spent: Record<string, unknown>; written: Written }>;
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
	/** The names of the databases in which the user has or had addresses besides that of accounts, separated by spaces, once proved. */
	readonly places: string;
	/** The id of an API key, once a trip has proved it; undefined for a person. */
	readonly keyId: string | undefined;
	/** What limits know the caller by: the session of an access token, or the key itself. It proves nothing. */
	readonly countedBy: string;
	/** The same for what agents alone may do, where the credential is a person's: its trips refuse anybody else. */
	agent?: () => Caller;
	/**
	 * Runs a statement, or several by name, behind the check. Those that are made for the user, and for the sandbox or not, take one more trip
	 * where the credential does not tell its user. In another database than that of accounts, reads run beside the check, which judges first;
	 * writes run behind it, and behind what they spend in the database of accounts, which they give back where they come to nothing.
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

/** The name of a statement that is alone. */
const ALONE = "alone";

/**
 * The statements of the database of accounts among some, and the others; and whether these have written what those are spent for: the
 * statement in front of the first that spends.
 */
function partsOf(work: Statement | Statements) {
	const named = Object.entries(isStatement(work) ? { [ALONE]: work } : work);
	const firstSpending = named.findIndex(([, { isOfAccounts, isRead }]) => isOfAccounts && !isRead);
	const [inFront = ""] = named[firstSpending - 1] ?? [];
	return {
		here: Object.fromEntries(named.filter(([, { isOfAccounts }]) => isOfAccounts)),
		there: Object.fromEntries(named.filter(([, { isOfAccounts }]) => !isOfAccounts)),
		hasWritten(results: Record<string, unknown>): boolean {
			const { [inFront]: result } = results;
			return Array.isArray(result) ? result.length > 0 : Number(result) > 0;
		},
	};
}

/** A caller by a credential that nobody has proved yet. */
export function createCaller<Found extends Proved>(credential: Credential<Found>): Caller {
	const { db: accounts, check, proved } = credential;
	let found: Found | undefined;

	async function run<Work extends Statement | Statements>(
		db: Database,
		work: Work | Making<Work>,
	): Promise<ResultOf<Work>> {
		const made =
			typeof work === "function" ? (work as Making<Work>)(await user(), found?.isSandbox === 1) : (work as Work);
		return db === accounts ? runHere(made) : runApart(db, made);
	}

	async function runHere<Work extends Statement | Statements>(work: Work): Promise<ResultOf<Work>> {
		const { checked: [row] = [], result } = await inOneTripBehind(accounts, check, work);
		if (!row) throw new Error("The check of a credential found nobody and did not refuse");
		found = row;
		proved?.(row);
		return result;
	}

	async function runApart<Work extends Statement | Statements>(db: Database, work: Work): Promise<ResultOf<Work>> {
		const { here, there, hasWritten } = partsOf(work);
		const isWriting = Object.values(there).some(({ isRead }) => !isRead);
		const together = (ofHere: object, ofThere: object) => {
			const { [ALONE]: alone, ...named } = { ...ofHere, ...ofThere } as Record<string, unknown>;
			return (alone ?? named) as ResultOf<Work>;
		};
		if (!isWriting) {
			const [checked, read] = await Promise.allSettled([runHere(here), inOneTrip(db, there)]);
			// Whoever is refused learns nothing of what was read, nor that it could not be.
			if (checked.status === "rejected") throw checked.reason;
			if (read.status === "rejected") throw read.reason;
			return together(checked.value, read.value);
		}
		if (Object.values(here).every(({ isRead }) => isRead))
			return together(await runHere(here), await inOneTrip(db, there));
		const { spent, written } = await credential.holding.spend({
			userId: await user(),
			spending: here,
			run: runHere,
			async write() {
				const written = await inOneTrip(db, there);
				return { written, isWritten: hasWritten(written) };
			},
		});
		return together(spent, written);
	}

	async function prove(): Promise<void> {
		await runHere({});
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
		get places() {
			return found?.places ?? "";
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
