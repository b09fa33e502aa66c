// What memory thinks of a finding after people had their say, as the command line prints it.

import { join } from "node:path";
import Database from "better-sqlite3";
import { vi } from "vitest";
import { memory } from "../../src/cli/memory/memory.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import type { Harness } from "./app-harness.ts";
import { answered } from "./conversation-helpers.ts";

/** An hour passes: whoever is due is looked at. */
export async function anHourPasses(harness: Harness): Promise<void> {
  await answered(harness);
  const before = jobsOf(harness);
  await harness.restart({ feedbackAfterMs: 0 });
  // The sweep at the start queues what is due; it may find nothing.
  for (let waited = 0; waited < 500 && jobsOf(harness) === before; waited += 10)
    await new Promise((resolve) => setTimeout(resolve, 10));
  await answered(harness);
}

function jobsOf({ dataDir }: Harness): number {
  const db = new Database(join(dataDir, "queue.db"), { readonly: true });
  try {
    return db.prepare("SELECT coalesce(max(id), 0) FROM jobs").pluck().get() as number;
  } finally {
    db.close();
  }
}

/** The id of the memory of the one finding on a path of the pull request. */
export function memoryOf(harness: Pick<Harness, "dataDir">, pull: Pull, path: string): string {
  const db = new Database(join(harness.dataDir, "memory.db"), { readonly: true });
  try {
    const sql = "SELECT mem FROM records WHERE corpus = 'finding' AND pull = ? AND path = ?";
    const ids = db.prepare(sql).pluck().all(pull.number, path) as string[];
    if (ids.length !== 1) throw new Error(`${ids.length} memories of ${path}`);
    return ids[0] ?? "";
  } finally {
    db.close();
  }
}

/** `kodiai memory show ID`: what stands behind `outcome:`. */
export async function outcome(harness: Pick<Harness, "dataDir">, pull: Pull, path: string): Promise<string> {
  const page = await printed(harness, ["show", memoryOf(harness, pull, path)]);
  return /^outcome: (.*)$/m.exec(page)?.[1] ?? page;
}

/** `kodiai memory why ID`. */
export function why(harness: Pick<Harness, "dataDir">, pull: Pull, path: string): Promise<string> {
  return printed(harness, ["why", memoryOf(harness, pull, path)]);
}

async function printed(harness: Pick<Harness, "dataDir">, words: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  try {
    await memory([...words, "--repo", "acme/shop", "--data-dir", harness.dataDir]);
  } finally {
    log.mockRestore();
  }
  return lines.join("\n");
}
