// Memory behind the app's back: what was said before the play begins, and what the play leaves.

import { join } from "node:path";
import Database from "better-sqlite3";
import { UNMEASURED } from "../../src/adapters/embed-texts.ts";
import type { EmbeddingSpace, MemoryRecord } from "../../src/domain/memory.ts";
import { remember } from "../../src/learn/learn.ts";
import type { Embedder } from "../../src/ports/memory.ts";
import { openMemoryFile, reclaimFile } from "../../src/store/memory/memory-file.ts";
import { storedMemory } from "../../src/store/memory/stored-memory.ts";
import { chosenEmbedder } from "../../src/wire/models.ts";
import { aMemory } from "../builders/memory-record.ts";
import type { Repository } from "../fakes/github/conversation.ts";
import type { Harness } from "./app-harness.ts";
import { BACKUP } from "./change-builders.ts";

/** A comment of a reviewer about code like BACKUP. */
export function comment(repository: Repository, sourceId: string, over: Partial<MemoryRecord> = {}): MemoryRecord {
  return aMemory({
    repo: `github.com/${repository.id}`,
    repoName: `${repository.owner}/${repository.name}`,
    ownerId: Number((repository.json.owner as { id: number }).id),
    visibility: repository.private ? "private" : "public",
    sourceId,
    text: "Do not build the shell command of the backup from the name: give subprocess.run a list, without shell=True.",
    severity: "major",
    category: "security",
    path: "ops/backup.py",
    language: "Python",
    hunk: BACKUP.trimEnd()
      .split("\n")
      .map((line) => `+${line}`)
      .join("\n"),
    outcome: "accepted",
    provenance: {
      url: `https://github.com/${repository.owner}/${repository.name}/pull/900#discussion_r${sourceId}`,
      ...{ author: "ines", pull: 900, at: Date.UTC(2026, 8, 1) },
    },
    ...over,
  });
}

/** Other comments, so that words have something to be rare among. */
export function smallTalk(repository: Repository, count: number): MemoryRecord[] {
  return Array.from({ length: count }, (_, n) =>
    comment(repository, `9${n}`, {
      text: `Chapter ${n} of the handbook wants a picture of the harbour, and a caption under it.`,
      path: `docs/chapter-${n}.md`,
      language: "Markdown",
      hunk: null,
      severity: null,
      category: null,
    }),
  );
}

/**
 * Remembers as the server would.
 *
 * @param space of another embedder, with made-up vectors; else the keyless embedder's own
 */
export async function remembering(
  harness: Harness,
  records: readonly MemoryRecord[],
  space: EmbeddingSpace | null = null,
): Promise<void> {
  const db = await openMemoryFile(join(harness.dataDir, "memory.db"));
  const embedder = space === null ? await chosenEmbedder({ kind: "local" }) : madeUp(space);
  const redact = (text: string) => Promise.resolve(text);
  const { refused } = await remember(
    records,
    embedder,
    storedMemory(db, () => reclaimFile(db)),
    { redact },
  );
  await db.close();
  if (refused.length > 0) throw new Error(JSON.stringify(refused));
}

function madeUp(space: EmbeddingSpace): Embedder {
  const vector = (text: string) =>
    Float32Array.from({ length: space.dimension }, (_, at) => text.charCodeAt(at % text.length) + 1);
  const embed: Embedder["embed"] = async (texts) => ({
    vectors: texts.map(vector),
    tokens: 0,
    usd: 0,
    cached: 0,
    failed: null,
  });
  return { space, threshold: 0.3, ...UNMEASURED, weight: 1, embed };
}

/** Asks or damages memory.db over a connection of its own. */
export function inMemory<T>(harness: Harness, work: (db: Database.Database) => T): T {
  const db = new Database(join(harness.dataDir, "memory.db"));
  try {
    return work(db);
  } finally {
    db.close();
  }
}
