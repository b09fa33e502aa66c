import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ZodType } from "zod";
import { canonicalJson, shortHash } from "../src/domain/text/hash.ts";
import { answered } from "./unanswered.ts";

/** A file of the data folder, with its hash. */
export interface DataFile {
  readonly name: string;
  readonly rows: readonly unknown[];
  readonly sha256: string;
}

/**
 * Every `*.jsonl` and `*.json` of a folder, by name. A `.json` file holding an array gives its
 * items, else one row. What is not an object of JSON is counted as unanswered, by its file and
 * line.
 */
export async function readRows(folder: string): Promise<readonly DataFile[]> {
  const names = (await readdir(folder)).filter((name) => /\.jsonl?$/.test(name)).sort();
  return Promise.all(names.map((name) => readOne(join(folder, name))));
}

async function readOne(path: string): Promise<DataFile> {
  const bytes = await readFile(path);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const text = bytes.toString("utf8");
  if (path.endsWith(".json")) {
    const [value] = parsed([{ text, id: basename(path) }]);
    const items: unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
    const idOf = (at: number) => `${basename(path)}[${at}]`;
    return { name: basename(path), rows: objects(items.map((item, at) => ({ item, id: idOf(at) }))), sha256 };
  }
  return { name: basename(path), rows: jsonLines(text, basename(path)), sha256 };
}

/** The objects of a file with one on each line; other lines are counted as unanswered. */
export function jsonLines(text: string, name: string): readonly unknown[] {
  const lines = text
    .split("\n")
    .flatMap((line, at) => (line.trim() === "" ? [] : [{ text: line, id: `${name}:${at + 1}` }]));
  return objects(lines.flatMap((line) => parsed([line]).map((item) => ({ item, id: line.id }))));
}

function parsed(texts: readonly { readonly text: string; readonly id: string }[]): unknown[] {
  return answered(
    texts,
    ({ id }) => id,
    ({ text }) => JSON.parse(text) as unknown,
  );
}

function objects(items: readonly { readonly item: unknown; readonly id: string }[]): readonly unknown[] {
  return answered(
    items,
    ({ id }) => id,
    ({ item }) => {
      if (typeof item !== "object" || item === null) throw new Error("it is no object");
      return item;
    },
  );
}

/**
 * The rows that have `key`, read by a schema. One that has it and is of another shape is counted as
 * unanswered.
 *
 * @param key distinguishes these rows from others in the folder
 */
export function shapedRows<T>(rows: readonly unknown[], key: string, schema: ZodType<T>): T[] {
  const named = rows.filter((row) => typeof row === "object" && row !== null && key in row) as { id?: unknown }[];
  return answered(
    named,
    ({ id }) => (typeof id === "string" ? id : `a row with ${key} and without an id`),
    (row) => {
      const { data, error } = schema.safeParse(row);
      const [issue] = error?.issues ?? [];
      if (issue !== undefined) throw new Error(`${issue.path.join(".")}: ${issue.message}`);
      return data as T;
    },
  );
}

/** First 12 hex of SHA-256 over sorted (name, sha256) pairs. */
export function dataFingerprint(files: readonly { name: string; sha256: string }[]): string {
  const pairs = files.map((file) => [file.name, file.sha256]).sort();
  return fingerprint(pairs);
}

/** First 12 hex of SHA-256 over a value's canonical JSON (keys sorted). */
export function fingerprint(value: unknown): string {
  return shortHash(canonicalJson(value));
}
