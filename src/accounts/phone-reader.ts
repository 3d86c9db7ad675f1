/**
 * Phone numbers are read by a module that an isolate loads with the first one. The library's plans of all countries are a quarter of the
 * code, and most isolates only resolve: without them, one takes 8 % less CPU and 13 % less memory to start (test/bench/isolates.ts).
 */
const reader = () => import("./phone.ts");

/** As parsePhone of phone.ts. */
export async function readPhone(input: string): Promise<string> {
	return (await reader()).parsePhone(input);
}

/** As assertSmsNumber of phone.ts. */
export async function callingCodeForSms(
	...asked: Parameters<Awaited<ReturnType<typeof reader>>["assertSmsNumber"]>
): Promise<string> {
	return (await reader()).assertSmsNumber(...asked);
}
