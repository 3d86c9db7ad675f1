import type { PendingPhone } from "../../accounts/operator-actions.ts";
import { PendingPhoneCard } from "./account-page.tsx";
import { type OperatorVisit, operatorPage } from "./operator-page.tsx";

/** Numbers that their accounts have accepted and that another account has. */
export function pendingPhonesPage(visit: OperatorVisit, pending: PendingPhone[]): Response {
	return operatorPage(visit, {
		title: "Phone numbers that wait",
		body: (
			<>
				<p>
					An agent attested these numbers and the holders accepted them, while another account has them. Decide on those
					whose account objected, or was not signed in to for seven days.
				</p>
				{pending.length === 0 ? <p>None.</p> : null}
				{pending.map((one) => (
					<section>
						<PendingPhoneCard pending={one} />
					</section>
				))}
			</>
		),
	});
}
