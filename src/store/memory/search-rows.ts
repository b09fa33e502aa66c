// Reads rows of memory for the search index.
import type { MemoryFilter, Scope } from "../../domain/retrieval.ts";
import { pathMatcher } from "../../search/filter.ts";
import type { Admitted, RowCode, RowSource, Rows, SearchRow } from "../../search/rows.ts";
import type { Database, Sql } from "../sql.ts";
import { oneValue, select, values } from "../statement.ts";
import { spaceId } from "./records.ts";
import { filterSql, repoValues, scopeSql } from "./scope.ts";

/** Counts are cached per version of a repository: counting takes as long as reading. */
type Counts = Map<number, Pick<Admitted, "version" | "rows">>;

/** Rows of an open database. */
export function storedRows(db: Database): RowSource {
  const counts: Counts = new Map();
  return { snapshot: (work) => db.snapshot((sql) => work(rowsIn(sql, counts))) };
}

function rowsIn(sql: Sql, counts: Counts): Rows {
  const { among, cosineDistance, decodeCode, encodeCode, isComparable, length, measure, sendCode } = sql.dialect;
  const counted = async (found: readonly Omit<Admitted, "rows">[]): Promise<Admitted[]> => {
    const all: Admitted[] = [];
    for (const one of found) all.push({ ...one, rows: await rowsOf(sql, counts, one) });
    return all;
  };
  const codesOf = async (where: string, given: readonly unknown[]): Promise<readonly RowCode[]> => {
    const text = `SELECT id, ${sendCode("code")} AS code FROM vectors WHERE ${where}`;
    const found = await sql.all<{ id: number; code: Uint8Array }>(text, given);
    return found.map(({ id, code }) => ({ id, code: decodeCode(code) }));
  };
  const vectorsIn = async (repositories: readonly Admitted[], space: number, only = "") => {
    const text = `SELECT count(*) FROM vectors v JOIN records r ON r.id = v.id AND r.stale = 0
      WHERE v.space = $1 AND ${among("v.repo", "$2", "int")} ${only}`;
    return (await oneValue<number>(sql, text, [space, repositories.map(({ id }) => id)])) ?? 0;
  };
  return {
    async admitted(scope) {
      const found = await select<{ id: number; version: number; own: number }>(sql, (at) => {
        const { own, repositories } = scopeSql({ ...scope, excludePull: null, before: null }, { at });
        return `SELECT p.id, p.version, CASE WHEN ${own} THEN 1 ELSE 0 END AS own FROM repositories p WHERE ${repositories} ORDER BY p.id`;
      });
      return counted(found.map(({ id, version, own: isOwn }) => ({ id, version, isOwn: isOwn === 1 })));
    },
    async living(repository) {
      const text = "SELECT id FROM records WHERE repo = $1 AND stale = 0 ORDER BY id";
      return (await sql.all<{ id: number }>(text, [repository])).map(({ id }) => id);
    },
    changed: (repository, after, oldest, most) =>
      sql.all<SearchRow>(
        `SELECT r.id, r.mem, r.pull, r.at, r.corpus, r.language, r.chunk_type AS "chunkType", r.category, r.severity, r.outcome,
           r.path, r.changed, t.terms
         FROM records r JOIN terms t ON t.id = r.id
         WHERE r.repo = $1 AND r.stale = 0 AND (r.changed, r.id) > ($2, $3) AND r.id > $4
         ORDER BY r.changed, r.id LIMIT $5`,
        [repository, after.changed, after.id, oldest, most],
      ),
    async newest(repository, most) {
      const text = "SELECT id FROM records WHERE repo = $1 AND stale = 0 ORDER BY id DESC LIMIT 1 OFFSET $2";
      return (await oneValue<number>(sql, text, [repository, most])) ?? 0;
    },
    space: (space) => spaceId(sql, space),
    codes: (repository, space, after, most) =>
      codesOf("repo = $1 AND space = $2 AND id > $3 ORDER BY id LIMIT $4", [repository, space, after, most]),
    codesOf: (repository, space, ids) =>
      codesOf(`repo = $1 AND space = $2 AND ${among("id", "$3", "int")}`, [repository, space, ids]),
    async staleEmbeddings(repositories, space) {
      // Usually there is only one space, and then nothing is counted.
      const others = await sql.all<{ id: number; model: string; dimension: number }>(
        "SELECT id, model, dimension FROM spaces WHERE id <> $1 ORDER BY id",
        [space ?? 0],
      );
      let rows = 0;
      const models: string[] = [];
      for (const { id, model, dimension } of others) {
        const count = await vectorsIn(repositories, id);
        if (count > 0) models.push(`${model}, ${dimension} numbers`);
        rows += count;
      }
      return { rows, models };
    },
    damaged: (repositories, space, dimension) =>
      vectorsIn(repositories, space, `AND NOT ${isComparable("v.code", dimension)}`),
    async distances(scope, filter, space, codes) {
      const given = values();
      const { rows } = scopeSql(scope, given);
      const admitted = filterSql(filter, await admittedPaths(sql, scope, filter), sql.dialect, given);
      const columns = codes.map((code, at) => `${measure("v.code", given.at(encodeCode(code)))} AS "d${at}"`);
      const components = codes[0]?.length ?? 0;
      // One pass over the rows for all codes: a pass for each takes half as long again.
      const found = await sql.all<{
        id: number;
        mem: string;
        repo: number;
        length: number;
        [measured: `d${number}`]: number;
      }>(
        `SELECT r.id, r.mem, r.repo, ${length("v.code", components)} AS length, ${columns.join(", ")}
         FROM repositories p JOIN vectors v ON v.repo = p.id AND v.space = ${given.at(space)} JOIN records r ON r.id = v.id
         WHERE ${isComparable("v.code", components)} AND ${rows} AND ${admitted}`,
        given.list,
      );
      const lengths = codes.map((code) => Math.sqrt(code.reduce((sum, component) => sum + component * component, 0)));
      return found.map((row) => {
        const { id, mem, repo, length: own } = row;
        const distances = lengths.map((given, at) => cosineDistance(row[`d${at}`] ?? 0, own, given));
        return { id, mem, repo, distances };
      });
    },
    async version(repo) {
      const text = "SELECT version FROM repositories WHERE host = $1 AND github_id = $2";
      return (await oneValue<number>(sql, text, repoValues(repo))) ?? 0;
    },
  };
}

async function rowsOf(sql: Sql, counts: Counts, { id, version }: Pick<Admitted, "id" | "version">): Promise<number> {
  const known = counts.get(id);
  if (known?.version === version) return known.rows;
  const rows = (await oneValue<number>(sql, "SELECT count(*) FROM records WHERE repo = $1 AND stale = 0", [id])) ?? 0;
  counts.set(id, { version, rows });
  return rows;
}

/** Paths in scope that match a filter: the database does not know our globs. Null without one. */
async function admittedPaths(sql: Sql, scope: Scope, filter: MemoryFilter): Promise<readonly string[] | null> {
  const matches = pathMatcher(filter);
  if (matches === null) return null;
  const paths = await select<{ path: string }>(
    sql,
    (at) => `SELECT DISTINCT r.path FROM repositories p JOIN records r ON r.repo = p.id
       WHERE ${scopeSql(scope, { at }).rows} AND r.path IS NOT NULL`,
  );
  return paths.map(({ path }) => path).filter(matches);
}
