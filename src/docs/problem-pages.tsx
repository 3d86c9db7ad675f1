import { type ProblemCode, problemTable } from "../errors.ts";
import { errorsOf } from "../http/endpoint.ts";
import { api, endpointPath } from "./chapters.ts";
import { type DocsPage, Prose } from "./docs-layout.tsx";
import { problemHelp } from "./problem-help.ts";

/** The code of every error. */
export const problemCodes = Object.keys(problemTable) as ProblemCode[];

/** The page that the `type` of a problem leads to: what the error means and how to fix it. */
export function problemPage(code: ProblemCode): DocsPage {
	const { status, title } = problemTable[code];
	const { happened, fix } = problemHelp[code];
	const from = api.endpoints.filter((endpoint) => errorsOf(endpoint).includes(code));
	return {
		title: `${title} (${code})`,
		description: `${happened.split(/(?<=\.) /)[0]} How to fix it.`,
		path: `/problems/${code}`,
		body: (
			<>
				<h1>{title}</h1>
				<p class="soft">
					Status {status}, code <code>{code}</code>
				</p>
				<h2>What happened</h2>
				<p>
					<Prose text={happened} />
				</p>
				<h2>How to fix it</h2>
				<p>
					<Prose text={fix} />
				</p>
				{from.length > 0 ? (
					<>
						<h2>Where it comes from</h2>
						<ul>
							{from.map(({ id, tag, summary }) => (
								<li>
									<a href={endpointPath({ tag, id })}>{summary}</a>
								</li>
							))}
						</ul>
					</>
				) : null}
			</>
		),
	};
}

/** The page that lists all errors. */
export function problemList(): DocsPage {
	return {
		title: "Errors of the address registry",
		description: "Every error of the API, what it means and how to fix it.",
		path: "/problems",
		body: (
			<>
				<h1>Errors</h1>
				<p>
					Errors are <code>application/problem+json</code> (RFC 9457). Branch on <code>code</code>, which never changes;
					show <code>detail</code> to people; quote <code>instance</code> when asking for help.
				</p>
				<dl>
					{problemCodes.map((code) => (
						<>
							<dt>
								<a href={`/problems/${code}`}>{code}</a> <span class="soft">{problemTable[code].status}</span>
							</dt>
							<dd>{problemTable[code].title}.</dd>
						</>
					))}
				</dl>
			</>
		),
	};
}
