// Words as numbers, so that what compares words compares numbers: of each search its own, small ones.
import { IN_RUN, tokenise } from "../domain/tokenise.ts";
import { FIRST_HASH, NO_WORD, nextHash, type RunTable, runTable } from "./run-table.ts";

/** The numbers of words, from 0 on in the order in which they were met. It only grows. */
export interface Lexicon {
  /** The words of a text as `tokenise` gives them, in order, with repeats. */
  numbersOf(text: string): number[];
  wordOf(number: number): string;
  /** Numbers given so far. */
  size(): number;
  /** What the searches share: there a word has a number that it keeps, as long as it is this table. */
  readonly shared: {
    readonly table: object;
    readonly numberOf: (number: number) => number;
    /** As the lexicon's, and back: `ownOf(shared.numbersOf(text))` is what `numbersOf(text)` is. */
    readonly numbersOf: (text: string) => readonly number[];
    readonly ownOf: (shared: readonly number[]) => number[];
  };
}

/** Splits a text into words; the words of a text are those of its runs (IN_RUN), one after another. */
type Split = (text: string) => readonly string[];

/** A text that is no longer has fewer words than `tokenise` reads of one. */
const READ_HERE = 20_000;
/** What searches before this one met is kept up to so many bytes of runs: 100,000 runs, some 15 MB, and many times what one meets. */
const MOST_BYTES = 1_000_000;

const kept = new Map<Split, RunTable>();
const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** A text in UTF-8, and a zero that ends its last run. */
const bytes = new Uint8Array(READ_HERE * 3 + 1);

/**
 * Without a word in it: one is made for each search.
 *
 * @param split a function that there is one of, since what it split before is kept
 */
export function lexicon(split: Split = tokenise): Lexicon {
  const table = tableOf(split);
  const { numberOf, words } = ownNumbers(table.words());
  const ownOf = (shared: readonly number[]) => {
    const own = new Array<number>(shared.length);
    for (let at = 0; at < own.length; at += 1) own[at] = numberOf(shared[at] ?? 0);
    return own;
  };
  return {
    numbersOf: (text) => ownOf(readText(table, text)),
    wordOf: (number) => table.wordOf(words[number] ?? -1),
    size: () => words.length,
    shared: {
      table,
      numberOf: (number) => words[number] ?? 0,
      numbersOf: (text) => readText(table, text),
      ownOf,
    },
  };
}

/** The words of a text, in the numbers of the table. */
function readText(table: RunTable, text: string): readonly number[] {
  if (text.length > READ_HERE) return table.ofText(text);
  const { written } = encoder.encodeInto(text, bytes);
  bytes[written] = 0;
  const read: number[] = [];
  for (let at = 0; at < written; at += 1) {
    const end = endOfRun(at);
    if (end > at) addRun(read, table, at, end);
    // What ends a run is part of none.
    at = end;
  }
  return read;
}

/** What was seen of the run that was read last: a hash of its bytes, and whether all are ASCII (1) or not. */
const seen = { hash: 0, kinds: 0 };

/** Where the run ends that begins here; here, where none does. */
function endOfRun(start: number): number {
  let at = start;
  let hash = FIRST_HASH;
  let kinds = 0;
  for (let kind = kindAt(at); kind !== 0; kind = kindAt(at)) {
    kinds |= kind;
    hash = nextHash(hash, bytes[at] ?? 0);
    at += 1;
  }
  seen.hash = hash;
  seen.kinds = kinds;
  return at;
}

function kindAt(at: number): number {
  return IN_RUN[bytes[at] ?? 0] ?? 0;
}

function addRun(read: number[], table: RunTable, start: number, end: number): void {
  if (seen.kinds !== 1) {
    for (const word of table.ofText(decoder.decode(bytes.subarray(start, end)))) read.push(word);
    return;
  }
  const found = table.find(bytes, start, end, seen.hash);
  if (found >= 0) read.push(found);
  else if (found < NO_WORD) for (const word of table.several(found)) read.push(word);
}

function tableOf(split: Split): RunTable {
  const known = kept.get(split);
  if (known !== undefined && known.bytes() <= MOST_BYTES) return known;
  const table = runTable(split);
  kept.set(split, table);
  return table;
}

/** The table's numbers to own ones. */
function ownNumbers(known: number) {
  // Own number of each, from 1 on; 0 before a word is met.
  let own = new Int32Array(known + 4_096);
  const words: number[] = [];
  const numberOf = (word: number): number => {
    if (word >= own.length) {
      const before = own;
      own = new Int32Array(Math.max(word + 1, before.length * 2));
      own.set(before);
    }
    const number = own[word] ?? 0;
    if (number > 0) return number - 1;
    own[word] = words.push(word);
    return words.length - 1;
  };
  return { numberOf, words };
}
