// kodiai mcp: the memory and the review of one repository as tools of the Model Context Protocol, over stdio or HTTP on loopback.

import { randomBytes } from "node:crypto";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import manifest from "../../package.json" with { type: "json" };
import { UsageError } from "../config/usage-error.ts";
import { nameOf } from "../flows/memory/find-repository.ts";
import { mcpServer } from "../mcp/mcp-server.ts";
import { startMcpServer } from "../server/mcp-http-server.ts";
import { type McpPorts, mcpPorts } from "../wire/cli/mcp.ts";
import { registerSecrets } from "../wire/secrets.ts";
import { terminalText } from "./terminal-text.ts";
import { type ExitCode, oneOf, readWords, wholeNumber, withPorts } from "./usage.ts";
import { VERBS } from "./verbs.ts";

/** The variable with the token for HTTP; without it a token is generated and printed on standard error. */
const TOKEN = "KODIAI_MCP_TOKEN";
const LEAST_TOKEN = 32;

/**
 * Serves until the client disconnects (stdio) or a signal arrives.
 *
 * @throws UsageError
 */
export async function mcp(words: readonly string[]): Promise<ExitCode> {
  const { values } = readWords(words, VERBS.mcp.options);
  // 0 takes any free port.
  const port = values.http === undefined ? null : wholeNumber("http", values.http, 0, 65_535);
  const token = port === null ? null : tokenOf(process.env[TOKEN]);
  const opening = mcpPorts({
    repo: values.repo,
    dataDir: values["data-dir"],
    model: oneOf("model", values.model ?? "auto", ["auto", "off"]),
    isAll: values.all === true,
    mayWrite: values["allow-write"] === true,
  });
  await withPorts(opening, (ports) =>
    port === null || token === null ? overStdio(ports) : overHttp(ports, port, token),
  );
  return 0;
}

/** Standard output belongs to the protocol. */
async function overStdio(ports: McpPorts): Promise<void> {
  const ended = endOf(true);
  const served = serveStdio(() => mcpServer(ports, manifest.version), { onerror: ({ message }) => say(message) });
  say(`${aboutOf(ports)} on standard input and output`);
  await ended;
  await served.close();
}

async function overHttp(ports: McpPorts, port: number, token: ReturnType<typeof tokenOf>): Promise<void> {
  registerSecrets(token.word);
  const ended = endOf(false);
  const server = await startMcpServer(port, token.word, () => mcpServer(ports, manifest.version));
  say(`${aboutOf(ports)} on ${server.url}`);
  if (token.isNew) say(`token for this run: ${token.word} (set ${TOKEN} to keep one)`);
  await ended;
  await server.close();
}

/** A client ends its server by closing standard input, a person by a signal. */
function endOf(byInput: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  if (byInput) for (const event of ["end", "close"]) process.stdin.once(event, () => resolve());
  return promise;
}

function aboutOf({ repo, isAll, mayWrite }: McpPorts): string {
  const scope = isAll ? "every repository that memory knows, else of " : "";
  return `tools of ${scope}${nameOf(repo)}, ${mayWrite ? "reading and writing memory" : "reading only"},`;
}

function tokenOf(set: string | undefined) {
  const word = set?.trim() ?? "";
  if (word === "") return { word: randomBytes(32).toString("hex"), isNew: true };
  if (word.length < LEAST_TOKEN || !/^[\x21-\x7e]+$/.test(word))
    throw new UsageError(`${TOKEN} must be ${LEAST_TOKEN} characters or more without spaces: openssl rand -hex 32`);
  return { word, isNew: false };
}

function say(text: string): void {
  process.stderr.write(`kodiai mcp: ${terminalText(text)}\n`);
}
