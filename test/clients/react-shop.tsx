import "address-registry/react";
import type { AddressCodeElement, AddressCodeProps } from "address-registry/react";
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";

/** A shop's form, whose state holds what is typed: the field is set to it at every key. */
function Shop({ registry }: { registry: string }) {
	const [code, setCode] = useState("");
	const keep: NonNullable<AddressCodeProps["onInput"]> = ({ currentTarget }) => setCode(currentTarget.value);
	const found = (field: AddressCodeElement | null) => field?.address?.label;
	return (
		<form method="post" action="/order">
			<address-code
				name="delivery"
				registry={registry}
				required
				details
				value={code}
				onInput={keep}
				ref={(field) => void found(field)}
			/>
			<button type="submit">Order</button>
			<p id="typed">{code}</p>
		</form>
	);
}

const root = document.querySelector<HTMLElement>("#shop");
if (root)
	createRoot(root).render(
		<StrictMode>
			<Shop registry={root.dataset.registry ?? ""} />
		</StrictMode>,
	);
