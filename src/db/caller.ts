import type { AppError } from "../errors.ts";
import type { Database } from "./open.ts";
import { assertUnchanged } from "./refusal.ts";
import {
	inOneTrip,
	inOneTripBehind,
	isStatement,
	type ResultOf,
	type Statement,
	type Statements,
} from "./statement.ts";

/** The result of checking a credential. */
interface Proved {
	userId: string;
	/** The id of an API key; with it, whether it writes only sandbox addresses, and its scopes. */
	id?: string;
	isSandbox?: 0 | 1 | null;
	scopes?: readonly string[] | null;
	/** The names of the databases in which the user has or had addresses besides that of accounts, separated by spaces. */
	places?: string | null;
}

/** How a credential is verified against the database. */
interface CredentialCheck<Found extends Proved> {
	/** The database of accounts. */
	db: Database;
	/** Finds the user of the credential, or refuses. */
	check: Statement<Found[]>;
	/** The user, where the credential itself names one. */
	userId: string | undefined;
	/** The key that rate limits count the caller under. It is not verified. */
	countedBy: string;
	/** Reserves in the database of accounts what the caller spends for writes in another. */
	holding: Holding;
	/** Called each time the check has passed. */
	proved?: (found: Found) => void;
}

/** Spends in the database of accounts for a write in another, and gives it back if nothing is written. */
export interface Holding {
	spend<Written>(write: {
		/** For whom; empty for nobody who has an account. */
		userId: string;
		spending: Statements;
		/** Runs statements in the database of accounts. */
		run(statements: Statements): Promise<Record<string, unknown>>;
		/**
		 * Writes in the other. What was spent is given back where nothing is written, and where it throws an AppError.
		 * @param refusal What it throws, and writes nothing, where something would be written, because nothing is left to spend.
		 */
		write(refusal?: AppError): Promise<{ written: Written; isWritten: boolean }>;
	}): Promise<{ spent: Record<string, unknown>; written: Written }>;
}

/** Makes statements for a user, and for the sandbox or not. */
type Making<Work> = (userId: string, isSandbox: boolean) => Work;

/**
 * A caller with a well-formed credential that only the database can verify. The check runs before the caller's own statements, in the
 * same round trip and transaction, so that they do nothing if it fails.
 */
export interface Caller {
	/**
	 * The user, once the credential is verified.
	 * @throws Error before that, so that no endpoint answers an unverified caller.
	 */
	readonly userId: string;
	/** Whether the credential is verified. */
	readonly isProved: boolean;
	/** The scopes of an API key, once it is verified; empty for a person. */
	readonly scopes: readonly string[];
	/** The names of the databases in which the user has or had addresses besides that of accounts, separated by spaces, once verified. */
	readonly places: string;
	/** The id of an API key, once it is verified; undefined for a person. */
	readonly keyId: string | undefined;
	/** The key that rate limits count the caller under: the session of an access token, or the API key. It is not verified. */
	readonly countedBy: string;
	/** The same caller for what only agents may do: statements refuse anybody else. */
	agent?: () => Caller;
	/**
	 * Runs a statement, or several by name, after the check. Statements that depend on the user or the sandbox take one more round trip if
	 * the credential does not name its user. In a database other than that of accounts, reads run in parallel with the check; writes run
	 * after it, and after what they spend is reserved in the database of accounts. A reservation is released if the write fails.
	 * @throws AppError if the check fails, and whatever the statements throw.
	 */
	run<const Work extends Statement | Statements>(db: Database, work: Work | Making<Work>): Promise<ResultOf<Work>>;
	/**
	 * Runs the check alone.
	 * @throws AppError where it refuses.
	 */
	prove(): Promise<void>;
	/** The user to build statements for: as the credential names it, or else from the check. */
	user(): Promise<string>;
	/** Whether the credential writes only sandbox addresses: from the check, if the credential does not tell. */
	isSandbox(): Promise<boolean>;
}

/** The name given to a single statement. */
const ALONE = "alone";

/**
 * The statements of the database of accounts among some, and the others; and whether these have written what those are spent for: the
 * statement in front of the first that spends.
 */
function partsOf(work: Statement | Statements) {
	const named = Object.entries(isStatement(work) ? { [ALONE]: work } : work);
	const firstSpending = named.findIndex(([, { isOfAccounts, isRead }]) => isOfAccounts && !isRead);
	const [inFront = ""] = named[firstSpending - 1] ?? [];
	const there = named.filter(([, { isOfAccounts }]) => !isOfAccounts);
	return {
		here: Object.fromEntries(named.filter(([, { isOfAccounts }]) => isOfAccounts)),
		there: Object.fromEntries(there),
		/** Those of the other database, which throw an error where they would write what is spent for. */
		thereUnlessWritten(error: AppError): Statements {
			const proving = ["isUnchanged", assertUnchanged({}, () => error)] as const;
			return Object.fromEntries(there.flatMap((one) => (one[0] === inFront ? [one, proving] : [one])));
		},
		hasWritten(results: Record<string, unknown>): boolean {
			const { [inFront]: result } = results;
			return Array.isArray(result) ? result.length > 0 : Number(result) > 0;
		},
	};
}

/** A caller whose credential is not verified yet. */
export function createCaller<Found extends Proved>(credential: CredentialCheck<Found>): Caller {
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
		const { here, there, thereUnlessWritten, hasWritten } = partsOf(work);
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
			async write(refusal) {
				const written = await inOneTrip(db, refusal ? thereUnlessWritten(refusal) : there);
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
