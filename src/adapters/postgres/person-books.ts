// The books about people. What is erased no longer tells who they are; what a team learnt from their words stays, said by nobody
// in particular; with `texts` their words go as well. A dump that is older brings it back: docs/data.md says what to do then.
import type { ErasedPerson, PersonBooks } from "../../ports/person.ts";
import { recordWords } from "../memory/record-words.ts";
import { mentions, withoutMentions } from "../person-mentions.ts";
import { postgresMemory } from "./memory.ts";
import { findPerson, isBy, type KnownPerson, type PersonJob, personJobs, personRows, TEXTS } from "./person-rows.ts";
import { RECORD_COLUMNS, readRecord } from "./read-record.ts";
import { rewriteTables } from "./rewrite.ts";
import type { Postgres, Sql } from "./sql.ts";
import { LEXEMES } from "./write-records.ts";

/** GitHub's own account for whoever deleted theirs. */
const NOBODY = "ghost";
/** Texts a transaction: nobody waits long for their rows. */
const CHUNK = 200;

/** Over an open database (see PARTS). Throws `Transient` when it cannot be asked: call again, it changes nothing more. */
export function postgresPersonBooks(db: Postgres): PersonBooks {
  return {
    rewrite: () => rewriteTables(db),
    rows: async (named) => personRows(db, await findPerson(db, named)),
    async erase(named, texts) {
      const person = await findPerson(db, named);
      const forgotten = texts ? await forgetTexts(db, person) : 0;
      const removed = await db.transaction((sql) => removeOwn(sql, person));
      const anonymised = await db.transaction((sql) => anonymise(sql, person, texts));
      let mentioned = 0;
      for (const [table, column] of TEXTS)
        for (const login of person.logins) mentioned += await eraseMentions(db, table, column, login);
      await db.patiently("VACUUM (SKIP_LOCKED, INDEX_CLEANUP ON)").catch(() => {});
      return {
        ...{ logins: person.logins.length, ids: person.ids.length },
        ...{ removed: forgotten + removed, anonymised: anonymised + mentioned },
      } satisfies ErasedPerson;
    },
  };
}

async function forgetTexts(db: Postgres, { logins }: KnownPerson): Promise<number> {
  const rows = await db.all<{ repo: string; mem: string }>(
    `SELECT p.host || '/' || p.github_id AS repo, r.mem FROM records r JOIN repositories p ON p.id = r.repo
     JOIN contents c ON c.id = r.id WHERE lower(c.author) = ANY($1::text[])`,
    [logins],
  );
  let gone = 0;
  for (const [repo, own] of Map.groupBy(rows, ({ repo }) => repo)) {
    gone += await postgresMemory(db).forget(
      repo,
      own.map(({ mem }) => mem),
    );
  }
  return gone;
}

/** Their commands, but for one that runs, and what counts their comments. */
async function removeOwn(sql: Sql, person: KnownPerson): Promise<number> {
  const own = (await personJobs(sql)).filter(
    ({ state, job: { comment } }) => state !== "running" && comment !== undefined && isBy(comment.author, person),
  );
  const jobs = await sql.run("DELETE FROM jobs WHERE id = ANY($1::bigint[]) AND state <> 'running'", [
    own.map(({ id }) => id),
  ]);
  // Rather asked again than searched for somebody.
  await sql.run("DELETE FROM replies");
  return jobs + (await sql.run("DELETE FROM answers WHERE user_id = ANY($1::bigint[])", [person.ids]));
}

async function anonymise(sql: Sql, person: KnownPerson, texts: boolean): Promise<number> {
  const mine = "lower(by) = ANY($1::text[])";
  const quiet = (column: string) => (texts ? `, ${column} = NULL` : "");
  const run = (text: string, ...values: unknown[]) => sql.run(text, [person.logins, ...values]);
  let changed = await anonymiseJobs(sql, person);
  changed += await run(`UPDATE paused SET by = '${NOBODY}' WHERE ${mine}`);
  changed += await run(`UPDATE declined SET by = '${NOBODY}'${texts ? ", reason = ''" : ""} WHERE ${mine}`);
  changed += await run(`UPDATE contents SET author = '${NOBODY}', url = NULL WHERE lower(author) = ANY($1::text[])`);
  // Two people who are both nobody are still two: a negative number is no account of GitHub's.
  changed += await run(
    `UPDATE evidence SET by_id = (SELECT least(0, min(by_id)) - 1 FROM evidence), by_login = '${NOBODY}',
       url = NULL${quiet("text")} WHERE lower(by_login) = ANY($1::text[]) OR by_id = ANY($2::bigint[])`,
    person.ids,
  );
  changed += await run(`UPDATE decided SET by = '${NOBODY}'${quiet("reason")} WHERE ${mine}`);
  const others = `SELECT count(*) FROM (SELECT by FROM rejections UNION SELECT by FROM against) AS x WHERE by LIKE '${NOBODY}-%'`;
  const nobody = `${NOBODY}-${(await sql.one<{ count: number }>(others))?.count ?? 0}`;
  for (const table of ["rejections", "against"]) {
    // Somebody who declined under two names is one.
    changed +=
      await run(`DELETE FROM ${table} AS one USING ${table} AS other WHERE one.id = other.id AND one.by < other.by
      AND lower(one.by) = ANY($1::text[]) AND lower(other.by) = ANY($1::text[])`);
    changed += await run(`UPDATE ${table} SET by = $2, url = NULL${quiet("reason")} WHERE ${mine}`, nobody);
  }
  return changed;
}

async function anonymiseJobs(sql: Sql, person: KnownPerson): Promise<number> {
  let changed = 0;
  for (const { id, job } of await personJobs(sql)) {
    const unnamed = withoutPerson(job, person);
    if (unnamed === job) continue;
    changed += await sql.run("UPDATE jobs SET job = $2 WHERE id = $1", [id, JSON.stringify(unnamed)]);
  }
  return changed;
}

/** The same value where nothing tells of the person. */
function withoutPerson(job: PersonJob, person: KnownPerson): PersonJob {
  let told = job;
  if (told.comment !== undefined && isBy(told.comment.author, person))
    told = { ...told, comment: { ...told.comment, author: { id: 0, login: NOBODY }, url: null } };
  if (told.pull !== undefined && person.ids.includes(told.pull.authorId))
    told = { ...told, pull: { ...told.pull, authorId: 0 } };
  if (told.unresolved && isBy(told.unresolved.by, person)) told = { ...told, unresolved: null };
  return told;
}

/** In what others wrote, and in what we say about it. */
async function eraseMentions(db: Postgres, table: string, column: string, login: string): Promise<number> {
  const found = await db.all<{ at: string }>(
    `SELECT ctid::text AS at FROM ${table} WHERE position($1 IN lower(${column}::text)) > 0`,
    [login],
  );
  let changed = 0;
  for (let from = 0; from < found.length; from += CHUNK) {
    const chunk = found.slice(from, from + CHUNK).map(({ at }) => at);
    changed += await db.transaction(async (sql) => {
      let done = 0;
      for (const at of chunk) done += await eraseMention(sql, [table, column], login, at);
      return done;
    });
  }
  return changed;
}

/** A row that moved since it was found was written by somebody else: the next call finds it again. */
async function eraseMention(
  sql: Sql,
  [table, column]: readonly [string, string],
  login: string,
  at: string,
): Promise<number> {
  const row = await sql.one<{ text: string | null }>(
    `SELECT ${column}::text AS text FROM ${table} WHERE ctid = $1::tid FOR UPDATE`,
    [at],
  );
  const text = row?.text ?? "";
  if (!mentions(text, login)) return 0;
  const type = table === "contents" && column === "replies" ? "::jsonb" : "";
  const id = table === "contents" ? "id" : "NULL::bigint AS id";
  const written = await sql.one<{ id: number | null }>(
    `UPDATE ${table} SET ${column} = $2${type} WHERE ctid = $1::tid RETURNING ${id}`,
    [at, withoutMentions(text, login)],
  );
  if (written !== null && written.id !== null) await eraseWords(sql, written.id);
  return 1;
}

/** The words of a text that named somebody are those of the text as it is now; the next search reads them again. */
async function eraseWords(sql: Sql, id: number): Promise<void> {
  const row = await sql.one(
    `SELECT ${RECORD_COLUMNS} FROM records r JOIN repositories p ON p.id = r.repo JOIN contents c ON c.id = r.id WHERE r.id = $1`,
    [id],
  );
  const { text, hunk } = recordWords(readRecord(row));
  await sql.run("UPDATE words SET text = $2, hunk = $3 WHERE id = $1", [id, text, hunk]);
  await sql.run(`UPDATE words SET lexemes = ${LEXEMES} WHERE id = $1`, [id]);
  const version = await sql.one<{ version: number }>(
    `UPDATE repositories SET version = nextval('memory_clock') WHERE id = (SELECT repo FROM records WHERE id = $1)
     RETURNING version`,
    [id],
  );
  await sql.run("UPDATE records SET changed = $2 WHERE id = $1", [id, version?.version ?? 0]);
}
