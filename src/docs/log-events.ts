/** What an event of the log tells an operator, in Markdown. */
export interface LogEvent {
	/** The level of its lines, or when it has which. */
	level: string;
	meaning: string;
	/** What to do about it, where there is something to do. */
	action?: string;
}

/** Every event that the registry logs. The table of src/docs/guides/log.md is made of it. */
export const logEvents: Readonly<Record<string, LogEvent>> = {
	request: {
		level: "info",
		meaning: "a request was answered: method, route, status and milliseconds; off unless `LOG_REQUESTS` is set",
	},
	cleaned_up: {
		level: "info",
		meaning:
			"the hourly clean-up is done. The line says how many expired rows of each kind it deleted, what is left `unfinished`, and how large the database is",
	},
	clean_up_failed: {
		level: "error",
		meaning: "one kind could not be deleted; the others were",
		action: "the next hour tries again; look at `causes` if it fails twice",
	},
	snapshot_made: { level: "info", meaning: "the snapshot of the day is finished: its addresses and parts" },
	database_filling: {
		level: "warn",
		meaning: "the database holds more than 8 of the 10 GB that D1 allows",
		action: "see [When the database fills up](operate.md#when-the-database-fills-up)",
	},
	incident: {
		level: "warn, or info when it has ended",
		meaning: "an incident has begun, lasts for another day or has ended; `ALERT_URL` gets the same",
		action: "see [Watch the registry](operate.md#watch-the-registry)",
	},
	alert_not_sent: {
		level: "error",
		meaning: "`ALERT_URL` did not take an alert within 5 seconds; the next hour tries again",
	},
	misconfigured: {
		level: "error",
		meaning: "a setting is missing or wrong, and all requests answer 503",
		action: "fix the setting that `message` names",
	},
	unexpected_error: {
		level: "error",
		meaning: "a request failed and answered 500 or 503",
		action: "look at `causes`",
	},
	zone_index_unavailable: {
		level: "error",
		meaning: "zones could not be looked up, and the request answered 503",
		action: "look at `reason`; if it lasts, deploy the index again",
	},
	data_file_unreadable: {
		level: "error",
		meaning:
			"a data file of the deployment could not be read: the filter of common passwords, the numbering plans of phones, the letters of PNG cards, or the texts of a language. Pages of that language are then in English",
		action: "run `npm run deploy`",
	},
	zone_index_copy_used: {
		level: "error",
		meaning: "the bucket has no valid index, and the copy in the deployment served",
		action: "run `npm run deploy`",
	},
	basemap_unavailable: {
		level: "warn",
		meaning: "the base map could not be read or drawn in time, and a page went without it",
		action: "check the archive with `pmtiles show`",
	},
	edge_cache_unavailable: {
		level: "warn",
		meaning: "the cache failed; the request went to the database",
	},
	rate_limit_unavailable: {
		level: "error",
		meaning: "a rate limit failed, and the request passed uncounted",
	},
	stale_address_served: {
		level: "warn",
		meaning: "the database did not answer, and a cached address was served instead",
	},
	journal_not_written: {
		level: "error",
		meaning: "new or changed addresses are not in the journal yet, which a restore reads",
		action: "the next hour writes them; look at `causes` if it lasts, and make a backup",
	},
	journal_maintained: {
		level: "info",
		meaning: "the hourly job wrote what was missing in the journal, and pruned what a verified backup holds",
	},
	purge_refused: {
		level: "warn",
		meaning:
			"Workers Cache refused to drop changed addresses, as it does past five calls a minute; they expire there within a minute",
	},
	operator_refused: {
		level: "warn",
		meaning:
			"somebody came to the endpoints or pages of operators with a token that is wrong, expired or not an operator's",
		action: "if it repeats and is none of your operators, find out from your identity provider who it is",
	},
	operator_acted: {
		level: "info",
		meaning: "an operator did what `act` says. The record of acts says who did it, to whom and why",
	},
	key_use_not_noted: {
		level: "error",
		meaning: "the time of last use was not written; the request was answered",
	},
	session_use_not_noted: {
		level: "error",
		meaning: "the time of last use was not written; the request was answered",
	},
	web_url_unset: {
		level: "warn",
		meaning: "answers with links are not cached",
		action: "set `WEB_URL`",
	},
	signed_up: {
		level: "info",
		meaning: "an account was opened; `by` says with which proof",
	},
	signed_in: {
		level: "info",
		meaning: "somebody signed in to an account; `by` says with which proof",
	},
	password_changed: {
		level: "info",
		meaning: "the password of an account was changed; `by` says with which proof",
	},
	recovery_code_created: {
		level: "info",
		meaning: "the holder of an account created a recovery code",
	},
	account_closed: {
		level: "info",
		meaning: "the holder of an account closed it",
	},
	sign_in_failed: {
		level: "info",
		meaning: "a password or a recovery code was wrong",
	},
	sign_in_locked: {
		level: "warn",
		meaning: "a sign-in was refused after too many failures; `limit` names the limit",
		action: "many from one `network` mean an attack: see [Limits](limits.md)",
	},
	phone_verified: {
		level: "info",
		meaning: "a phone number was verified; `replaced` says whether it replaced another",
	},
	phone_pending: {
		level: "warn",
		meaning: "an agent attested a number that is not the account's; it waits for the holder",
		action: "many from one `agent` may be numbers that nobody asked for: look at what else they did",
	},
	phone_declined: {
		level: "warn",
		meaning: "a holder declined the number that an agent attested",
		action: "look at the `agent`",
	},
	phone_claimed: {
		level: "warn",
		meaning: "a holder accepted a number that another account has; that account has seven days' notice",
	},
	phone_claim_objected: {
		level: "warn",
		meaning: "the account that has a number objected to its passing to another",
		action: "ask both, then decide: `GET /v1/operator/pending-phones` lists them",
	},
	agent_too_fast: {
		level: "warn",
		meaning: "an agent attested at two places that are farther apart than 120 km/h allow",
		action: "ask the `agent`: their account shows where they stood",
	},
	agent_too_far: {
		level: "warn",
		meaning: "an agent wanted to attest an address from too far away, `metres` from its pin",
		action: "many from one `agent` may mean that they attest what they have not seen",
	},
	address_attested: {
		level: "info",
		meaning: "an agent attested an address",
	},
	key_created: {
		level: "info",
		meaning: "an API key was created",
	},
	key_revoked: {
		level: "info",
		meaning: "an API key was revoked",
	},
	refused: {
		level: "info for a 401, else warn",
		meaning: "a request was refused: no valid credential, no right to do this, or a limit; `code` says which",
	},
	refresh_token_refused: {
		level: "info, or warn for a replay",
		meaning: "a refresh token was refused; a replayed one ended its session",
		action: "many replays mean a bug in a client, or theft",
	},
	form_refused: {
		level: "warn",
		meaning:
			"the console or a page for operators refused a form: it came from another site, or its sender may not do this",
	},
	enumeration: {
		level: "warn",
		meaning: "a caller asked for too many codes that do not exist; `zone` names the last one's zone",
		action: "see [What remains possible](security.md#what-remains-possible)",
	},
	many_new_addresses: {
		level: "warn",
		meaning: "more than 500 addresses were created today in one zone, which `zone` names",
		action:
			"find who created the zone's newest codes: do they survey it, or fill it? The feed of changes names the codes",
	},
	country_filling: {
		level: "warn",
		meaning: "a country has opened at least 80 % of its additional zone numbers",
		action: "run `npm run zones:simulate`",
	},
	zone_full: {
		level: "warn",
		meaning: "a zone and all numbers that its country has left are full, and a creation answered 409",
		action: "see [the zones](../../../zones/README.md)",
	},
};
