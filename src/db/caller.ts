import type { AppError } from "../errors.ts";
import { refusalOf } from "./refusal.ts";
import { inOneTrip, type Results, type Statement } from "./statement.ts";

/** How a credential is proved against the database. */
export interface Credential<Found extends { userId: string }> {
	/** Finds whom the credential speaks for, or refuses. */
	check: Statement<Found[]>;
	/** The user, where the credential itself tells it. */
	userId: string | undefined;
	/** What limits count the caller by, before anybody has proved them. */
	countedBy: string;
	/** The errors for the check's refusals, by their reasons. */
	refusals: Readonly<Record<string, () => AppError>>;
	/** Called each time the check has passed. */
	proved?: (found: Found) => void;
}

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
	/** What limits count the caller by: the account of an access token, or the key itself. It proves nothing. */
	readonly countedBy: string;
	/**
	 * Runs statements behind the check; without any, only the check.
	 * @throws AppError where the check refuses; besides, what the statements throw.
	 */
	run<const Statements extends readonly Statement[]>(...statements: Statements): Promise<Results<Statements>>;
	/** The user whom statements are to be made for: as the credential tells, or else as a trip proves. */
	user(): Promise<string>;
	/**
	 * Runs statements that are made for the user, behind the check. It takes one more trip where the credential does not tell its user.
	 * @throws As `run` does.
	 */
	runAs<const Statements extends readonly Statement[]>(
		make: (userId: string) => Statements,
	): Promise<Results<Statements>>;
}

/** A caller by a credential that nobody has proved yet. */
export function createCaller<Found extends { userId: string }>(credential: Credential<Found>): Caller {
	const { check, refusals, proved } = credential;
	let found: Found | undefined;

	async function run<const Statements extends readonly Statement[]>(
		...statements: Statements
	): Promise<Results<Statements>> {
		if (statements.some(({ db }) => db !== check.db)) {
			// Another database cannot take part in the transaction, so the check goes ahead of it.
			await run();
			return inOneTrip(...statements);
		}
		try {
			const [[row], ...results] = (await inOneTrip(check, ...statements)) as [Found[], ...unknown[]];
			if (!row) throw new Error("The check of a credential found nobody and did not refuse");
			found = row;
			proved?.(row);
			return results as Results<Statements>;
		} catch (error) {
			throw refusals[refusalOf(error) ?? ""]?.() ?? error;
		}
	}

	function provedUser(): string {
		if (!found) throw new Error("Nobody has proved this caller yet: run a statement of theirs first");
		return found.userId;
	}

	async function user(): Promise<string> {
		if (!credential.userId && !found) await run();
		return credential.userId ?? provedUser();
	}

	return {
		countedBy: credential.countedBy,
		get userId() {
			return provedUser();
		},
		run,
		user,
		async runAs(make) {
			return run(...make(await user()));
		},
	};
}
