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
    /** A text of 10,000 characters at most in both ways, for not much more than one of them. */
    readonly bothOf: (text: string) => BothWays;
    readonly ownOf: (shared: readonly number[]) => number[];
  };
}

/** A text in numbers of words, in order, with repeats. */
export interface BothWays {
  /** As `tokenise` gives them. */
  readonly words: readonly number[];
  /** Runs of letters, digits and underscores as they stand there, in lower case. */
  readonly asTheyStand: readonly number[];
}

/** A text that is no longer has fewer words than `tokenise` reads of one. */
const READ_HERE = 20_000;
/** What searches before this one met is kept up to so many bytes of runs: 100,000 runs, some 15 MB, and many times what one meets. */
const MOST_BYTES = 1_000_000;

let kept: RunTable = runTable(tokenise);
const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** A text in UTF-8, and a zero that ends its last run. */
const bytes = new Uint8Array(READ_HERE * 3 + 1);

/** Without a word in it: one is made for each search. */
export function lexicon(): Lexicon {
  if (kept.bytes() > MOST_BYTES) kept = runTable(tokenise);
  const table = kept;
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
      bothOf: (text) => readBoth(table, text),
      ownOf,
    },
  };
}

/** The words of a text, in the numbers of the table. */
function readText(table: RunTable, text: string): readonly number[] {
  if (text.length > READ_HERE) return table.ofText(text);
  readRuns(table, text, false);
  return read.words.slice(0, read.ofWords);
}

/** Of a text half as long as READ_HERE at most, since a letter may be two in lower case. */
function readBoth(table: RunTable, text: string): BothWays {
  const isAscii = readRuns(table, text, false);
  const words = read.words.slice(0, read.ofWords);
  // Beyond ASCII the lower case of a letter depends on those around its run, and a run may fall apart in lower case.
  if (!isAscii) readRuns(table, text.toLowerCase(), true);
  return { words, asTheyStand: read.standing.slice(0, read.ofStanding) };
}

/** What was read last, so many numbers of each: the lists only grow, and what is wanted of them is copied. */
const read = { words: [0], ofWords: 0, standing: [0], ofStanding: 0 };

/** @returns whether all of the text is ASCII; where it is not, it is read as it stands only if it is in lower case */
function readRuns(table: RunTable, text: string, isLower: boolean): boolean {
  const { written } = encoder.encodeInto(text, bytes);
  bytes[written] = 0;
  read.ofWords = 0;
  read.ofStanding = 0;
  for (let at = 0; at < written; at += 1) {
    const end = endOfRun(at);
    if (end > at && seen.kinds === 1) addRun(table, at, end);
    else if (end > at) addRuns(table, decoder.decode(bytes.subarray(at, end)), isLower);
    // What ends a run is part of none.
    at = end;
  }
  return written === text.length;
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

function addRun(table: RunTable, start: number, end: number): void {
  const run = table.find(bytes, start, end, seen.hash);
  addStanding(table.asItStands(run));
  const word = table.wordIn(run);
  if (word >= 0) addWord(word);
  else if (word < NO_WORD) for (const one of table.several(word)) addWord(one);
}

/** Of a stretch in which there is more than ASCII. */
function addRuns(table: RunTable, stretch: string, isLower: boolean): void {
  for (const word of table.ofText(stretch)) addWord(word);
  if (isLower) for (const run of stretch.match(/[\p{L}\p{N}_]+/gu) ?? []) addStanding(table.numberOf(run));
}

function addWord(word: number): void {
  read.words[read.ofWords] = word;
  read.ofWords += 1;
}

function addStanding(word: number): void {
  read.standing[read.ofStanding] = word;
  read.ofStanding += 1;
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
