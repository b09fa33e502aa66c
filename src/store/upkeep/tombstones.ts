// Records erasures: a restore of an older backup repeats them. Only ids and hashes.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { syncToDisk } from "./snapshot.ts";

const Tombstone = z.discriminatedUnion("forgot", [
  /** `HOST/REPO_ID`. */
  z.object({ forgot: z.literal("repository"), key: z.string().regex(/^[^/]+\/\d+$/), at: z.int() }),
  /** Numeric ids, and SHA-256 hashes of lower-case logins. */
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

/** Appends one line, on disk when this returns. Call it before anything is removed. */
export function appendTombstone(folder: string, tombstone: Tombstone): void {
  const path = join(folder, TOMBSTONES);
  // The leading newline separates it from a line that a crash cut short.
  appendFileSync(path, `\n${JSON.stringify(tombstone)}\n`, { mode: 0o600 });
  syncToDisk(path);
}

/** All readable lines, oldest first; none without the file. */
export function tombstonesIn(folder: string): readonly Tombstone[] {
  const path = join(folder, TOMBSTONES);
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  return lines.flatMap((line) => readLine(line) ?? []);
}

function readLine(line: string): Tombstone | null {
  try {
    return Tombstone.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
