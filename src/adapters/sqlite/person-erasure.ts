// What is kept about one person no longer tells who they are, in rows and in bytes. What a team learnt from their words
// stays, said by nobody in particular; with `texts` their words go as well.
import { setTimeout as wait } from "node:timers/promises";
import type { ErasedPerson } from "../../ports/person.ts";
import { recordWords } from "../memory/record-words.ts";
import { mentions, withoutMentions } from "../person-mentions.ts";
import { type Database, write } from "./database.ts";
import { purge } from "./forget.ts";
import { sqliteMemory } from "./memory.ts";
import { type AskedPerson, findPerson, type KnownPerson, MEMORY_TEXTS, QUEUE_TEXTS } from "./person-rows.ts";
import { RECORD_COLUMNS, RECORD_CONTENTS, readRecord } from "./read-record.ts";
import { tick } from "./repository-label.ts";
import { truncateLog } from "./truncate-log.ts";

/** GitHub's own account for whoever deleted theirs. */
const NOBODY = "ghost";
/** Texts a transaction: nobody waits long for the write lock. */
const CHUNK = 200;
const MINE = "IN (SELECT value FROM json_each(@logins))";
const MY_ID = "IN (SELECT value FROM json_each(@ids))";

/**
 * Again, it changes nothing more.
 *
 * @param memory null where there is none
 * @throws Transient on a lock, and while a reader keeps the old bytes: call again
 */
export async function anonymisePeople(
  asked: AskedPerson,
  texts: boolean,
  queue: Database.Database,
  memory: Database.Database | null,
): Promise<ErasedPerson> {
  const person = findPerson(asked, queue, memory);
  const forgotten = memory === null || !texts ? 0 : await forgetTexts(person, memory);
  const inQueue = write(queue, () => eraseFromQueue(queue, person, texts));
  const inMemory = memory === null ? 0 : write(memory, () => eraseFromMemory(memory, person, texts));
  let mentioned = await eraseMentions(queue, QUEUE_TEXTS, person);
  if (memory !== null) mentioned += await eraseMentions(memory, MEMORY_TEXTS, person);
  await truncateLog(queue);
  if (memory !== null) await purge(memory);
  return {
    logins: person.logins.size,
    ids: person.ids.size,
    removed: forgotten + inQueue.removed,
    anonymised: inQueue.anonymised + inMemory + mentioned,
  };
}

function given({ ids, logins }: KnownPerson) {
  return { ids: JSON.stringify([...ids]), logins: JSON.stringify([...logins]) };
}

async function forgetTexts(person: KnownPerson, memory: Database.Database): Promise<number> {
  const rows = memory
    .prepare(
      `SELECT p.host || '/' || p.github_id, r.mem FROM records r JOIN repositories p ON p.id = r.repo
       JOIN contents c ON c.id = r.id WHERE lower(c.author) ${MINE.replace("@logins", "?")}`,
    )
    .raw()
    .all(JSON.stringify([...person.logins])) as [string, string][];
  const byRepo = new Map<string, string[]>();
  for (const [repo, id] of rows) byRepo.set(repo, [...(byRepo.get(repo) ?? []), id]);
  let gone = 0;
  for (const [repo, ids] of byRepo) gone += await sqliteMemory(memory).forget(repo, ids);
  return gone;
}

function eraseFromQueue(
  db: Database.Database,
  person: KnownPerson,
  texts: boolean,
): { readonly removed: number; readonly anonymised: number } {
  const run = (sql: string) => db.prepare(sql).run(given(person)).changes;
  const asked = `(json_extract(job, '$.comment.author.id') ${MY_ID} OR lower(json_extract(job, '$.comment.author.login')) ${MINE})`;
  const reopened = `json_extract(job, '$.unresolved.by.id') ${MY_ID}`;
  // Rather asked again than searched for somebody.
  db.exec("DELETE FROM replies");
  const removed =
    run(`DELETE FROM jobs WHERE ${asked} AND state <> 'running'`) + run(`DELETE FROM answers WHERE user_id ${MY_ID}`);
  const anonymised =
    run(`UPDATE jobs SET job = json_set(job, '$.comment.author.login', '${NOBODY}', '$.comment.author.id', 0,
           '$.comment.url', NULL) WHERE ${asked}`) +
    run(`UPDATE jobs SET job = json_set(job, '$.unresolved', NULL) WHERE ${reopened}`) +
    run(
      `UPDATE jobs SET job = json_set(job, '$.pull.authorId', 0) WHERE json_extract(job, '$.pull.authorId') ${MY_ID}`,
    ) +
    run(`UPDATE paused SET by = '${NOBODY}' WHERE lower(by) ${MINE}`) +
    run(`UPDATE declined SET by = '${NOBODY}'${texts ? ", reason = ''" : ""} WHERE lower(by) ${MINE}`);
  return { removed, anonymised };
}

function eraseFromMemory(db: Database.Database, person: KnownPerson, texts: boolean): number {
  const run = (sql: string, more: object = {}) => {
    const params = { ...given(person), ...more };
    const named = Object.entries(params).filter(([name]) => sql.includes(`@${name}`));
    return db.prepare(sql).run(Object.fromEntries(named)).changes;
  };
  // Two people who are both nobody are still two: a negative number is no account of GitHub's.
  const lowest = db.prepare("SELECT min(0, coalesce(min(by_id), 0)) FROM evidence").pluck().get() as number;
  const others = db.prepare(
    `SELECT count(*) FROM (SELECT by FROM rejections UNION SELECT by FROM against) WHERE by LIKE '${NOBODY}-%'`,
  );
  const nobody = `${NOBODY}-${others.pluck().get()}`;
  return (
    run(`UPDATE contents SET author = '${NOBODY}', url = NULL WHERE lower(author) ${MINE}`) +
    run(
      `UPDATE evidence SET by_id = @alias, by_login = '${NOBODY}', url = NULL${texts ? ", text = NULL" : ""}
       WHERE by_id ${MY_ID} OR lower(by_login) ${MINE}`,
      { alias: lowest - 1 },
    ) +
    run(`UPDATE decided SET by = '${NOBODY}'${texts ? ", reason = NULL" : ""} WHERE lower(by) ${MINE}`) +
    // Somebody who declined under two names is one.
    ["rejections", "against"].reduce((sum, table) => {
      const set = `by = @nobody, url = NULL${texts ? ", reason = NULL" : ""}`;
      return sum + run(`UPDATE OR REPLACE ${table} SET ${set} WHERE lower(by) ${MINE}`, { nobody });
    }, 0)
  );
}

/** In what others wrote, and in what we say about it. */
async function eraseMentions(
  db: Database.Database,
  columns: readonly (readonly [string, string])[],
  { logins }: KnownPerson,
): Promise<number> {
  let changed = 0;
  for (const [table, column] of columns) {
    for (const login of logins) {
      const rows = db
        .prepare(`SELECT ${keyOf(table)} FROM ${table} WHERE instr(lower(${column}), ?) > 0`)
        .raw()
        .all(login) as unknown[][];
      for (let at = 0; at < rows.length; at += CHUNK) {
        if (at > 0) await wait(0);
        const chunk = rows.slice(at, at + CHUNK);
        changed += write(db, () => chunk.filter((key) => eraseMention(db, [table, column], login, key)).length);
      }
    }
  }
  return changed;
}

/** Some tables have no row ids. */
function keyOf(table: string): string {
  if (table === "evidence") return "id, key";
  return table === "rejections" || table === "against" ? "id, by" : "rowid";
}

function eraseMention(
  db: Database.Database,
  [table, column]: readonly [string, string],
  login: string,
  key: readonly unknown[],
): boolean {
  const where = keyOf(table)
    .split(", ")
    .map((name) => `${name} = ?`)
    .join(" AND ");
  const text = db
    .prepare(`SELECT ${column} FROM ${table} WHERE ${where}`)
    .pluck()
    .get(...key) as string | undefined;
  if (text === undefined || !mentions(text, login)) return false;
  db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(withoutMentions(text, login), ...key);
  if (table === "contents") eraseWord(db, Number(key[0]));
  return true;
}

/** The words of a text that named somebody are those of the text as it is now; the next search reads them again. */
function eraseWord(db: Database.Database, id: number): void {
  const row = db
    .prepare(
      `SELECT ${RECORD_COLUMNS} FROM records r JOIN repositories p ON p.id = r.repo JOIN ${RECORD_CONTENTS}
       WHERE r.id = ?`,
    )
    .raw()
    .get(id);
  const { text, hunk } = recordWords(readRecord(row));
  db.prepare("UPDATE words SET text = ?, hunk = ? WHERE id = ?").run(text, hunk, id);
  const version = tick(db);
  db.prepare("UPDATE records SET changed = ? WHERE id = ?").run(version, id);
  db.prepare("UPDATE repositories SET version = ? WHERE id = (SELECT repo FROM records WHERE id = ?)").run(version, id);
}
