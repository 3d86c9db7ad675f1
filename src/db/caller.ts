import type { Database } from "./open.ts";
import {
	inOneTrip,
	isStatement,
	partByDatabase,
	type ResultOf,
	type Standing,
	type Statement,
	type Statements,
} from "./statement.ts";

/** The result of checking a credential. */
interface Proved extends Standing {
	userId: string;
	/** The id of an API key; with it, whether it writes only sandbox addresses, and its scopes. */
	id?: string;
	isSandbox?: 0 | 1 | null;
	scopes?: readonly string[] | null;
	/** The names of the databases in which the user has or had addresses besides that of accounts, separated by spaces. */
	databaseNames?: string | null;
}

/** How a credential is verified against the database. */
interface CredentialCheck<Found extends Proved> {
	/** Finds the user of the credential, or refuses. */
	check: Statement<Found[]>;
	/** The user, where the credential itself names one. */
	userId: string | undefined;
	/** The key that rate limits count the caller under. It is not verified. */
	countedBy: string;
	/** Called each time the check has passed. */
	proved?: (found: Found) => void;
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
	readonly databaseNames: string;
	/** The id of an API key, once it is verified; undefined for a person. */
	readonly keyId: string | undefined;
	/** The key that rate limits count the caller under: the session of an access token, or the API key. It is not verified. */
	readonly countedBy: string;
	/** The same caller for what only agents may do: statements refuse anybody else. */
	agent?: () => Caller;
	/**
	 * Runs a statement, or several by name, after the check. Statements that depend on the user or the sandbox take one more round trip if
	 * the credential does not name its user. In a database other than that of accounts, reads run in parallel with the check. Writes run
	 * after it, and after those statements of the batch that belong to accounts; later writes do not ask again.
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

/** The names of a single statement, and of the check. */
const ALONE = "alone";
const CHECK = "check of the credential";

/** A caller whose credential is not verified yet. */
export function createCaller<Found extends Proved>(
	accounts: { readonly database: Database },
	credential: CredentialCheck<Found>,
): Caller {
	const { check, proved } = credential;
	let found: Found | undefined;

	async function run<Work extends Statement | Statements>(
		db: Database,
		work: Work | Making<Work>,
	): Promise<ResultOf<Work>> {
		const made =
			typeof work === "function" ? (work as Making<Work>)(await user(), found?.isSandbox === 1) : (work as Work);
		const statements: Statements = isStatement(made) ? { [ALONE]: made } : (made as Statements);
		const { [ALONE]: alone, ...results } = await (db === accounts.database
			? runHere(statements)
			: runApart(db, statements));
		return (isStatement(made) ? alone : results) as ResultOf<Work>;
	}

	async function runHere(statements: Statements): Promise<Record<string, unknown>> {
		const { [CHECK]: checked, ...results } = await inOneTrip(accounts.database, { [CHECK]: check, ...statements });
		const [row] = checked as Found[];
		if (!row) throw new Error("The check of a credential found nobody and did not refuse");
		found = row;
		proved?.(row);
		return results;
	}

	async function runApart(db: Database, statements: Statements): Promise<Record<string, unknown>> {
		const { ofAccounts, others } = partByDatabase(statements);
		if (Object.values(others).every(({ isRead }) => isRead)) {
			const [checked, read] = await Promise.allSettled([runHere(ofAccounts), inOneTrip(db, others)]);
			// Whoever is refused learns nothing of what was read, nor that it could not be.
			if (checked.status === "rejected") throw checked.reason;
			if (read.status === "rejected") throw read.reason;
			return { ...checked.value, ...read.value };
		}
		const done = found && Object.keys(ofAccounts).length === 0 ? {} : await runHere(ofAccounts);
		return { ...done, ...(await inOneTrip(db, others, found)) };
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
		get databaseNames() {
			return found?.databaseNames ?? "";
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
