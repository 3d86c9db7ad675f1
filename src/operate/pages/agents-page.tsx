import { displayCode } from "../../codes/code.ts";
import type { AgentAtWork } from "../actions.ts";
import { Cards, Facts, when } from "./account-page.tsx";
import { OPERATE, type OperatorVisit, operatorPage } from "./operator-page.tsx";

/** Agents with what they did last. */
export function agentsPage(visit: OperatorVisit, agents: AgentAtWork[]): Response {
	return operatorPage(visit, {
		title: "Agents",
		body: (
			<Cards
				cards={agents.map(({ id, phone, suspendedAt, attested, attestedAt, lately, readAt }) => (
					<>
						<a href={`${OPERATE}/accounts/${id}`}>{phone ?? id}</a>
						<Facts
							facts={{
								Suspended: suspendedAt && when(suspendedAt),
								"Last attested": attested && attestedAt && `${displayCode(attested)}, ${when(attestedAt)}`,
								"Attested within a day": lately,
								"Last read a private address": readAt && when(readAt),
							}}
						/>
					</>
				))}
			/>
		),
	});
}
