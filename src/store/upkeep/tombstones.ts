// What was forgotten, recorded beside the store and not in it: a backup that is older must not bring it back. Numbers and hashes
// only.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { syncToDisk } from "./snapshot.ts";

const Tombstone = z.discriminatedUnion("forgot", [
  /** `HOST/REPO_ID`. */
  z.object({ forgot: z.literal("repository"), key: z.string().regex(/^[^/]+\/\d+$/), at: z.int() }),
  /** Numeric ids, and SHA-256 of logins in lower case. */
  z.object({
    forgot: z.literal("person"),
    ids: z.array(z.int()),
    logins: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
    /** True when their texts were removed as well. */
    texts: z.boolean(),
    at: z.int(),
  }),
]);
export type Tombstone = z.infer<typeof Tombstone>;

export const TOMBSTONES = "forgotten.jsonl";

/** Adds one line, on the disk when this returns: before anything is removed. */
export function appendTombstone(folder: string, tombstone: Tombstone): void {
  const path = join(folder, TOMBSTONES);
  // A line that a crash cut short must not swallow the next one.
  appendFileSync(path, `\n${JSON.stringify(tombstone)}\n`, { mode: 0o600 });
  syncToDisk(path);
}

/** All lines that can be read, oldest first; none where there is no such file. */
export function tombstonesIn(folder: string): readonly Tombstone[] {
  const path = join(folder, TOMBSTONES);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => readLine(line) ?? []);
}

function readLine(line: string): Tombstone | null {
  try {
    return Tombstone.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
