import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";

/** A file of the data folder, with its hash. */
export interface DataFile {
  readonly name: string;
  readonly rows: readonly unknown[];
  readonly sha256: string;
}

/**
 * Every `*.jsonl` and `*.json` of a folder, by name. A `.json` file holding an array gives its items, else one row.
 *
 * @throws Error naming file and line when a row is not JSON
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
    const value: unknown = JSON.parse(text);
    return { name: basename(path), rows: Array.isArray(value) ? value : [value], sha256 };
  }
  const rows = text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line) as unknown];
    } catch (cause) {
      throw new Error(`${path}:${index + 1} is not JSON`, { cause });
    }
  });
  return { name: basename(path), rows, sha256 };
}

/** First 12 hex of SHA-256 over sorted (name, sha256) pairs. */
export function dataFingerprint(files: readonly { name: string; sha256: string }[]): string {
  const pairs = files.map((file) => [file.name, file.sha256]).sort();
  return fingerprint(pairs);
}

/** First 12 hex of SHA-256 over a value's canonical JSON (keys sorted). */
export function fingerprint(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 12);
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}
