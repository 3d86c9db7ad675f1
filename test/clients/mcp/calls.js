/** Makes the calls of a language model's program by the SDK of the Model Context Protocol, which checks each result against its schema. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const client = new Client({ name: "calls", version: "1.0.0" });
const transport = new StreamableHTTPClientTransport(new URL("/mcp", process.env.REGISTRY));
await client.connect(transport);
const { tools } = await client.listTools();
const call = async (name, given) => {
	const { isError, structuredContent, content } = await client.callTool({ name, arguments: given });
	return isError ? JSON.parse(content[0].text).code : Object.keys(structuredContent).length > 3;
};
console.log(
	JSON.stringify({
		revision: transport.protocolVersion,
		tools: tools.map(({ name, outputSchema }) => [name, outputSchema?.type]),
		answers: [
			await call("resolve_address", { code: "ng 1377 48215" }),
			await call("check_code", { code: "NG-1377-48215" }),
			await call("zone_at", { lat: 6.5244, lng: 3.3792 }),
			await call("check_code", { code: "NG-1377-48216" }),
			await call("zone_at", { lat: "6.5", lng: 3.3792 }),
		],
	}),
);
await client.close();
