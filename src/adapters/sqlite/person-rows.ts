// Everything that both files keep about one person. GitHub tells sometimes a login, sometimes an id: what was seen together
// belongs together.
import type { PersonRow } from "../../ports/person.ts";
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
  UNION SELECT NULL, by FROM decided UNION SELECT NULL, by FROM rejections`;

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
  ["evidence", "text"],
  ["decided", "reason"],
  ["rejections", "reason"],
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

/** Whether somebody is named in the text: see withoutMentions. */
export function mentions(text: string, login: string): boolean {
  return withoutMentions(text, login) !== text;
}

const NAME_CHARACTER = /[A-Za-z0-9-]/;

/**
 * The text with GitHub's own word for nobody in place of a login: of `@login`, unless it begins a longer name, and of
 * `"by":"login"` in JSON. Linear in the text.
 */
export function withoutMentions(text: string, login: string): string {
  const name = login.toLowerCase();
  const unasked = replaced(text, `@${name}`, "@ghost", (after) => !NAME_CHARACTER.test(after));
  return replaced(unasked, `"by":"${name}"`, '"by":"ghost"', () => true);
}

function replaced(text: string, wanted: string, by: string, fits: (after: string) => boolean): string {
  const lower = text.toLowerCase();
  // A letter whose small form is longer would move what follows: such a text is searched as it is written.
  const searched = lower.length === text.length ? lower : text;
  const parts: string[] = [];
  let from = 0;
  for (let at = searched.indexOf(wanted); at >= 0; at = searched.indexOf(wanted, at + wanted.length)) {
    if (!fits(text.charAt(at + wanted.length))) continue;
    parts.push(text.slice(from, at), by);
    from = at + wanted.length;
  }
  return parts.join("") + text.slice(from);
}
