// Remarks that say the same in much the same words, put together: average link over cosine nearness of weighted words.
// Nearly linear: remarks meet only through shared words, and each brings its nearest few.
import type { WordWeight } from "../domain/word-rarity.ts";

/** A remark in the words that are compared. */
export interface Remark {
  readonly id: string;
  readonly words: readonly string[];
}

/** Words of one remark that are compared, the heaviest: a long comment is told by these, and no remark can slow all others. */
const MOST_WORDS = 48;
/** Of the remarks that are near enough, the nearest so many are tried: enough to reach any group that a remark belongs to. */
const NEIGHBOURS = 50;
/** A word that more remarks share tells little: it counts between a remark and so many others, the first by id. */
const MOST_MET = 1_000;

/** Remarks of the same words stand together from the start. */
interface Group {
  readonly ids: readonly string[];
  /** word → share; unit length */
  readonly vector: ReadonlyMap<number, number>;
}

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly near: number;
}

/**
 * Groups of remarks whose words are alike. The order of the remarks does not matter.
 *
 * @param remarks ids are distinct; one without words is in no group
 * @param weigh how much a word tells over many repositories, ≥ 0
 * @param least mean cosine between two groups that are joined, 0–1
 * @returns every group of at least two, each id in at most one; the most central first, groups by that id
 */
export function alikeRemarks(remarks: readonly Remark[], weigh: WordWeight, least: number): readonly string[][] {
  const groups = sameWords(remarks, mixed(remarks, weigh));
  return join(groups, nearestOf(groups, least), least)
    .map(({ members, sum }) => centralFirst(groups, members, sum))
    .filter((ids) => ids.length > 1)
    .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
}

function centralFirst(
  groups: readonly Group[],
  members: readonly number[],
  sum: ReadonlyMap<number, number>,
): string[] {
  return members
    .flatMap((at) => groups[at] ?? [])
    .map(({ ids, vector }) => ({ ids, first: ids[0] ?? "", near: dot(vector, sum) }))
    .sort((a, b) => b.near - a.near || (a.first < b.first ? -1 : 1))
    .flatMap(({ ids }) => ids);
}

/** Half rarity over many repositories, half rarity here: words that everybody here uses tell little. */
function mixed(remarks: readonly Remark[], weigh: WordWeight): WordWeight {
  const counts = new Map<string, number>();
  for (const { words } of remarks) for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => (weigh(word) + Math.log((remarks.length + 1) / ((counts.get(word) ?? 0) + 0.5))) / 2;
}

function sameWords(remarks: readonly Remark[], weigh: WordWeight): readonly Group[] {
  const vocabulary = new Map<string, number>();
  const byWords = new Map<string, { ids: string[]; vector: ReadonlyMap<number, number> }>();
  for (const { id, words } of remarks.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const shares = sharesOf(words, weigh);
    if (shares.length === 0) continue;
    const key = shares.map(([word, share]) => `${word} ${share}`).join("\n");
    const known = byWords.get(key);
    if (known !== undefined) {
      known.ids.push(id);
      continue;
    }
    const numbered = shares.map(([word, share]) => {
      const number = vocabulary.get(word) ?? vocabulary.size;
      vocabulary.set(word, number);
      return [number, share] as const;
    });
    byWords.set(key, { ids: [id], vector: new Map(numbered) });
  }
  return [...byWords.values()];
}

/** The heaviest words with their shares of a unit vector, heaviest first. */
function sharesOf(words: readonly string[], weigh: WordWeight): (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weights = [...counts]
    .map(([word, count]) => [word, (1 + Math.log(count)) * weigh(word)] as const)
    .filter(([, weight]) => weight > 0)
    .sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))
    .slice(0, MOST_WORDS);
  const length = Math.sqrt(weights.reduce((sum, [, weight]) => sum + weight * weight, 0));
  return weights.map(([word, weight]) => [word, weight / length]);
}

/** Each group's nearest among those before it. */
function nearestOf(groups: readonly Group[], least: number): Edge[] {
  const postings: Posting[] = [];
  const near = new Float64Array(groups.length);
  return groups.flatMap(({ vector }, from) => {
    near.fill(0, 0, from);
    for (const [word, share] of vector) {
      const posting = postings[word] ?? { of: [], shares: [] };
      meet(posting, share, near);
      postings[word] = posting;
      if (posting.of.length >= MOST_MET) continue;
      posting.of.push(from);
      posting.shares.push(share);
    }
    return edgesOf(from, near, least);
  });
}

/** In which groups a word stands, and with which share. */
interface Posting {
  readonly of: number[];
  readonly shares: number[];
}

function meet({ of, shares }: Posting, share: number, near: Float64Array): void {
  for (let at = 0; at < of.length; at += 1) {
    const to = of[at] ?? 0;
    near[to] = (near[to] ?? 0) + share * (shares[at] ?? 0);
  }
}

function edgesOf(from: number, nearness: Float64Array, least: number): Edge[] {
  let edges: Edge[] = [];
  let bar = least;
  for (let to = 0; to < from; to += 1) {
    const near = nearness[to] ?? 0;
    if (near < bar) continue;
    edges.push({ from, to, near });
    // Thousands of nearly the same remarks would otherwise be thousands of pairs each, to be sorted.
    if (edges.length < 4 * NEIGHBOURS) continue;
    edges = edges.sort(nearestFirst).slice(0, NEIGHBOURS);
    bar = edges.at(-1)?.near ?? bar;
  }
  return edges.sort(nearestFirst).slice(0, NEIGHBOURS);
}

function nearestFirst(a: Edge, b: Edge): number {
  return b.near - a.near || a.from - b.from || a.to - b.to;
}

interface Joined {
  readonly members: number[];
  /** Of the unit vectors of all remarks in it. */
  readonly sum: Map<number, number>;
  remarks: number;
}

/** Nearest pairs first; two groups are joined when all their remarks are near enough in the mean. */
function join(groups: readonly Group[], edges: readonly Edge[], least: number): readonly Joined[] {
  const of: Joined[] = groups.map(({ ids, vector }, at) => ({
    members: [at],
    sum: new Map([...vector].map(([word, share]) => [word, share * ids.length])),
    remarks: ids.length,
  }));
  for (const { from, to } of edges.toSorted(nearestFirst)) {
    const [one, other] = [of[from], of[to]];
    if (one === undefined || other === undefined || one === other) continue;
    const [small, large] = one.sum.size < other.sum.size ? [one, other] : [other, one];
    if (dot(small.sum, large.sum) / (small.remarks * large.remarks) < least) continue;
    swallow(large, small);
    for (const member of small.members) of[member] = large;
  }
  return [...new Set(of)];
}

function swallow(large: Joined, { members, sum, remarks }: Joined): void {
  for (const [word, share] of sum) large.sum.set(word, (large.sum.get(word) ?? 0) + share);
  for (const member of members) large.members.push(member);
  large.remarks += remarks;
}

function dot(small: ReadonlyMap<number, number>, large: ReadonlyMap<number, number>): number {
  let sum = 0;
  for (const [word, share] of small) sum += share * (large.get(word) ?? 0);
  return sum;
}
