/**
 * Lets every endpoint on the page be tried: fills in the path, sends what the fields hold and shows what came. A token that an answer holds
 * is put into the credential field, which nothing stores, and the code of a new address into the fields for codes.
 */
const shownHeaders =
	/^(cache-control|content-type|etag|location|ratelimit|ratelimit-policy|retry-after|vary|www-authenticate|x-request-id)$/;
const credential = document.querySelector<HTMLInputElement>("#credential")!;

type Field = HTMLInputElement | HTMLTextAreaElement;

/** The request that the fields of a form describe. */
function requestOf(form: HTMLFormElement): Request {
	const headers = new Headers();
	const query = new URLSearchParams();
	let { path = "" } = form.dataset;
	let body: string | undefined;
	for (const { name, value, dataset } of form.querySelectorAll<Field>("[name]")) {
		if (dataset.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
		else if (dataset.in === "body") {
			// A body that may be left out is left out while its field is empty.
			if (!value && dataset.optional !== undefined) continue;
			body = value;
			headers.set("Content-Type", "application/json");
		} else if (value && dataset.in === "query") query.set(name, value);
		else if (value) headers.set(name, value);
		// The browser may repeat a request whose answer was lost, and that must not create a second address.
		else if (name === "Idempotency-Key") headers.set(name, crypto.randomUUID());
	}
	if (credential.value) headers.set("Authorization", credential.value);
	const { method = "GET" } = form.dataset;
	const search = query.size > 0 ? `?${query}` : "";
	return new Request(path + search, {
		method,
		headers,
		credentials: "omit",
		cache: "no-store",
		...(body === undefined ? {} : { body }),
	});
}

/** Keeps what the next request needs: an access token, and the code of a new address where nothing else was typed. */
function keep(status: number, answer: { access?: string; display?: string }): void {
	if (answer.access) credential.value = `Bearer ${answer.access}`;
	if (status !== 201 || !answer.display) return;
	for (const field of document.querySelectorAll<Field>("[name=code],[name=canonical]")) {
		if (field.value === field.defaultValue) field.value = field.defaultValue = answer.display;
	}
}

/** The body as people read it: JSON with a line per field. */
function readable(status: number, text: string): string {
	try {
		const value = JSON.parse(text);
		keep(status, value);
		return JSON.stringify(value, null, 2);
	} catch {
		return text;
	}
}

document.addEventListener("submit", async (event) => {
	event.preventDefault();
	const form = event.target as HTMLFormElement;
	const output = form.querySelector("output")!;
	output.textContent = "Sending";
	try {
		const answer = await fetch(requestOf(form));
		const headers = [...answer.headers].filter(([name]) => shownHeaders.test(name)).map((header) => header.join(": "));
		const body = readable(answer.status, await answer.text());
		output.textContent = `${answer.status} ${answer.statusText}\n${headers.join("\n")}\n\n${body}`;
	} catch (error) {
		output.textContent = `No answer: ${(error as Error).message}`;
	}
});

for (const box of document.querySelectorAll<HTMLElement>("[hidden]")) box.hidden = false;
