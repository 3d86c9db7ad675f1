/**
 * Lets every endpoint on the page be tried in the sandbox: fills in the path, asks before it changes anything, sends what the fields
 * hold and shows the answer. Credentials are stored for the tab, so that they last from chapter to chapter.
 */
const shownHeaders =
	/^(cache-control|content-type|etag|location|ratelimit|ratelimit-policy|retry-after|vary|www-authenticate|x-request-id)$/;

type Field = HTMLInputElement | HTMLTextAreaElement;

/** A field whose value lasts as long as the tab. */
function rememberedField(id: string): HTMLInputElement {
	const field = document.querySelector<HTMLInputElement>(`#${id}`)!;
	field.value = sessionStorage.getItem(id) ?? "";
	field.addEventListener("input", () => sessionStorage.setItem(id, field.value));
	return field;
}

function remember(field: HTMLInputElement, value: string): void {
	field.value = value;
	sessionStorage.setItem(field.id, value);
}

const token = rememberedField("token");
const key = rememberedField("key");

/** A number that nobody has, so that the examples of registration and sign-in succeed. */
const phone = `+23480${crypto.getRandomValues(new Uint32Array(1))[0]!.toString().padStart(10, "0").slice(-8)}`;
for (const box of document.querySelectorAll("textarea")) box.value = box.value.replace("+2348031234567", phone);

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
	if (form.dataset.key !== undefined && key.value) headers.set("Authorization", `Api-Key ${key.value}`);
	else if (token.value) headers.set("Authorization", `Bearer ${token.value}`);
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

/** Remembers what the next request needs: an access token, a test key, and the code of a new address where nothing else was typed. */
function rememberAnswer(
	status: number,
	answer: { access?: string; display?: string; key?: string; mode?: string },
): void {
	if (answer.access) remember(token, answer.access);
	if (answer.key && answer.mode === "test") remember(key, answer.key);
	if (status !== 201 || !answer.display) return;
	for (const field of document.querySelectorAll<Field>("[name=code],[name=canonical]")) {
		if (field.value === field.defaultValue) field.value = field.defaultValue = answer.display;
	}
}

/** The body as people read it: JSON with a line per field. */
function readable(status: number, text: string): string {
	try {
		const value = JSON.parse(text);
		rememberAnswer(status, value);
		return JSON.stringify(value, null, 2);
	} catch {
		return text;
	}
}

/** Whether a request is to be sent now: one that changes something is sent when its button is pressed a second time. */
function isMeant(form: HTMLFormElement): boolean {
	const button = form.querySelector("button")!;
	if (form.dataset.asks === undefined || button.dataset.asked) {
		delete button.dataset.asked;
		button.textContent = "Try it";
		return true;
	}
	button.dataset.asked = "yes";
	button.textContent = `This changes data. Send ${form.dataset.method}?`;
	return false;
}

document.addEventListener("submit", async (event) => {
	event.preventDefault();
	const form = event.target as HTMLFormElement;
	if (!isMeant(form)) return;
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

/** Sends a JSON body and returns the answer. @throws Error with the reason of a refusal. */
async function post(path: string, body: object): Promise<{ access: string; key: string }> {
	const headers = {
		"Content-Type": "application/json",
		...(token.value ? { Authorization: `Bearer ${token.value}` } : {}),
	};
	const answer = await fetch(path, { method: "POST", headers, credentials: "omit", body: JSON.stringify(body) });
	const value = await answer.json();
	if (!answer.ok) throw new Error(value.detail);
	return value;
}

document.querySelector<HTMLButtonElement>("#sandbox")!.addEventListener("click", async ({ currentTarget }) => {
	const button = currentTarget as HTMLButtonElement;
	button.disabled = true;
	try {
		remember(token, "");
		const password = crypto.randomUUID();
		remember(token, (await post("/v1/auth/register", { phone, password })).access);
		const scopes = ["addresses:read", "addresses:write"];
		remember(key, (await post("/v1/keys", { name: "Documentation", mode: "test", scopes })).key);
		button.textContent = "You have a sandbox account";
	} catch (error) {
		button.textContent = (error as Error).message;
		button.disabled = false;
	}
});
