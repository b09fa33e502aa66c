// The plan of set-up: from its options, the .env file of an earlier run, and the user's answers.

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  endpointProblem,
  hostName,
  isLoopback,
  originProblem,
  weakSecret,
} from "../../config/environment/env-forms.ts";
import { EnvVariables } from "../../config/environment/env-variables.ts";
import { apiUrlOf, localDashboard } from "../../config/environment/github-address.ts";
import { UsageError } from "../../config/usage-error.ts";
import { cutProblem, readDotEnv } from "../../environment/dot-env.ts";
import { writeForeignFile } from "../../environment/write-file.ts";
import { fileText, type readWords, wholeNumber } from "../usage.ts";
import type { VERBS } from "../verbs.ts";

export type SetupWords = ReturnType<typeof readWords<typeof VERBS.setup.options>>["values"];

export type SetupPlan = ReturnType<typeof setupPlan>;

export function setupPlan(words: SetupWords) {
  const envFile = resolve(words["variables-file"] ?? ".env");
  const known = variablesIn(envFile);
  const { host, apiUrl } = github(words, known);
  const dataDir = words["data-dir"] ?? process.env.KODIAI_DATA_DIR ?? known.get("KODIAI_DATA_DIR") ?? "./data";
  const webhookPath =
    process.env.WEBHOOK_PATH ?? known.get("WEBHOOK_PATH") ?? EnvVariables.shape.WEBHOOK_PATH.parse(undefined);
  return {
    host,
    apiUrl,
    /** The organisation to create the App for; null: the account of the person who confirms. */
    org: words.org === undefined ? null : matching("--org", words.org, /^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/),
    name: matching("--name", words.name ?? "Kodiai", /^.{1,34}$/u),
    webhookPath,
    /** As given; null: keep the one on GitHub. */
    webhookUrl: webhookUrl(words["webhook-url"], webhookPath),
    dashboardUrl: dashboardUrl(words["dashboard-url"], known),
    port: wholeNumber("port", words.port ?? "0", 0, 65_535),
    timeoutMs: wholeNumber("timeout", words.timeout ?? "900", 0, 86_400) * 1_000,
    envFile,
    dataDir,
    known,
  };
}

/** The addresses in a `.env` belong to the App in it: another App's key is not sent to them. */
function github(words: SetupWords, known: ReadonlyMap<string, string>) {
  const at = (file: ReadonlyMap<string, string>) => {
    const host = (words.host ?? process.env.GHE_HOST ?? file.get("GHE_HOST") ?? "github.com").toLowerCase();
    if (!hostName.test(host)) throw new UsageError("--host takes a host name without https:// and path");
    const apiUrl = process.env.KODIAI_GITHUB_API_URL ?? file.get("KODIAI_GITHUB_API_URL") ?? apiUrlOf(host);
    return { host, apiUrl: apiUrl.replace(/\/+$/, "") };
  };
  const isKnownApp = words["private-key-file"] === undefined && words.new !== true && known.has("APP_ID");
  const [named, inFile] = [at(new Map()), at(known)];
  if (!isKnownApp && (named.host !== inFile.host || named.apiUrl !== inFile.apiUrl)) {
    throw new UsageError(".env names another GitHub; for a new App name it with --host, or KODIAI_GITHUB_API_URL");
  }
  return inFile;
}

/** What is wrong with an address for webhooks, or null. @param path that the server serves */
export function webhookProblem(address: string, path: string): string | null {
  const problem = endpointProblem(address, []);
  if (problem !== null) return problem;
  const url = new URL(address);
  if (isLoopback(url.hostname))
    return `must be an address that GitHub can reach, not ${url.hostname}; use a public host, or a tunnel to this machine`;
  return url.pathname === path ? null : `must end in ${path}, the path that the server serves: ${url.origin}${path}`;
}

/** The App that the options name; null when they name none. A missing secret is generated. */
export function namedApp(words: SetupWords, known: ReadonlyMap<string, string>) {
  const { "app-id": id, "private-key-file": keyFile, "webhook-secret-file": secretFile } = words;
  if (id === undefined && keyFile === undefined) return null;
  if (id === undefined || keyFile === undefined) throw new UsageError("--app-id and --private-key-file go together");
  const appId = wholeNumber("app-id", id, 0, 999_999_999);
  const privateKey = fileText(keyFile, "--private-key-file");
  const given = secretFile === undefined ? undefined : fileText(secretFile, "--webhook-secret-file").trim();
  const before = known.get("APP_ID") === String(appId) ? known.get("WEBHOOK_SECRET") : undefined;
  const webhookSecret = given ?? before ?? randomBytes(32).toString("hex");
  const weak = weakSecret(webhookSecret);
  if (weak !== null) throw new UsageError(`the webhook secret ${weak}; make one with \`openssl rand -hex 32\``);
  return { appId, privateKey, webhookSecret, isNewSecret: before !== webhookSecret };
}

/** Without a slash at the end: from this run, an earlier one, or the server's own default. */
function dashboardUrl(word: string | undefined, known: ReadonlyMap<string, string>): string {
  const set = (name: string) => process.env[name] ?? known.get(name);
  const port = Number(set("KODIAI_ADMIN_PORT") ?? Number(set("PORT") ?? "3000") + 1);
  const url = word ?? set("KODIAI_DASHBOARD_URL") ?? localDashboard(port);
  const problem = originProblem(url);
  if (problem !== null) throw new UsageError(`--dashboard-url ${problem.replace(/;.*/, "")}`);
  return url.replace(/\/+$/, "");
}

function webhookUrl(word: string | undefined, path: string): string | null {
  if (word === undefined) return null;
  const problem = webhookProblem(word, path);
  if (problem !== null) throw new UsageError(`--webhook-url ${problem}`);
  return word;
}

function matching(flag: string, word: string, form: RegExp): string {
  if (!form.test(word)) throw new UsageError(`${flag} does not take ${JSON.stringify(word)}`);
  return word;
}

const KEY_FILE = "kodiai.private-key.pem";
const PRIVATE = { mode: 0o600, replaces: true, makesFolders: true };

/** None without a file. @throws UsageError for a value of which half would be a comment */
export function variablesIn(envFile: string): ReadonlyMap<string, string> {
  if (!existsSync(envFile)) return new Map();
  const { entries, cut } = readDotEnv(envFile);
  const [first] = cut;
  if (first !== undefined) throw new UsageError(cutProblem(envFile, first));
  return new Map(entries.filter(([, value]) => value !== ""));
}

export async function keepVariables(envFile: string, set: ReadonlyMap<string, string>): Promise<void> {
  const before = existsSync(envFile) ? readFileSync(envFile, "utf8") : "";
  await writeForeignFile(envFile, [withVariables(before, set)], PRIVATE);
}

/** Writes the App's key into the data folder. @returns its path */
export async function keepPrivateKey(dataDir: string, pem: string): Promise<string> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, KEY_FILE);
  await writeForeignFile(path, [pem.endsWith("\n") ? pem : `${pem}\n`], PRIVATE);
  return path;
}

/**
 * A .env file with variables set: each replaces a line of its name, also a commented one, or is
 * appended. The rest stays as it was. @throws Error for line breaks or all three kinds of quotes
 */
export function withVariables(text: string, set: ReadonlyMap<string, string>): string {
  const left = new Map(set);
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const kept = lines.flatMap((line) => {
    const name = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/.exec(line)?.[1];
    if (name === undefined || !set.has(name)) return [line];
    const value = left.get(name);
    left.delete(name);
    // Of two lines of one name the last would win, so the second is removed.
    return value === undefined ? [] : [assignment(name, value)];
  });
  const added = [...left].map(([name, value]) => assignment(name, value));
  return `${[...kept, ...added].join("\n")}\n`;
}

function assignment(name: string, value: string): string {
  if (/^[\w./:@%+,=-]*$/.test(value)) return `${name}=${value}`;
  const quote = ['"', "'", "`"].find((mark) => !value.includes(mark));
  const isPlain = !/[\n\r]/.test(value) && !(quote === '"' && value.includes("\\"));
  if (quote === undefined || !isPlain) {
    if (!/[\n\r']/.test(value)) return `${name}='${value}'`;
    throw new Error(`${name} cannot be written into a .env file`);
  }
  return `${name}=${quote}${value}${quote}`;
}
