import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs, styleText } from "node:util";
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../config/usage-error.ts";
import type { Degraded } from "../domain/omissions.ts";
import { decodeText } from "../domain/text/decode-text.ts";
import { isFolder } from "../environment/data-dir.ts";
import { terminalJson, terminalText } from "./terminal-text.ts";
import { FORMAT, VERBS, type VerbName } from "./verbs.ts";

/** 0 done; 1 findings at or above --fail-on; 2 usage or configuration; 3 could not review. */
export type ExitCode = 0 | 1 | 2 | 3;

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

type Words<Name extends VerbName> = ReturnType<typeof readWords<(typeof VERBS)[Name]["options"]>>;

/** A verb, which gets its options and at most `most` positional words. */
export function verb<const Name extends VerbName>(
  name: Name,
  most: number,
  run: (values: Words<Name>["values"], positionals: readonly string[]) => Promise<ExitCode>,
): (words: readonly string[]) => Promise<ExitCode> {
  return async (words) => {
    const { values, positionals } = readWords<(typeof VERBS)[Name]["options"]>(words, VERBS[name].options, most);
    return run(withFormat(values, VERBS[name].options), positionals);
  };
}

/** The options with `--format json` as `--json`. @throws UsageError for an unknown format */
function withFormat<V extends { readonly json?: boolean }>(values: V, options: Options): V {
  const { format } = values as { readonly format?: string };
  if (format === undefined || options.format !== FORMAT) return values;
  const isJson = oneOf("format", format, ["pretty", "json"]) === "json";
  return { ...values, json: isJson || values.json === true };
}

/**
 * @param most positional words
 * @throws UsageError naming an unknown option, one without its value, or the first word too many
 */
export function readWords<O extends Options>(words: readonly string[], options: O, most = 0) {
  const read = parsed(words, options);
  noMore(read.positionals.slice(most));
  return read;
}

function parsed<O extends Options>(words: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(complaint(error, Object.keys(options)));
  }
}

/** Node's message without its advice on positional words, and the option most likely meant. */
function complaint(error: unknown, names: readonly string[]): string {
  const [message = ""] = (error instanceof Error ? error.message : String(error)).split(/\. To specify|\n/);
  const unknown = /^Unknown option '--([^']*)'/.exec(message)?.[1];
  const near = unknown === undefined ? null : didYouMean(unknown, names);
  return near === null ? message.replace(/\.$/, "") : `${message}; did you mean --${near}?`;
}

/** @throws UsageError if a verb got more words than it takes */
export function noMore([first]: readonly (string | undefined)[]): void {
  if (first !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(first)}`);
}

/** One of a fixed list of words. @throws UsageError listing them */
export function oneOf<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((word) => word === value);
  if (found === undefined)
    throw new UsageError(`--${option} takes one of ${allowed.join(", ")}, not ${JSON.stringify(value)}`);
  return found;
}

/** Prints a value as JSON of version 1. A change that breaks readers raises the version. */
export function printJson(value: object): void {
  console.log(terminalJson({ version: 1, ...value }));
}

/** Prints a result as JSON with `--json`, else as a page, and ends with 0. */
export function printed({ json }: { readonly json?: boolean }, value: object, page: () => string): ExitCode {
  if (json === true) printJson(value);
  else console.log(page());
  return 0;
}

export async function withPorts<Ports extends { close(): void | Promise<void> } | null, Result>(
  opening: Promise<Ports>,
  work: (ports: Ports) => Promise<Result>,
): Promise<Result> {
  const ports = await opening;
  try {
    return await work(ports);
  } finally {
    await ports?.close();
  }
}

export function warnDegraded(verb: string, degraded: readonly Degraded[]): void {
  for (const { part, reason } of degraded)
    console.error(styleText("yellow", terminalText(`kodiai ${verb}: ${part}: ${reason}`), { stream: process.stderr }));
}

/** The folder that `--repo` names, or this one. @throws UsageError */
export function repoFolder(word = "."): string {
  if (!isFolder(word)) throw new UsageError(`--repo ${word} is not a folder`);
  return resolve(word);
}

/** The whole number of an option. @throws UsageError naming the range */
export function wholeNumber(option: string, word: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d{1,16}$/.test(word) ? Number(word) : Number.NaN;
  if (value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new UsageError(`--${option} takes a whole number ${range}, not ${JSON.stringify(word)}`);
}

/** A day (from midnight UTC) or moment as epoch milliseconds; null for none. @throws UsageError */
export function sinceOf(word: string | undefined): number | null {
  if (word === undefined) return null;
  const at = /^\d{4}-\d\d-\d\d(?:T[\d:.]{5,12}Z)?$/.test(word) ? Date.parse(word) : Number.NaN;
  if (Number.isFinite(at) && new Date(at).toISOString().startsWith(word.slice(0, 10))) return at;
  throw new UsageError(`--since takes a day such as 2026-03-01, not ${JSON.stringify(word)}`);
}

/** The text of a file. @param what names it in the message @throws UsageError */
export function fileText(path: string, what = path): string {
  try {
    return textIn(readFileSync(path), what);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${what} cannot be read: ${message.startsWith("ENOENT") ? "there is no such file" : message}`);
  }
}

/** UTF-8 or UTF-16 without a byte order mark. @throws UsageError for binary data */
export function textIn(bytes: Uint8Array, what: string): string {
  const text = decodeText(bytes);
  if (text === null) throw new UsageError(`${what} holds no text; write it as UTF-8`);
  return text.replace(/^\uFEFF/, "");
}
