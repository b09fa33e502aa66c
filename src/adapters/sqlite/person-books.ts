// The books about people over both files of a data folder; erasing is written down for backups that are older than it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { NamedPerson, PersonBooks } from "../../ports/person.ts";
import { openDatabase } from "./database.ts";
import { openMemory } from "./memory-file.ts";
import { anonymisePeople } from "./person-erasure.ts";
import { type AskedPerson, findPerson, personRows } from "./person-rows.ts";
import { QUEUE_MIGRATIONS } from "./queue-schema.ts";
import { bury, loginHash } from "./tombstones.ts";

/**
 * @param now epoch milliseconds
 * @throws Error when a file cannot be opened
 */
export function sqlitePersonBooks(dataDir: string, now: () => number): PersonBooks & { close(): void } {
  const queue = openDatabase(join(dataDir, "queue.db"), QUEUE_MIGRATIONS);
  const path = join(dataDir, "memory.db");
  const memory = existsSync(path) ? openMemory(path) : null;
  return {
    // Deleted text is overwritten as it goes (see openDatabase).
    rewrite: async () => null,
    rows: async (named) => personRows(findPerson(asked(named), queue, memory), queue, memory),
    async erase(named, texts) {
      const { ids, logins } = findPerson(asked(named), queue, memory);
      const known = asked(named);
      const hashes = new Set([...known.loginHashes, ...[...logins].map(loginHash)]);
      const all = new Set([...known.ids, ...ids]);
      bury(dataDir, { forgot: "person", ids: [...all], logins: [...hashes], texts, at: now() });
      return anonymisePeople({ ids: all, loginHashes: hashes }, texts, queue, memory);
    },
    close() {
      queue.close();
      memory?.close();
    },
  };
}

function asked(named: NamedPerson): AskedPerson {
  if ("id" in named) return { ids: new Set([named.id]), loginHashes: new Set() };
  return { ids: new Set(), loginHashes: new Set([loginHash(named.login)]) };
}
