/** The yardstick of a start: a Hono application with one route. */
import { Hono } from "hono";

export default new Hono().get("/*", (c) => c.text("hello"));
