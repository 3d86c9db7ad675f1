/** Requests over a few kept-alive connections, and what they cost a process. */
import { readdirSync, readFileSync } from "node:fs";
import { Agent, type OutgoingHttpHeaders, request } from "node:http";

/** Connections that are busy at once. */
const CONNECTIONS = 16;

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

/** A request and the status that it is to get. */
export interface Shot {
	url: string;
	method?: string;
	headers?: OutgoingHttpHeaders;
	body?: string;
	status: number;
}

/**
 * Sends one request.
 * @returns The bytes of the body that came, and the headers as they came, name and value in turn.
 * @throws Error when another status comes than the one expected.
 */
export function shoot(shot: Shot): Promise<{ body: Buffer; rawHeaders: string[] }> {
	const { url, method = "GET", headers = {}, body, status } = shot;
	return new Promise((resolve, reject) => {
		const length = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
		const sent = request(url, { agent, method, headers: { ...headers, ...length } }, (answer) => {
			const chunks: Buffer[] = [];
			answer.on("data", (chunk: Buffer) => chunks.push(chunk));
			answer.on("error", reject);
			answer.on("end", () => {
				const whole = Buffer.concat(chunks);
				if (answer.statusCode === status) resolve({ body: whole, rawHeaders: answer.rawHeaders });
				else
					reject(
						new Error(`${method} ${url}: ${answer.statusCode} and not ${status}: ${whole.toString().slice(0, 300)}`),
					);
			});
		});
		sent.on("error", (error: NodeJS.ErrnoException) => {
			// workerd closes connections that were idle for a while, and nobody has read what was sent on one.
			if (sent.reusedSocket && error.code === "ECONNRESET") resolve(shoot(shot));
			else reject(error);
		});
		sent.end(body);
	});
}

/** Sends requests, a few at a time, until none is left. */
export async function shootAll(shots: Iterable<Shot>): Promise<void> {
	const waiting = shots[Symbol.iterator]();
	const worker = async () => {
		for (let next = waiting.next(); !next.done; next = waiting.next()) await shoot(next.value);
	};
	await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

/**
 * CPU time that the threads of a process have used, in microseconds, of the nanoseconds that the kernel counts for each (Linux's
 * Documentation/scheduler/sched-stats.rst). Those of a process count ticks of 10 ms, in which a dozen requests are answered.
 */
export function cpuMicroseconds(pid: number): number {
	const tasks = `/proc/${pid}/task`;
	const nanoseconds = readdirSync(tasks).map((task) => {
		try {
			return Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]);
		} catch {
			// The thread has ended meanwhile.
			return 0;
		}
	});
	return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000;
}

/** Memory of a process that is in RAM, in megabytes. */
export function residentMegabytes(pid: number): number {
	const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
	return Number(kilobytes) / 1024;
}
