import { raw } from "hono/html";
import { plateSvg } from "../print/plate.ts";

/** The plate of a code, and beside it the code as text, which is found, copied and read aloud. */
export function Plate({ display }: { display: string }) {
	return (
		<>
			<span class="unseen" dir="ltr">
				{display}
			</span>
			{raw(plateSvg(display))}
		</>
	);
}
