import { codeOfSerial } from "../../src/codes/code.ts";

/** A code under which nothing was issued. */
export function unknownCode(unit: number): string {
	for (let at = unit; ; at += 1) {
		const code = codeOfSerial("ZW", "0001", at % 10_000);
		if (code) return code;
	}
}

/** Takes down what does not hold, and goes on. */
export class Findings {
	readonly failures: string[] = [];
	checks = 0;

	check(holds: boolean, claim: string): void {
		this.checks += 1;
		if (holds) return;
		this.failures.push(claim);
		console.log(`!!! ${claim}`);
	}
}
