/**
 * Sets the clock of the Worker's tests back by two hours where the day (UTC) is about to end, so that none ends while they run. Its minutes begin
 * with those of the real clock, by which the platform counts its rate limits.
 */
import { DAY, HOUR } from "../../src/time/time.ts";

const realNow = Date.now.bind(Date);

if (DAY - (realNow() % DAY) < HOUR) Date.now = () => realNow() - 2 * HOUR;
