// A client of MCP with the official TypeScript SDK that calls tools and prints the texts that it
// was answered with: words.mjs PROGRAM CALLS, where CALLS is a list of names and arguments.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [program, calls] = process.argv.slice(2);
const client = new Client({ name: "words", version: "1" });
await client.connect(new StdioClientTransport({ command: program, args: ["mcp"], env: process.env }));
const texts = [];
for (const [name, given] of JSON.parse(calls)) {
  const answer = await client.callTool({ name, arguments: given });
  texts.push(answer.content.filter((part) => part.type === "text").map((part) => part.text).join("\n"));
}
await client.close();
console.log(JSON.stringify(texts));
