// The ranking as one would first write it, with words as strings and nothing kept: what the quick
// one must give to the last bit.
import type { KeywordHit, VectorHit } from "../../../src/domain/retrieval.ts";
import { bagOf, inverseFrequency, KEYWORDS } from "../../../src/domain/text/bm25.ts";
import { fnv1a } from "../../../src/domain/text/hash.ts";
import { lowInformation, proseOf, withoutFooters } from "../../../src/domain/text/low-information.ts";
import { tokenise } from "../../../src/domain/text/tokenise.ts";
import { BACKGROUND, rarity } from "../../../src/domain/text/word-rarity.ts";
import type { Foldable } from "../../../src/retrieve/rank/dedupe.ts";
import type { FusedHit } from "../../../src/retrieve/rank/fusion.ts";
import type { Change, RememberedComment } from "../../../src/retrieve/rank/prepare-documents.ts";

type Vector = ReadonlyMap<string, number>;
type Weigh = (word: string) => number;

function prepared(comment: RememberedComment) {
  const text = withoutFooters(comment.text);
  const spans = [...text.matchAll(/`([^`\n]{2,80})`/g)].map((match) => match[1] ?? "");
  const lines = comment.hunk.split("\n").filter((line) => !line.startsWith("@@"));
  const about = lines.slice(-4).map((line) => line.slice(1, 2_000));
  return {
    ...comment,
    lowInformation: lowInformation(comment.text) === null ? 0 : 1,
    words: tokenise(text),
    proseWords: tokenise(proseOf(comment.text)),
    spanWords: tokenise(spans.join(" ")),
    lineWords: tokenise(about.join("\n")),
  };
}

function windowsOf(lines: readonly (readonly string[])[], size: number) {
  const step = Math.ceil(size / 2);
  const found: string[][] = [];
  for (let at = 0; at === 0 || at < lines.length - step; at += step) {
    const words = lines.slice(at, at + size).flat();
    if (words.length > 1) found.push(words);
  }
  return found;
}

function asked(change: Change) {
  const hunks = change.hunks.map(({ section, lines }) => {
    const of = (kind: string) => lines.filter((line) => line.kind === kind).map(({ text }) => tokenise(text));
    return {
      added: of("added"),
      removed: of("removed"),
      context: [...of("context").flat(), ...tokenise(section)],
    };
  });
  const title = tokenise(change.title);
  const body = tokenise(change.body);
  const talk = [...title, ...body, ...change.paths.flatMap((path) => tokenise(path))];
  const added = hunks.flatMap((hunk) => hunk.added.flat());
  return {
    title,
    body,
    added,
    all: [...talk, ...added],
    removed: hunks.flatMap((hunk) => hunk.removed.flat()),
    context: hunks.flatMap((hunk) => hunk.context),
    windows: hunks.flatMap((hunk) => windowsOf([...hunk.added, ...hunk.removed], 20)),
    pairs: hunks.flatMap((hunk) => windowsOf(hunk.added, 2)),
  };
}

function vectorOf(words: readonly string[], weigh: Weigh): Vector {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  let square = 0;
  for (const [word, count] of counts) {
    const value = (count === 1 ? 1 : 1 + Math.log(count)) * weigh(word);
    counts.set(word, value);
    square += value * value;
  }
  const length = Math.sqrt(square) || 1;
  for (const [word, value] of counts) counts.set(word, value / length);
  return counts;
}

/** In the order of the first one's words. */
function cosine(one: Vector, other: Vector): number {
  let sum = 0;
  for (const [word, share] of one) sum += share * (other.get(word) ?? 0);
  return sum;
}

const shareOf = (word: string) => (BACKGROUND.counts.get(word) ?? 0) / BACKGROUND.texts;

function bm25(texts: readonly (readonly string[])[], words: readonly string[], { k1, b }: typeof KEYWORDS): number[] {
  const bags = texts.map((text) => Map.groupBy(text, (word) => word));
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  const mean = Math.max(1e-9, total / Math.max(1, texts.length));
  const scores = texts.map(() => 0);
  for (const [word, weight] of bagOf(words)) {
    const found = bags.filter((bag) => bag.has(word)).length;
    const gain = weight * inverseFrequency(texts.length, found, shareOf(word)) * (k1 + 1);
    for (const [at, bag] of bags.entries()) {
      const count = bag.get(word)?.length ?? 0;
      const longer = k1 * (1 - b) + ((k1 * b) / mean) * (texts[at]?.length ?? 0);
      if (count > 0) scores[at] = (scores[at] ?? 0) + (gain * count) / (count + longer);
    }
  }
  return scores;
}

/** The signals of text and company; those of place are the same functions. */
export function plainSignals(change: Change, comments: readonly RememberedComment[]): Record<string, number[]> {
  const memories = comments.map(prepared);
  const query = asked(change);
  const texts = memories.map(({ words }) => words);
  const everywhere = rarity(BACKGROUND);
  const weigh: Weigh = (word) => {
    const count = texts.filter((words) => words.includes(word)).length;
    return 0.5 * everywhere(word) + 0.5 * inverseFrequency(texts.length, count, shareOf(word));
  };
  const vectors = texts.map((words) => vectorOf(words, weigh));
  const lines = memories.map(({ lineWords }) => vectorOf(lineWords, weigh));
  const near = (of: readonly Vector[], windows: typeof query.windows) => {
    const weighed = windows.map((words) => vectorOf(words, weigh));
    return of.map((vector) => weighed.reduce((best, window) => Math.max(best, cosine(window, vector)), 0));
  };
  const whole = (words: readonly string[]) => {
    const asks = vectorOf(words, weigh);
    return vectors.map((vector) => cosine(asks, vector));
  };
  const touched = new Set([...query.added, ...query.removed]);
  const windowScores = query.windows.map((words) => bm25(texts, words, { k1: 1.2, b: 0.8 }));
  return {
    windowText: near(vectors, query.windows),
    pairText: near(vectors, query.pairs),
    windowLines: near(lines, query.windows),
    allText: whole(query.all),
    titleText: whole(query.title),
    titleKeywords: bm25(texts, query.title, KEYWORDS),
    bodyKeywords: bm25(texts, query.body, { k1: 1.2, b: 0.9 }),
    addedKeywords: bm25(texts, query.added, KEYWORDS),
    contextKeywords: bm25(texts, query.context, KEYWORDS),
    windowKeywords: texts.map((_, at) => windowScores.reduce((best, scores) => Math.max(best, scores[at] ?? 0), 0)),
    spans: memories.map(({ spanWords }) => {
      const words = [...new Set(spanWords)];
      const sum = (of: readonly string[]) => of.reduce((total, word) => total + everywhere(word), 0);
      return sum(words.filter((word) => touched.has(word))) / words.reduce((t, word) => t + everywhere(word), 1);
    }),
    lowInformation: memories.map((memory) => memory.lowInformation),
  };
}

/** Both lists of each query by reciprocal rank, then the best score of any query. */
export function plainRanks(
  queries: readonly { readonly nearest: readonly VectorHit[]; readonly matching: readonly KeywordHit[] }[],
  weights: { readonly vector: number; readonly keyword: number },
  k: number,
): Pick<FusedHit, "id" | "score">[] {
  const best = new Map<string, number>();
  for (const { nearest, matching } of queries) {
    const scores = new Map<string, number>();
    for (const [list, weight] of [
      [nearest, weights.vector],
      [matching, weights.keyword],
    ] as const)
      for (const [at, id] of [...new Set(list.map((hit) => hit.id))].entries())
        scores.set(id, (scores.get(id) ?? 0) + weight / (k + at + 1));
    for (const [id, score] of scores) best.set(id, Math.max(best.get(id) ?? 0, score));
  }
  const before = (one: string, other: string) => fnv1a(one) - fnv1a(other) || (one < other ? -1 : 1);
  return [...best].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score || before(a.id, b.id));
}

/** Ids of what is kept: each text against all that are kept before it. */
export function plainKept(texts: readonly Foldable[], threshold: number): string[] {
  const wordsOf = (text: string) =>
    new Set(
      (
        text
          .slice(0, 10_000)
          .toLowerCase()
          .match(/[\p{L}\p{N}_]+/gu) ?? []
      ).slice(0, 1_000),
    );
  const shared = (one: Set<string>, other: Set<string>) => [...one].filter((word) => other.has(word)).length;
  const kept: { id: string; words: Set<string> }[] = [];
  for (const { id, text } of texts) {
    const words = wordsOf(text);
    const isAlike = (other: Set<string>) =>
      words.size + other.size === 0 ||
      shared(words, other) / (words.size + other.size - shared(words, other)) >= threshold;
    if (!kept.some((one) => one.id === id || isAlike(one.words))) kept.push({ id, words });
  }
  return kept.map(({ id }) => id);
}
