// Loads a folder's `.env`. The folder's author wrote it, so it must never decide where a key from
// the environment is sent, nor set what other programs read.
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { ENV_VARIABLES } from "../config/environment/env-variables.ts";
import { shown } from "../config/problems.ts";
import { decodeText } from "../domain/text/decode-text.ts";

const GITHUB_APP = ["PRIVATE_KEY", "PRIVATE_KEY_PATH", "GITHUB_CLIENT_SECRET"];

/** Address variable → the keys that are sent to that address. */
const SENT_TO: Readonly<Record<string, readonly string[]>> = {
  KODIAI_GITHUB_API_URL: [...GITHUB_APP, "GITHUB_TOKEN"],
  GHE_HOST: [...GITHUB_APP, "GITHUB_TOKEN"],
  GHE_PROTOCOL: [...GITHUB_APP, "GITHUB_TOKEN"],
  GITHUB_API_URL: ["GITHUB_TOKEN"],
  GITHUB_SERVER_URL: ["GITHUB_TOKEN"],
  ANTHROPIC_BASE_URL: ["ANTHROPIC_API_KEY"],
  OPENAI_BASE_URL: ["OPENAI_API_KEY"],
  KODIAI_EMBEDDINGS_URL: ["KODIAI_EMBEDDINGS_API_KEY", "VOYAGE_API_KEY"],
  DATABASE_URL: ["PGPASSWORD"],
};
/** A proxy sees every request, in both spellings of its name. */
const PROXIES = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
const EVERY_KEY = [...new Set(Object.values(SENT_TO).flat())];
const ADDRESSES = [...Object.entries(SENT_TO), ...PROXIES.map((name) => [name, EVERY_KEY] as const)];

/** Our variables, and others that we read. Node, git and the system read theirs without us. */
const READ: ReadonlySet<string> = new Set([
  ...ENV_VARIABLES.map(({ name }) => name).filter((name) => !name.startsWith("NODE_")),
  ...Object.keys(SENT_TO),
  ...EVERY_KEY,
  ...PROXIES,
]);

/** A misspelt one is refused by the server, so it must reach it; two are for tests of a crash. */
function isOurs(name: string): boolean {
  return READ.has(name) || (/^KODIAI_[A-Z\d_]+$/.test(name) && !name.startsWith("KODIAI_FAIL_"));
}

/** A value up to its end: in quotes, over several lines if need be, or to the end of the line. */
const ASSIGNMENT = /^[^\S\n]*(?:export[^\S\n]+)?([\w.-]+)[^\S\n]*=[^\S\n]*("[^"]*"|'[^']*'|`[^`]*`|[^\n]*)/gm;

/**
 * The variables of a `.env` file, UTF-8 or UTF-16.
 *
 * @returns `cut`: names whose value has a `#` outside quotes without a space: Node ends it there
 * @throws Error when the file cannot be read
 */
export function readDotEnv(path: string) {
  const text = (decodeText(readFileSync(path)) ?? "").replace(/^\uFEFF/, "");
  const entries = Object.entries(parseEnv(text)).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  const cut = [...text.matchAll(ASSIGNMENT)].flatMap(([, name = "", value = ""]) =>
    /^["'`]/.test(value) || !/^#|\S#/.test(value.replace(/\s#.*$/s, "")) ? [] : [name],
  );
  return { entries, cut };
}

/** What to do about a value that a `#` ends. */
export function cutProblem(path: string, name: string): string {
  return `${name} in ${path} holds a # outside quotes, after which the rest would be a comment; put the value in quotes`;
}

function printed(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Sets our variables of a `.env` file that the environment does not set. Ignores a missing file.
 *
 * @param path of the file
 * @param say is called with one line for each variable that is not ours and therefore ignored
 * @returns a line for each address whose key is in the environment, since the file could send the
 *   key anywhere, and for each value that a `#` cuts; then nothing is set
 */
export function loadDotEnv(path: string, say: (line: string) => void = printed): readonly string[] {
  if (!existsSync(path)) return [];
  const { entries: inFile, cut } = readDotEnv(path);
  const ours = new Map(inFile.filter(([name]) => isOurs(name)));
  const isSet = (name: string) => (process.env[name] ?? "").trim() !== "";
  const combined = ADDRESSES.flatMap(([address, keys]) => {
    if (process.env[address] !== undefined || (ours.get(address) ?? "").trim() === "") return [];
    return keys
      .filter(isSet)
      .map((key) => `${address} is set in ${path} and ${key} in the environment; set both in the same place`);
  });
  const problems = [...cut.filter(isOurs).map((name) => cutProblem(path, name)), ...combined];
  for (const [name] of inFile)
    if (!ours.has(name)) say(`${path}: ${shown(name)} is ignored: only variables of Kodiai are read from this file`);
  if (problems.length === 0) for (const [name, value] of ours) process.env[name] ??= value;
  return problems;
}
