// Decides which hunks a model reads, in which order, and in how many questions, from the change and
// the budget alone. The most important come first; what the budget leaves out is reported.

import type { Finding } from "../../domain/finding.ts";
import { type AskableModel, CHARS_PER_TOKEN, type ModelFailure } from "../../domain/model.ts";
import type { DiffLine, FileDiff, Hunk } from "../../domain/pull-request.ts";
import type { LineRange } from "../../domain/review/review-history.ts";
import type { Coverage, FileCoverage } from "../../domain/review.ts";
import type { FileKind, ReviewSignals } from "../../domain/signals.ts";
import { compareTexts } from "../../domain/text/compare-texts.ts";
import { drawHunk, fileHeading, MOST_LINE_CHARS } from "./draw-file.ts";

/** The part of the diff that one question shows: drawn files, in the order of their paths. */
export type Part = readonly { readonly path: string; readonly text: string }[];

export interface ReadingPlan {
  readonly parts: readonly Part[];
  /** One entry for each reviewed file, in order: the coverage if every question is answered. */
  readonly coverage: readonly FileCoverage[];
}

const KIND_WEIGHT: Readonly<Record<FileKind, number>> = { source: 4, infra: 3, config: 2.5, test: 1.5, docs: 0.5 };
/** A risk in a file weighs as much as the step from a test to production code. */
const RISK_WEIGHT = 2.5;
const MOST_RISKS = 3;
/** Code in memory was worth a comment before. */
const PRECEDENT_WEIGHT = 1.5;

/**
 * Plans the reading.
 *
 * @param precedentPaths paths of precedents and of hunks that memory knows
 * @param headTexts by path
 */
export function planReading(
  files: readonly FileDiff[],
  signals: ReviewSignals,
  precedentPaths: ReadonlySet<string>,
  headTexts: ReadonlyMap<string, string>,
  budget: ReadingBudget,
): ReadingPlan {
  const calls = packer(budget);
  const weights = fileWeights(files, signals, precedentPaths);
  const ordered = [...files].sort(
    (a, b) => (weights.get(b.path) ?? 0) - (weights.get(a.path) ?? 0) || compareTexts(a.path, b.path),
  );
  const coverage = new Map<string, FileCoverage>();
  for (const file of ordered) coverage.set(file.path, readFile(file, headTexts.get(file.path) ?? null, budget, calls));
  return { parts: calls.parts(), coverage: files.flatMap(({ path }) => coverage.get(path) ?? []) };
}

function readFile(
  file: FileDiff,
  headText: string | null,
  { charsPerCall }: ReadingBudget,
  calls: ReturnType<typeof packer>,
): FileCoverage {
  const pieces = file.hunks.flatMap((hunk) => piecesOf(hunk, charsPerCall));
  let headLines: readonly string[] | null = null;
  let [taken, cutLines] = [0, 0];
  for (const piece of pieces) {
    // Formatting a hunk that no longer fits would waste time.
    if (!calls.hasRoom(file, leastChars(piece))) continue;
    headLines ??= headText?.split("\n") ?? null;
    const drawn = drawHunk(file.path, piece, headLines);
    if (!calls.take(file, drawn.text)) continue;
    taken++;
    cutLines += drawn.cutLines;
  }
  return plannedCoverage(file, taken, pieces.length, cutLines);
}

function plannedCoverage({ path, complete }: FileDiff, taken: number, of: number, cutLines: number): FileCoverage {
  const part = (reason: string): FileCoverage => ({ path, state: "partial", reason });
  if (of === 0 && !complete) return { path, state: "not-read", reason: "its changes were not delivered" };
  if (of > 0 && taken === 0) return { path, state: "not-read", reason: "over the budget of this review" };
  if (taken < of) return part(`${taken} of ${of} pieces; the rest is over the budget`);
  if (!complete) return part("part of its changes was not delivered");
  if (cutLines === 0) return { path, state: "full", reason: null };
  return part(`only the beginning of ${cutLines === 1 ? "a long line" : `${cutLines} long lines`} was shown`);
}

/** A lower bound of the hunk's formatted length: an anchor has at least 8 characters. */
function leastChars(hunk: Hunk): number {
  return hunk.lines.reduce((sum, { text }) => sum + Math.min(text.length, MOST_LINE_CHARS - 1) + 8, 0);
}

/** UTF-16 units that anchor, marker and line end add to a line. */
const LINE_FRAME = 16;

/**
 * The whole hunk; or, when longer than a question, pieces, cut at empty lines if possible. They are
 * small against a question, so that little of its space is wasted.
 */
function piecesOf(hunk: Hunk, charsPerCall: number): readonly Hunk[] {
  const most = Math.max(1, Math.floor(charsPerCall * 0.9) - 2_000);
  const chars = hunk.lines.reduce((sum, line) => sum + shownChars(line), 0);
  return chars <= most ? [hunk] : cutHunk(hunk, Math.max(Math.floor(most / 7), Math.min(most, 2_000)));
}

function cutHunk(hunk: Hunk, most: number): readonly Hunk[] {
  const pieces: Hunk[] = [];
  let lines: DiffLine[] = [];
  let chars = 0;
  const close = () => {
    if (lines.length > 0) pieces.push(pieceOfHunk(hunk, lines));
    lines = [];
    chars = 0;
  };
  for (const line of hunk.lines) {
    const length = shownChars(line);
    if (chars + length > most || (chars > most * 0.8 && line.text.trim() === "")) close();
    lines.push(line);
    chars += length;
  }
  close();
  return pieces;
}

function shownChars({ text }: DiffLine): number {
  return Math.min(text.length, MOST_LINE_CHARS) + LINE_FRAME;
}

function fileWeights(
  files: readonly FileDiff[],
  signals: ReviewSignals,
  precedentPaths: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const kinds = new Map(signals.files.map(({ path, kind }) => [path, kind]));
  const risks = new Map<string, number>();
  for (const { evidence } of signals.risks) {
    for (const path of new Set(evidence.map((place) => place.path))) risks.set(path, (risks.get(path) ?? 0) + 1);
  }
  return new Map(
    files.map((file) => {
      const risk = RISK_WEIGHT * Math.min(MOST_RISKS, risks.get(file.path) ?? 0);
      const remembered = precedentPaths.has(file.path) ? PRECEDENT_WEIGHT : 0;
      // A large change holds more defects, but not in proportion: ten times the lines add one.
      const size = Math.log10(1 + file.additions + file.deletions);
      return [file.path, KIND_WEIGHT[kinds.get(file.path) ?? "source"] + risk + remembered + size];
    }),
  );
}

interface Call {
  readonly hunks: Map<FileDiff, string[]>;
  chars: number;
}

/** Packs whole hunks into questions, first fit; a hunk that fits no question is left out. */
function packer(budget: ReadingBudget) {
  const calls: Call[] = [];
  let inAll = 0;
  const frame = (file: FileDiff, call: Call | undefined) =>
    call?.hunks.has(file) === true ? 1 : fileHeading(file).length + 3;
  /** The last question keeps a file together; else an earlier one with space; else a new one. */
  const callFor = (file: FileDiff, chars: number): Call | null => {
    const fits = (call: Call) => call.chars + chars + frame(file, call) <= budget.charsPerCall;
    const last = calls.at(-1);
    const call = last !== undefined && fits(last) ? last : calls.find(fits);
    if (call !== undefined) return call;
    const fitsNone = calls.length >= budget.mostCalls || chars + frame(file, undefined) > budget.charsPerCall;
    return fitsNone ? null : { hunks: new Map(), chars: 0 };
  };
  return {
    /** False when no question has space for so many characters. */
    hasRoom: (file: FileDiff, chars: number) => inAll + chars <= budget.charsInAll && callFor(file, chars) !== null,
    take(file: FileDiff, hunk: string): boolean {
      const call = callFor(file, hunk.length);
      if (call === null || inAll + hunk.length > budget.charsInAll) return false;
      if (!calls.includes(call)) calls.push(call);
      const needed = hunk.length + frame(file, call);
      call.chars += needed;
      inAll += needed;
      call.hunks.set(file, [...(call.hunks.get(file) ?? []), hunk]);
      return true;
    },
    parts: (): readonly Part[] => calls.map(({ hunks }) => partOf(hunks)),
  };
}

function partOf(files: ReadonlyMap<FileDiff, readonly string[]>): Part {
  return [...files]
    .sort(([a], [b]) => compareTexts(a.path, b.path))
    .map(([file, hunks]) => ({ path: file.path, text: [fileHeading(file), ...hunks].join("\n") }));
}

/**
 * The files of a part in the order of a reading: by path; from the end; from the middle.
 *
 * @param reading from 0
 */
export function orderedFor(reading: number, part: Part): Part {
  if (reading === 1) return part.toReversed();
  const middle = reading === 2 ? Math.ceil(part.length / 2) : 0;
  return [...part.slice(middle), ...part.slice(0, middle)];
}

/** Consecutive lines of a hunk, with matching starts and lengths, in the hunk's section. */
export function pieceOfHunk(hunk: Hunk, lines: readonly DiffLine[]): Hunk {
  const first = (side: "oldLine" | "newLine", start: number) =>
    lines.find((line) => line[side] !== null)?.[side] ?? start;
  const count = (side: "oldLine" | "newLine") => lines.filter((line) => line[side] !== null).length;
  return {
    ...hunk,
    lines,
    oldStart: first("oldLine", hunk.oldStart),
    oldLines: count("oldLine"),
    newStart: first("newLine", hunk.newStart),
    newLines: count("newLine"),
  };
}

/** In order, and those that meet as one. */
export function joinedRanges(ranges: readonly LineRange[]): readonly LineRange[] {
  const joined: LineRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = joined.at(-1);
    if (before === undefined || range.first > before.last + 1) joined.push(range);
    else joined[joined.length - 1] = { first: before.first, last: Math.max(before.last, range.last) };
  }
  return joined;
}

/** Of diff in one question: above about 30,000 tokens a reviewer model overlooks more. */
const CHARS_PER_CALL = 80_000;
/** The sections about the pull request: about 13,000 tokens, and less in a small context. */
const CONTEXT_CHARS = 36_000;
const CONTEXT_PART = 0.3;
/** Share of a small context for the code around the change. */
const AROUND_PART = 0.25;
/** The instructions and the frame around everything. */
const FRAME_CHARS = 9_000;
/** Tokens of a reply, thinking included; at most a quarter of a small context. */
const REPLY_TOKENS = 16_000;
/** Mean tokens of a reply: for the estimate only. */
export const USUAL_REPLY_TOKENS = 6_000;
/** Questions in one review at any price: a person waits for it. */
export const MOST_QUESTIONS = 24;
/** Less diff than this is not worth a question. */
const LEAST_CHARS = 3_000;
/** The rest is for verification. */
export const PART_FOR_READING = 0.85;

/** The model's size and price. */
export type ModelMeasure = Pick<AskableModel, "contextTokens" | "price">;

/** How much diff is read. */
export type ReadingBudget = Pick<QuestionBudget, "charsPerCall" | "charsInAll" | "mostCalls">;

/** The space of one review's questions. */
export interface QuestionBudget {
  /** UTF-16 units of diff: in one question, and in all of them. */
  readonly charsPerCall: number;
  readonly charsInAll: number;
  readonly mostCalls: number;
  /** UTF-16 units for the sections about the pull request. */
  readonly contextChars: number;
  /** UTF-16 units for the code around the change. */
  readonly aroundChars: number;
  readonly replyTokens: number;
}

/**
 * Computes the space of the questions.
 *
 * @param usd US$ for this review, or Infinity; without a price it does not limit
 * @param around UTF-16 units of the code around the change, dropped first when the budget is short
 * @returns `charsPerCall` and `charsInAll` are 0 when budget or context do not hold one question
 */
export function readingBudget(model: ModelMeasure, usd: number, around = 0): QuestionBudget {
  const contextTokens = model.contextTokens("main");
  const replyTokens = Math.min(REPLY_TOKENS, Math.floor(contextTokens / 4));
  const usable = (contextTokens - replyTokens) * CHARS_PER_TOKEN * 0.9 - FRAME_CHARS;
  const contextChars = Math.floor(Math.min(CONTEXT_CHARS, Math.max(0, usable) * CONTEXT_PART));
  const aroundChars = Math.floor(Math.min(around, Math.max(0, usable) * AROUND_PART));
  const charsPerCall = Math.floor(Math.max(0, Math.min(CHARS_PER_CALL, usable - contextChars - aroundChars)));
  const budget = { contextChars, aroundChars, replyTokens };
  const cost = (chars: number) =>
    model.price(
      "main",
      (FRAME_CHARS + contextChars + aroundChars + chars) / CHARS_PER_TOKEN,
      Math.min(USUAL_REPLY_TOKENS, replyTokens),
    );
  if (charsPerCall < LEAST_CHARS && around > 0) return readingBudget(model, usd);
  if (charsPerCall < LEAST_CHARS) return { ...budget, charsInAll: 0, charsPerCall: 0, mostCalls: 0 };
  const reading = affordable(charsPerCall, cost, usd * PART_FOR_READING);
  return reading.charsInAll === 0 && around > 0 ? readingBudget(model, usd) : { ...budget, ...reading };
}

const VERIFY_FRAME_CHARS = 4_000;
const VERIFY_CHARS = 100_000;
const VERIFY_REPLY_TOKENS = 8_000;

/**
 * The space of a question that verifies findings.
 *
 * @returns UTF-16 units of findings and code, and tokens of the reply, thinking included; null when
 *   the context is too small
 */
export function verifyBudget(model: ModelMeasure) {
  const contextTokens = model.contextTokens("small");
  const replyTokens = Math.min(VERIFY_REPLY_TOKENS, Math.floor(contextTokens / 4));
  const usable = (contextTokens - replyTokens) * CHARS_PER_TOKEN * 0.9 - VERIFY_FRAME_CHARS;
  const chars = Math.floor(Math.min(VERIFY_CHARS, usable));
  return chars < LEAST_VERIFY_CHARS ? null : { chars, replyTokens };
}

/** Less does not fit a finding with its code. */
const LEAST_VERIFY_CHARS = 4_000;

function affordable(charsPerCall: number, cost: (chars: number) => number | null, money: number): ReadingBudget {
  const full = cost(charsPerCall);
  const isFree = full === null || full === 0;
  const mostCalls = isFree ? MOST_QUESTIONS : Math.min(MOST_QUESTIONS, Math.floor(money / full));
  if (mostCalls >= 1) return { charsPerCall, charsInAll: mostCalls * charsPerCall, mostCalls };
  const empty = cost(0) ?? 0;
  const chars = Math.floor(((money - empty) / ((full ?? 0) - empty)) * charsPerCall);
  const least = chars < LEAST_CHARS ? 0 : chars;
  return { charsPerCall: least, charsInAll: least, mostCalls: 1 };
}

/** Why a question has no answer, and what to do, by the word for the failure. */
export const MODEL_CAUSES: Readonly<Record<ModelFailure | "budget", { readonly what: string; readonly fix: string }>> =
  {
    refused: { what: "the model refused to answer", fix: "use another model" },
    truncated: { what: "the model's answer was cut off", fix: "use a model with longer replies" },
    "too-long": {
      what: "it did not fit the model's context",
      fix: "set KODIAI_MODEL_CONTEXT_TOKENS to what the server takes",
    },
    malformed: { what: "the model's answer did not have the requested form", fix: "use a larger model" },
    "rate-limited": { what: "the model's server is rate limited", fix: "wait, or raise the limit of the account" },
    overloaded: { what: "the model's server is overloaded", fix: "check the server's load and its log" },
    timeout: { what: "the model did not answer in time", fix: "check the server's load, or use a faster model" },
    unreachable: { what: "the model's server could not be reached", fix: "check the address and the network" },
    denied: { what: "the model's server refused our key", fix: "check ANTHROPIC_API_KEY or OPENAI_API_KEY" },
    unpaid: { what: "the model's account has no credit", fix: "add some, or use another key" },
    rejected: { what: "the model's server refused the question", fix: "`kodiai doctor --model` tries what it takes" },
    "circuit-open": {
      what: "the model's server failed several times in a row and is not asked for a while",
      fix: "check the server and its log",
    },
    stopped: { what: "the review was stopped", fix: "ask for it again: `/kodiai review`" },
    budget: { what: "the budget of this review was used up", fix: "raise `review.budget.usdPerReview`" },
  };

function causeOf(failure: string): { readonly what: string; readonly fix: string } {
  return (
    (MODEL_CAUSES as Readonly<Record<string, { what: string; fix: string }>>)[failure] ?? {
      what: "the model gave no answer",
      fix: "`kodiai doctor --model` asks it",
    }
  );
}

/** A failure with the server's own words, for people. */
export function failureReason({ failure, detail }: Failed): string {
  const { what, fix } = causeOf(failure);
  return detail === "" ? `${what}; ${fix}` : `${what}: ${detail}`;
}

/** Why a question has no answer. */
export interface Failed {
  readonly failure: string;
  /** The status and the sentence of the server, and what to do; "" when there is nothing to add. */
  readonly detail: string;
}

/**
 * The coverage of each reviewed file.
 *
 * @param failures for each part of the plan why no reading of it got an answer, or null
 * @param findings the model's, for how their places were established
 */
export function coverageOf(
  model: string,
  plan: ReadingPlan,
  failures: readonly (Failed | null)[],
  { cut, hidden, questions, readings }: Pick<Coverage, "cut" | "hidden" | "questions" | "readings">,
  findings: readonly Finding[],
): Coverage {
  const located = { anchor: 0, quote: 0, none: 0 };
  for (const { locMethod = "none" } of findings) located[locMethod === "rule" ? "none" : locMethod]++;
  return {
    model,
    questions,
    unanswered: failures.filter((failure) => failure !== null).length,
    files: plan.coverage.map((file) => lessUnanswered(file, plan.parts, failures)),
    ...(readings === undefined ? {} : { readings }),
    cut,
    hidden,
    located,
  };
}

function lessUnanswered(
  file: FileCoverage,
  parts: readonly Part[],
  failures: readonly (Failed | null)[],
): FileCoverage {
  const here = parts.flatMap((part, at) => (isIn(part, file.path) ? [failures[at] ?? null] : []));
  const failed = here.filter((failure) => failure !== null);
  const [first] = failed;
  if (first === undefined || file.state === "not-read" || file.state === "earlier") return file;
  return {
    path: file.path,
    state: failed.length === here.length ? "not-read" : "partial",
    reason: causeOf(first.failure).what,
  };
}

/** Whether a part shows something of this file. */
export function isIn(part: Part, path: string): boolean {
  return part.some((file) => file.path === path);
}
