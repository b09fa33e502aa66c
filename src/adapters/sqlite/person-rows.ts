// Everything that both files keep about one person. GitHub tells sometimes a login, sometimes an id: what was seen together
// belongs together.
import type { PersonRow } from "../../ports/person.ts";
import { mentions } from "../person-mentions.ts";
import type { Database } from "./database.ts";
import { loginHash } from "./tombstones.ts";

/** A person as they are asked for: tombstones know a login by its hash only. */
export interface AskedPerson {
  readonly ids: ReadonlySet<number>;
  /** See loginHash. */
  readonly loginHashes: ReadonlySet<string>;
}

/** A person as they are known. Logins are in lower case. */
export interface KnownPerson {
  readonly ids: ReadonlySet<number>;
  readonly logins: ReadonlySet<string>;
}

type Pair = readonly [id: number | null, login: string | null];

/** Where a person stands, of which both files have one list each. */
const QUEUE_PAIRS = `
  SELECT json_extract(job, '$.comment.author.id'), json_extract(job, '$.comment.author.login') FROM jobs WHERE lane = 'command'
  UNION SELECT json_extract(job, '$.unresolved.by.id'), json_extract(job, '$.unresolved.by.login') FROM jobs
    WHERE lane = 'upkeep' AND json_extract(job, '$.unresolved') IS NOT NULL
  UNION SELECT NULL, by FROM paused UNION SELECT NULL, by FROM declined`;
const MEMORY_PAIRS = `
  SELECT by_id, by_login FROM evidence UNION SELECT NULL, author FROM contents
  UNION SELECT NULL, by FROM decided UNION SELECT NULL, by FROM rejections
  UNION SELECT NULL, by FROM against`;

/** Who that is, by all ids and logins that stand together with those asked for. */
export function findPerson(
  { ids: askedIds, loginHashes }: AskedPerson,
  queue: Database.Database,
  memory: Database.Database | null,
): KnownPerson {
  const of = (db: Database.Database, sql: string) => db.prepare(sql).raw().all() as Pair[];
  const pairs = [...of(queue, QUEUE_PAIRS), ...(memory === null ? [] : of(memory, MEMORY_PAIRS))];
  const ids = new Set(askedIds);
  const logins = new Set<string>();
  for (const [, login] of pairs)
    if (login !== null && loginHashes.has(loginHash(login))) logins.add(login.toLowerCase());
  // Somebody renamed stands there with one id and two logins: until nothing is added.
  for (let size = -1; size !== ids.size + logins.size; ) {
    size = ids.size + logins.size;
    addNeighbours(pairs, ids, logins);
  }
  return { ids, logins };
}

function addNeighbours(pairs: readonly Pair[], ids: Set<number>, logins: Set<string>): void {
  for (const [id, login] of pairs) {
    if (id === null || login === null || !(ids.has(id) || logins.has(login.toLowerCase()))) continue;
    ids.add(id);
    logins.add(login.toLowerCase());
  }
}

/** The rows: where, and how a row is known to be about the person. `?ids` and `?logins` are JSON lists. */
const QUEUE_ROWS: readonly (readonly [table: string, where: string])[] = [
  [
    "jobs",
    `json_extract(job, '$.comment.author.id') IN (SELECT value FROM json_each(@ids))
     OR json_extract(job, '$.pull.authorId') IN (SELECT value FROM json_each(@ids))
     OR json_extract(job, '$.unresolved.by.id') IN (SELECT value FROM json_each(@ids))
     OR lower(json_extract(job, '$.comment.author.login')) IN (SELECT value FROM json_each(@logins))`,
  ],
  ["paused", "lower(by) IN (SELECT value FROM json_each(@logins))"],
  ["declined", "lower(by) IN (SELECT value FROM json_each(@logins))"],
  ["answers", "user_id IN (SELECT value FROM json_each(@ids))"],
];
const MEMORY_ROWS: typeof QUEUE_ROWS = [
  ["contents", "lower(author) IN (SELECT value FROM json_each(@logins))"],
  [
    "evidence",
    "by_id IN (SELECT value FROM json_each(@ids)) OR lower(by_login) IN (SELECT value FROM json_each(@logins))",
  ],
  ["decided", "lower(by) IN (SELECT value FROM json_each(@logins))"],
  ["rejections", "lower(by) IN (SELECT value FROM json_each(@logins))"],
  ["against", "lower(by) IN (SELECT value FROM json_each(@logins))"],
];
/** Texts in which somebody may be mentioned, as `@login`. */
export const QUEUE_TEXTS = [
  ["jobs", "job"],
  ["jobs", "outcome"],
  ["declined", "reason"],
  ["reviews", "review"],
  ["retrievals", "query"],
] as const;
export const MEMORY_TEXTS = [
  ["contents", "text"],
  ["contents", "replies"],
  ["contents", "situation"],
  ["contents", "lesson"],
  ["contents", "hunk"],
  ["contents", "flagged_code"],
  ["contents", "fixed_code"],
  ["evidence", "text"],
  ["decided", "reason"],
  ["rejections", "reason"],
  ["against", "reason"],
] as const;

/** Every row about the person, as it stands. */
export function personRows(
  person: KnownPerson,
  queue: Database.Database,
  memory: Database.Database | null,
): readonly PersonRow[] {
  return [
    ...rowsOf("queue.db", queue, QUEUE_ROWS, QUEUE_TEXTS, person),
    ...(memory === null ? [] : rowsOf("memory.db", memory, MEMORY_ROWS, MEMORY_TEXTS, person)),
  ];
}

function rowsOf(
  file: string,
  db: Database.Database,
  rows: typeof QUEUE_ROWS,
  texts: readonly (readonly [string, string])[],
  person: KnownPerson,
): readonly PersonRow[] {
  const given = { ids: JSON.stringify([...person.ids]), logins: JSON.stringify([...person.logins]) };
  const found: PersonRow[] = [];
  for (const [table, where] of rows) {
    for (const row of db.prepare(`SELECT * FROM ${table} WHERE ${where}`).all(given)) {
      found.push({ kept: `${file}/${table}`, row: row as PersonRow["row"] });
    }
  }
  for (const [table, column] of texts) {
    for (const login of person.logins) {
      const rows = db.prepare(`SELECT * FROM ${table} WHERE instr(lower(${column}), ?) > 0`).all(login);
      const told = (rows as PersonRow["row"][]).filter((row) => mentions(String(row[column]), login));
      found.push(...told.map((row) => ({ kept: `${file}/${table}.${column}`, row })));
    }
  }
  return found;
}
