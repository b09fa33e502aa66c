// Everything that the database keeps about one person. GitHub tells sometimes a login, sometimes an id: what was seen together
// belongs together.
import type { NamedPerson, PersonRow } from "../../ports/person.ts";
import { mentions } from "../person-mentions.ts";
import type { Postgres, Sql } from "./sql.ts";

/** A person as they are known. Logins are in lower case. */
export interface KnownPerson {
  readonly ids: readonly number[];
  readonly logins: readonly string[];
}

/** What of a job may tell of a person. */
export interface PersonJob {
  readonly comment?: { readonly author: { readonly id: number; readonly login: string }; readonly url: string | null };
  readonly pull?: { readonly authorId: number };
  readonly unresolved?: { readonly by: { readonly id: number; readonly login: string } } | null;
}

export interface PersonJobRow {
  readonly id: number;
  readonly state: string;
  readonly job: PersonJob;
}

/** Jobs that may tell of somebody: commands, and looks that a resolved thread asked for. */
export async function personJobs(sql: Sql): Promise<readonly PersonJobRow[]> {
  const rows = await sql.all<{ id: number; state: string; job: string }>(
    `SELECT id, state, job FROM jobs WHERE lane = 'command' OR position('"unresolved":{' IN job) > 0 ORDER BY id`,
  );
  return rows.map((row) => ({ ...row, job: JSON.parse(row.job) as PersonJob }));
}

type Pair = readonly [id: number | null, login: string | null];

const PAIRS = `SELECT by_id AS id, by_login AS login FROM evidence UNION SELECT NULL, author FROM contents
  UNION SELECT NULL, by FROM decided UNION SELECT NULL, by FROM rejections UNION SELECT NULL, by FROM against
  UNION SELECT NULL, by FROM paused UNION SELECT NULL, by FROM declined`;

/** Who that is, by all ids and logins that stand together with the one asked for. */
export async function findPerson(sql: Sql, named: NamedPerson): Promise<KnownPerson> {
  const rows = await sql.all<{ id: number | null; login: string | null }>(PAIRS);
  const inJobs = (await personJobs(sql)).flatMap(({ job: { comment, unresolved } }): Pair[] => [
    ...(comment === undefined ? [] : [[comment.author.id, comment.author.login] as const]),
    ...(unresolved ? [[unresolved.by.id, unresolved.by.login] as const] : []),
  ]);
  const pairs = [...rows.map(({ id, login }): Pair => [id, login]), ...inJobs];
  const ids = new Set("id" in named ? [named.id] : []);
  const wanted = "login" in named ? named.login.toLowerCase() : null;
  const logins = new Set(pairs.some(([, login]) => login?.toLowerCase() === wanted) && wanted !== null ? [wanted] : []);
  // Somebody renamed stands there with one id and two logins: until nothing is added.
  for (let size = -1; size !== ids.size + logins.size; ) {
    size = ids.size + logins.size;
    addNeighbours(pairs, ids, logins);
  }
  return { ids: [...ids], logins: [...logins] };
}

function addNeighbours(pairs: readonly Pair[], ids: Set<number>, logins: Set<string>): void {
  for (const [id, login] of pairs) {
    if (id === null || login === null || !(ids.has(id) || logins.has(login.toLowerCase()))) continue;
    ids.add(id);
    logins.add(login.toLowerCase());
  }
}

/** Whose job it is, or who is told of in it. */
export function isAbout({ comment, pull, unresolved }: PersonJob, person: KnownPerson): boolean {
  return (
    (comment !== undefined && isBy(comment.author, person)) ||
    (pull !== undefined && person.ids.includes(pull.authorId)) ||
    (unresolved ? person.ids.includes(unresolved.by.id) : false)
  );
}

/** Whether an account is the person's. */
export function isBy({ id, login }: { readonly id: number; readonly login: string }, person: KnownPerson): boolean {
  return person.ids.includes(id) || person.logins.includes(login.toLowerCase());
}

/** Where a person stands by themselves; `$1` are ids, `$2` logins. */
const OWN: readonly (readonly [table: string, where: string])[] = [
  ["paused", "lower(by) = ANY($2::text[])"],
  ["declined", "lower(by) = ANY($2::text[])"],
  ["answers", "user_id = ANY($1::bigint[])"],
  ["contents", "lower(author) = ANY($2::text[])"],
  ["evidence", "by_id = ANY($1::bigint[]) OR lower(by_login) = ANY($2::text[])"],
  ["decided", "lower(by) = ANY($2::text[])"],
  ["rejections", "lower(by) = ANY($2::text[])"],
  ["against", "lower(by) = ANY($2::text[])"],
];

/** Texts in which somebody may be mentioned, as `@login`. */
export const TEXTS: readonly (readonly [table: string, column: string])[] = [
  ...[["jobs", "job"] as const, ["jobs", "outcome"] as const, ["declined", "reason"] as const],
  ...[["reviews", "review"] as const, ["retrievals", "query"] as const],
  ...["text", "replies", "situation", "lesson", "hunk", "flagged_code", "fixed_code"].map(
    (column) => ["contents", column] as const,
  ),
  ...[["evidence", "text"] as const, ["decided", "reason"] as const],
  ...[["rejections", "reason"] as const, ["against", "reason"] as const],
];

/** Every row about the person, as it stands. */
export async function personRows(db: Postgres, person: KnownPerson): Promise<readonly PersonRow[]> {
  const found: PersonRow[] = [];
  const add = (kept: string, rows: readonly PersonRow["row"][]) => found.push(...rows.map((row) => ({ kept, row })));
  const jobs = (await personJobs(db)).filter(({ job }) => isAbout(job, person)).map(({ id }) => id);
  add("jobs", await db.all<PersonRow["row"]>("SELECT * FROM jobs WHERE id = ANY($1::bigint[]) ORDER BY id", [jobs]));
  for (const [table, where] of OWN) {
    // A statement takes no parameter that it does not name.
    const both = "($1::bigint[] IS NOT NULL AND $2::text[] IS NOT NULL)";
    const rows = `SELECT * FROM ${table} WHERE ${both} AND (${where})`;
    add(table, await db.all<PersonRow["row"]>(rows, [person.ids, person.logins]));
  }
  for (const [table, column] of TEXTS) {
    for (const login of person.logins) {
      const rows = await db.all<PersonRow["row"]>(
        `SELECT * FROM ${table} WHERE position($1 IN lower(${column}::text)) > 0`,
        [login],
      );
      add(
        `${table}.${column}`,
        rows.filter((row) => mentions(textOf(row[column]), login)),
      );
    }
  }
  return found;
}

/** As it is searched: lists as JSON. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
