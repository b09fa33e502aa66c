// Matching by Postgres's own index of words, where the index in memory cannot answer.
import type { KeywordHit } from "../../domain/retrieval.ts";
import { tokenise } from "../../domain/tokenise.ts";
import type { KeywordQuestion } from "./question.ts";
import { filterSql, parameters, scopeSql } from "./scope-sql.ts";
import type { Sql } from "./sql.ts";

/** Distinct words that are asked for, the rarest: its rank takes 14 ms a word over 100,000 rows, and frequent words tell little. */
const MOST_WORDS = 30;
/** How much a word counts in the hunk (D) and elsewhere (A); B and C are not used. */
const WEIGHTS = "{0.25, 0, 0, 1}";

/** By each text the k best by ts_rank; scores are comparable within one answer only. */
export async function matchingInDatabase(sql: Sql, of: KeywordQuestion): Promise<readonly (readonly KeywordHit[])[]> {
  const frequency = await frequencies(sql);
  const found: (readonly KeywordHit[])[] = [];
  for (const text of of.texts) {
    const words = [...new Set(tokenise(text))].sort(
      (one, other) => (frequency.get(one) ?? 0) - (frequency.get(other) ?? 0) || (one < other ? -1 : 1),
    );
    found.push(words.length === 0 ? [] : await matching(sql, of, words.slice(0, MOST_WORDS)));
  }
  return found;
}

function matching(
  sql: Sql,
  { scope, filter, paths, k }: KeywordQuestion,
  words: readonly string[],
): Promise<KeywordHit[]> {
  const given = parameters();
  const { rows } = scopeSql(scope, given);
  const admitted = filterSql(filter, paths, given);
  const query = `${given.at(words.map(quoted).join(" | "))}::tsquery`;
  return sql.all<KeywordHit>(
    `SELECT r.mem AS id, ts_rank('${WEIGHTS}'::real[], w.lexemes, ${query})::double precision AS score
     FROM words w JOIN records r ON r.id = w.id JOIN repositories p ON p.id = r.repo
     WHERE w.lexemes @@ ${query} AND ${rows} AND ${admitted} ORDER BY score DESC, r.mem LIMIT ${given.at(k)}`,
    given.values,
  );
}

/** As a tsquery reads it: words hold letters and digits only, and the quotes keep them from being operators. */
function quoted(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

/** How often the most frequent words occur, 0–1, as Postgres last counted them; rarer words are not among them. */
async function frequencies(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const row = await sql.one<{ words: string[] | null; shares: number[] | null }>(
    `SELECT most_common_elems::text::text[] AS words, most_common_elem_freqs AS shares FROM pg_stats
     WHERE schemaname = current_schema() AND tablename = 'words' AND attname = 'lexemes'`,
  );
  return new Map((row?.words ?? []).map((word, at) => [word, row?.shares?.[at] ?? 0]));
}
