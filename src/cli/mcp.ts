// kodiai mcp: memory and review of a repository as tools of the Model Context Protocol, by stdio.

import { serveStdio } from "@modelcontextprotocol/server/stdio";
import manifest from "../../package.json" with { type: "json" };
import { nameOf } from "../flows/memory/find-repository.ts";
import { mcpServer } from "../mcp/mcp-server.ts";
import { type McpPorts, mcpPorts } from "../wire/cli/mcp.ts";
import { terminalText } from "./terminal-text.ts";
import { oneOf, verb, withPorts } from "./usage.ts";

/** Serves until the client disconnects or a signal arrives. @throws UsageError */
export const mcp = verb("mcp", 0, async (values) => {
  const opening = mcpPorts({
    repo: values.repo,
    dataDir: values["data-dir"],
    model: oneOf("model", values.model ?? "auto", ["auto", "off"]),
    isAll: values.all === true,
    mayWrite: values["allow-write"] === true,
  });
  await withPorts(opening, overStdio);
  return 0;
});

/** Standard output belongs to the protocol. */
async function overStdio(ports: McpPorts): Promise<void> {
  const ended = endOfInput();
  const served = serveStdio(() => mcpServer(ports, manifest.version), { onerror: ({ message }) => say(message) });
  say(`${aboutOf(ports)} on standard input and output`);
  await ended;
  await served.close();
}

/** A client ends its server by closing standard input, a person by a signal. */
function endOfInput(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  for (const event of ["end", "close"]) process.stdin.once(event, () => resolve());
  return promise;
}

function aboutOf({ repo, isAll, mayWrite }: McpPorts): string {
  const scope = isAll ? "every repository that memory knows, else of " : "";
  return `tools of ${scope}${nameOf(repo)}, ${mayWrite ? "reading and writing memory" : "reading only"},`;
}

function say(text: string): void {
  process.stderr.write(`kodiai mcp: ${terminalText(text)}\n`);
}
