// Finds all data about one person, and anonymises it on request. Memories of the person's texts
// stay without an author; with `texts` they are removed.

import { createHash } from "node:crypto";
import { mentions, namesIn, withoutAddresses, withoutMentions } from "../../adapters/person-mentions.ts";
import type { AnyJob } from "../../ports.ts";
import { recordTerms } from "../../search/terms.ts";
import { RECORD_COLUMNS, RECORD_TABLES, type RecordRow, readRecord, tick } from "../memory/records.ts";
import { readJob } from "../queue/read-job.ts";
import type { Database, Sql } from "../sql.ts";
import { oneValue, values } from "../statement.ts";

/** The databases of a store: two SQLite files, or the same PostgreSQL twice. */
export interface StoreDatabases {
  readonly queue: Database;
  readonly memory: Database | null;
}

interface PeopleSettings {
  /** The database's name for operators: `memory.db`. */
  readonly nameOf: (of: "queue" | "memory") => string;
  /** Removes memories of a repository, with their bytes; returns how many. */
  readonly forget: (repo: string, ids: readonly string[]) => Promise<number>;
  /** Called before anything changes, so that a restore of an older backup repeats the erasure. */
  readonly record: (person: WantedPerson, texts: boolean) => void;
  readonly reclaim: () => Promise<void>;
}

/** A person by numeric id, or by login or e-mail address. */
type NamedPerson = { readonly id: number } | { readonly login: string };

interface PersonRow {
  /** `memory.db/contents`. */
  readonly kept: string;
  readonly row: Readonly<Record<string, unknown>>;
}

interface ErasedPerson {
  readonly logins: number;
  readonly ids: number;
  readonly removed: number;
  readonly anonymised: number;
}

export type PersonStore = ReturnType<typeof storedPeople>;

/** The data about a person. After `Transient`, call again. */
export function storedPeople(stores: StoreDatabases, { nameOf, forget, record, reclaim }: PeopleSettings) {
  return {
    rows: async (named: NamedPerson): Promise<readonly PersonRow[]> =>
      personRows(await findPerson(wantedPerson(named), stores), stores, nameOf),
    /** @param texts also removes what they wrote, not only their identity */
    async erase(named: NamedPerson, texts: boolean): Promise<ErasedPerson> {
      const wanted = wantedPerson(named);
      const person = await findPerson(wanted, stores);
      const loginHashes = new Set([...wanted.loginHashes, ...person.logins.map(loginHash)]);
      record({ ids: new Set([...wanted.ids, ...person.ids]), loginHashes }, texts);
      const erased = await anonymise(person, texts, stores, forget);
      await reclaim();
      return erased;
    },
  };
}

/** A table with columns that name people. A row concerns a person when one of them does. */
interface NamingTable {
  readonly table: string;
  readonly of: "queue" | "memory";
  /** A column with a login, and one with a numeric id. */
  readonly login: string | null;
  readonly id: string | null;
}

const NAMING: readonly NamingTable[] = [
  { table: "paused", of: "queue", login: "by", id: null },
  { table: "declined", of: "queue", login: "by", id: null },
  { table: "answers", of: "queue", login: null, id: "user_id" },
  { table: "contents", of: "memory", login: "author", id: null },
  { table: "evidence", of: "memory", login: "by_login", id: "by_id" },
  { table: "decided", of: "memory", login: "by", id: null },
  { table: "rejections", of: "memory", login: "by", id: null },
];

/** A table with texts that may mention a person, as `@login` or by e-mail address. */
interface MentioningTable extends Pick<NamingTable, "table" | "of"> {
  readonly key: readonly string[];
  readonly texts: readonly string[];
}

const CONTENTS: MentioningTable = {
  table: "contents",
  of: "memory",
  key: ["id"],
  texts: ["text", "replies", "situation", "lesson", "hunk", "flagged_code", "fixed_code"],
};
const MENTIONING: readonly MentioningTable[] = [
  { table: "jobs", of: "queue", key: ["id"], texts: ["job", "outcome"] },
  { table: "declined", of: "queue", key: ["key", "finding"], texts: ["reason"] },
  { table: "reviews", of: "queue", key: ["written"], texts: ["review"] },
  { table: "retrievals", of: "queue", key: ["row"], texts: ["query"] },
  CONTENTS,
  { table: "evidence", of: "memory", key: ["id", "key"], texts: ["text"] },
  { table: "decided", of: "memory", key: ["id"], texts: ["reason"] },
  { table: "rejections", of: "memory", key: ["id", "by"], texts: ["reason"] },
];

/** GitHub's account for deleted users. */
const GHOST = "ghost";
/** Rows per transaction, so that nothing waits long. */
const CHUNK = 200;

/** A person to search for: tombstones store only the hash of a login. */
interface WantedPerson {
  readonly ids: ReadonlySet<number>;
  readonly loginHashes: ReadonlySet<string>;
}

function wantedPerson(named: NamedPerson): WantedPerson {
  if ("id" in named) return { ids: new Set([named.id]), loginHashes: new Set() };
  return { ids: new Set(), loginHashes: new Set([loginHash(named.login)]) };
}

function loginHash(login: string): string {
  return createHash("sha256").update(login.toLowerCase()).digest("hex");
}

/** A person with all known ids, and logins and e-mail addresses in lower case. */
interface KnownPerson {
  readonly ids: readonly number[];
  readonly logins: readonly string[];
}

/** All ids and logins of a person, by rows that have both: GitHub sometimes gives only one. */
export async function findPerson(
  { ids: given, loginHashes }: WantedPerson,
  stores: StoreDatabases,
): Promise<KnownPerson> {
  const pairs = await identitiesIn(stores);
  const ids = new Set(given);
  const logins = new Set<string>();
  for (const { login } of pairs) if (login !== null && loginHashes.has(loginHash(login))) logins.add(login);
  // A renamed person has one id and two logins, so repeat until nothing is added.
  for (let size = -1; size !== ids.size + logins.size; ) {
    size = ids.size + logins.size;
    for (const { id, login } of pairs) {
      if (id === null || login === null || !(ids.has(id) || logins.has(login))) continue;
      ids.add(id);
      logins.add(login);
    }
  }
  return { ids: [...ids], logins: [...logins] };
}

interface Identity {
  readonly id: number | null;
  readonly login: string | null;
}

async function identitiesIn(stores: StoreDatabases): Promise<readonly Identity[]> {
  const pairs: Identity[] = [];
  for (const { table, of, login, id } of NAMING)
    pairs.push(
      ...((await stores[of]?.all<Identity>(
        `SELECT DISTINCT ${id ?? "NULL"} AS id, lower(${login ?? "NULL"}) AS login FROM ${table}`,
      )) ?? []),
    );
  for (const { job } of await jobsOf(stores.queue))
    for (const { id, login } of peopleIn(job)) pairs.push({ id, login: login?.toLowerCase() ?? null });
  for (const mentioning of MENTIONING) {
    const db = stores[mentioning.of];
    if (db !== null) for await (const text of textsNaming(db, mentioning)) pairs.push(...namesIn(text));
  }
  return pairs;
}

async function* textsNaming(db: Database, { table, key, texts }: MentioningTable): AsyncGenerator<string> {
  const order = key.map((name) => `"${name}"`).join(", ");
  for (const column of texts)
    for (let from = 0, isMore = true; isMore; from += CHUNK) {
      const rows = await db.all<{ text: string }>(
        `SELECT ${column} AS text FROM ${table} WHERE ${column} LIKE '%@%' ORDER BY ${order} LIMIT ${CHUNK} OFFSET ${from}`,
      );
      for (const { text } of rows) yield text;
      isMore = rows.length === CHUNK;
    }
}

async function jobsOf(sql: Sql) {
  const rows = await sql.all<{ id: number; state: string; job: string }>("SELECT id, state, job FROM jobs");
  return rows.map((row) => ({ ...row, job: readJob(row.job) }));
}

function peopleIn(job: AnyJob): readonly Identity[] {
  if (job.kind === "command") return [job.comment.author, { id: job.pull.authorId, login: null }];
  const named = job.kind === "review" ? job.askedBy : job.kind === "feedback" ? (job.unresolved?.by ?? null) : null;
  return named === null ? [] : [named];
}

function isBy({ id, login }: Identity, { ids, logins }: KnownPerson): boolean {
  return (id !== null && ids.includes(id)) || (login !== null && logins.includes(login.toLowerCase()));
}

async function personRows(
  person: KnownPerson,
  stores: StoreDatabases,
  nameOf: (of: "queue" | "memory") => string,
): Promise<readonly PersonRow[]> {
  const found: PersonRow[] = [];
  const { among } = stores.queue.dialect;
  for (const { table, of, login, id } of NAMING) {
    const given = values();
    const parts: string[] = [];
    if (login !== null) parts.push(among(`lower(${login})`, given.at(person.logins), "text"));
    if (id !== null) parts.push(among(id, given.at(person.ids), "int"));
    const text = `SELECT * FROM ${table} WHERE ${parts.join(" OR ")}`;
    for (const row of (await stores[of]?.all<PersonRow["row"]>(text, given.list)) ?? [])
      found.push({ kept: `${nameOf(of)}/${table}`, row });
  }
  for (const { id, job } of await jobsOf(stores.queue)) {
    if (!peopleIn(job).some((identity) => isBy(identity, person))) continue;
    const row = await stores.queue.one<PersonRow["row"]>("SELECT * FROM jobs WHERE id = $1", [id]);
    if (row !== null) found.push({ kept: `${nameOf("queue")}/jobs`, row });
  }
  for (const { table, of, texts } of MENTIONING)
    for (const column of texts)
      for (const login of person.logins) {
        const text = `SELECT * FROM ${table} WHERE lower(${column}) LIKE $1 ESCAPE '\\'`;
        const rows = await stores[of]?.all<PersonRow["row"]>(text, [likely(login)]);
        const mentioning = (rows ?? []).filter((row) => mentions(String(row[column]), login));
        found.push(...mentioning.map((row) => ({ kept: `${nameOf(of)}/${table}.${column}`, row })));
      }
  return found;
}

function likely(login: string): string {
  return `%${login.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
}

/**
 * Anonymises everything; idempotent.
 *
 * @param texts also removes what the person wrote
 * @param forget removes memories of a repository, with their bytes
 * @throws Transient; then call again
 */
export async function anonymise(
  person: KnownPerson,
  texts: boolean,
  stores: StoreDatabases,
  forget: (repo: string, ids: readonly string[]) => Promise<number>,
): Promise<ErasedPerson> {
  const { queue, memory } = stores;
  const forgotten = memory === null || !texts ? 0 : await forgetTexts(person, memory, forget);
  const { removed, changed } = await queue.transaction((tx) => anonymiseQueue(tx, person, texts));
  let anonymised = changed;
  if (memory !== null) {
    // Before the author is removed: any address in a person's own text may be theirs.
    const isOwn = memory.dialect.among("lower(author)", "$1", "text");
    anonymised += await rewriteTexts(memory, CONTENTS, () => isOwn, person.logins, withoutAddresses);
    anonymised += await memory.transaction((tx) => anonymiseMemory(tx, person, texts));
  }
  // Mentions in texts by others and by us.
  const mayMention = (column: string) => `lower(${column}) LIKE $1 ESCAPE '\\'`;
  for (const mentioning of MENTIONING) {
    const db = stores[mentioning.of];
    if (db === null) continue;
    for (const login of person.logins) {
      const rewritten = (text: string) => withoutMentions(text, login);
      anonymised += await rewriteTexts(db, mentioning, mayMention, likely(login), rewritten);
    }
  }
  return { logins: person.logins.length, ids: person.ids.length, removed: forgotten + removed, anonymised };
}

async function forgetTexts(
  { logins }: KnownPerson,
  memory: Database,
  forget: (repo: string, ids: readonly string[]) => Promise<number>,
): Promise<number> {
  const rows = await memory.all<{ repo: string; mem: string }>(
    `SELECT p.host || '/' || p.github_id AS repo, r.mem FROM records r JOIN repositories p ON p.id = r.repo
     JOIN contents c ON c.id = r.id WHERE ${memory.dialect.among("lower(c.author)", "$1", "text")}`,
    [logins],
  );
  let forgotten = 0;
  for (const [repo, own] of Map.groupBy(rows, (row) => row.repo)) {
    const ids = own.map(({ mem }) => mem);
    forgotten += await forget(repo, ids);
  }
  return forgotten;
}

async function anonymiseQueue(tx: Sql, person: KnownPerson, texts: boolean) {
  let [removed, changed] = [0, 0];
  // Deleted rather than searched: the model is asked again.
  await tx.run("DELETE FROM replies");
  for (const { id, state, job } of await jobsOf(tx)) {
    const isOwn = job.kind === "command" && isBy(job.comment.author, person);
    if (isOwn && state !== "running") {
      removed += await tx.run("DELETE FROM jobs WHERE id = $1", [id]);
      continue;
    }
    const unnamed = withoutPerson(job, person);
    if (unnamed !== job)
      changed += await tx.run("UPDATE jobs SET job = $2 WHERE id = $1", [id, JSON.stringify(unnamed)]);
  }
  const mine = tx.dialect.among("lower(by)", "$1", "text");
  removed += await tx.run(`DELETE FROM answers WHERE ${tx.dialect.among("user_id", "$1", "int")}`, [person.ids]);
  const reason = texts ? ", reason = ''" : "";
  changed += await tx.run(`UPDATE paused SET by = '${GHOST}' WHERE ${mine}`, [person.logins]);
  changed += await tx.run(`UPDATE declined SET by = '${GHOST}'${reason} WHERE ${mine}`, [person.logins]);
  return { removed, changed };
}

/** Returns the same job if it does not name the person. */
function withoutPerson(job: AnyJob, person: KnownPerson): AnyJob {
  if (!peopleIn(job).some((identity) => isBy(identity, person))) return job;
  if (job.kind === "review") return { ...job, askedBy: { id: 0, login: GHOST } };
  if (job.kind === "feedback") return { ...job, unresolved: null };
  if (job.kind !== "command") return job;
  const { comment, pull } = job;
  const isOwn = isBy(comment.author, person);
  return {
    ...job,
    comment: isOwn ? { ...comment, author: { id: 0, login: GHOST }, url: "" } : comment,
    pull: person.ids.includes(pull.authorId) ? { ...pull, authorId: 0 } : pull,
  };
}

async function anonymiseMemory(tx: Sql, person: KnownPerson, texts: boolean): Promise<number> {
  const { among } = tx.dialect;
  const mine = (column: string) => among(`lower(${column})`, "$1", "text");
  const without = (column: string) => (texts ? `, ${column} = NULL` : "");
  const { ids, logins } = person;
  let changed = await tx.run(`UPDATE contents SET author = '${GHOST}', url = NULL WHERE ${mine("author")}`, [logins]);
  // Distinct negative ids keep anonymised people apart; GitHub has no negative ids.
  const lowest = (await oneValue<number>(tx, "SELECT min(by_id) FROM evidence")) ?? 0;
  changed += await tx.run(
    `UPDATE evidence SET by_id = $3, by_login = '${GHOST}', url = NULL${without("text")}
     WHERE ${mine("by_login")} OR ${among("by_id", "$2", "int")}`,
    [logins, ids, Math.min(0, lowest) - 1],
  );
  changed += await tx.run(`UPDATE decided SET by = '${GHOST}'${without("reason")} WHERE ${mine("by")}`, [logins]);
  const ghosts = `SELECT count(DISTINCT by) FROM rejections WHERE by LIKE '${GHOST}-%'`;
  const ghost = `${GHOST}-${(await oneValue<number>(tx, ghosts)) ?? 0}`;
  // A person who declined under two logins counts once: the last login stays.
  changed += await tx.run(
    `DELETE FROM rejections WHERE ${mine("by")} AND EXISTS
       (SELECT 1 FROM rejections o WHERE o.id = rejections.id AND o.by > rejections.by AND ${mine("o.by")})`,
    [logins],
  );
  const anonymous = `UPDATE rejections SET by = $2, url = NULL${without("reason")} WHERE ${mine("by")}`;
  return changed + (await tx.run(anonymous, [logins, ghost]));
}

/** Rewrites the texts where the condition holds for their column; `given` is its `$1`. */
async function rewriteTexts(
  db: Database,
  { table, key, texts }: MentioningTable,
  where: (column: string) => string,
  given: unknown,
  rewritten: (text: string) => string,
): Promise<number> {
  let changed = 0;
  for (const column of texts) {
    const rows = await db.all<Readonly<Record<string, unknown>>>(
      `SELECT ${[...key, column].map((name) => `"${name}"`).join(", ")} FROM ${table}
       WHERE ${column} IS NOT NULL AND ${where(column)}`,
      [given],
    );
    const naming = rows.filter((row) => rewritten(String(row[column])) !== String(row[column]));
    for (let from = 0; from < naming.length; from += CHUNK) {
      await db.transaction(async (tx) => {
        if (table === "contents") await tick(tx);
        for (const row of naming.slice(from, from + CHUNK)) {
          const is = key.map((name, at) => `"${name}" = $${at + 3}`).join(" AND ");
          // If the row changed meanwhile, the next call finds it again.
          await tx.run(`UPDATE ${table} SET ${column} = $1 WHERE ${column} = $2 AND ${is}`, [
            rewritten(String(row[column])),
            row[column],
            ...key.map((name) => row[name]),
          ]);
          if (table === "contents") await writeTermsAgain(tx, Number(row.id));
        }
      });
    }
    changed += naming.length;
  }
  return changed;
}

/** Recomputes the search terms of a changed text; the search index reloads them. */
async function writeTermsAgain(tx: Sql, id: number): Promise<void> {
  const row = await tx.one<RecordRow>(
    `SELECT ${RECORD_COLUMNS} FROM records r JOIN repositories p ON p.id = r.repo JOIN ${RECORD_TABLES} WHERE r.id = $1`,
    [id],
  );
  if (row === null) return;
  await tx.run("UPDATE terms SET terms = $2 WHERE id = $1", [id, recordTerms(readRecord(row))]);
  const written = [id, await tick(tx)];
  await tx.run("UPDATE records SET changed = $2 WHERE id = $1", written);
  await tx.run("UPDATE repositories SET version = $2 WHERE id = (SELECT repo FROM records WHERE id = $1)", written);
}
