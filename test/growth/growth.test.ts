// Time grows with size: a part of growth.slow.test.ts, with what once did not.
import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { growthOf, MOST_GROWTH } from "./growth.ts";
import { SHAPES } from "./shapes.ts";
import { CODE_STAGES, PROSE_STAGES, symbols } from "./stages.ts";
import { TEXTS } from "./texts.ts";

afterAll(() => symbols.close());

const TEXTS_OF: readonly (readonly [stage: string, text: string])[] = [
  ["redact", "tokens"],
  ["redact", "URLs with passwords"],
  ["redact", "base64 words"],
  ["read the configuration", "hash lines"],
  ["analyze a commit", "line ends"],
  ["sanitize a block", "open links"],
];

test.each(TEXTS_OF)("%s: %s", async (stage, text) => {
  const [run, of] = [PROSE_STAGES[stage], TEXTS[text]];
  if (run === undefined || of === undefined) throw new Error("there is no such stage or text");
  expect((await growthOf((size) => run(of(size)), 16_384, 131_072)).ratio).toBeLessThan(MOST_GROWTH);
});

const FILES_OF: readonly (readonly [stage: string, text: string])[] = [
  ["read what is around", "one long line of words"],
  ["read what is around", "dotted names"],
  ["read references", "escaped quotes"],
];

test.each(FILES_OF)("%s: %s", async (stage, text) => {
  const [run, of] = [CODE_STAGES[stage]?.("src/a.ts"), TEXTS[text]];
  if (run === undefined || of === undefined) throw new Error("there is no such stage or text");
  expect((await growthOf((size) => run(of(size)), 8_192, 16_384)).ratio).toBeLessThan(MOST_GROWTH);
});

const FAST = [
  "read around a description of many paths",
  "read around many definitions",
  "read around one name defined often",
  "inspect many removed exports",
  "inspect a long script of a workflow",
  "inspect many updates of tables",
  "select many links to files of one name",
  "review findings against an earlier review",
  "review findings against many memories",
  "look up many memories in one long line",
];

test.each(FAST)("%s: time grows with number [T22]", async (shape) => {
  const sized = SHAPES[shape];
  if (sized === undefined) throw new Error("there is no such shape");
  expect((await growthOf(sized, 250, 4_000)).ratio).toBeLessThan(MOST_GROWTH);
});

/**
 * They read ids, names and settings, whole values of which others read the texts, or what Kodiai
 * wrote itself.
 */
const READ_NO_TEXT: Readonly<Record<string, string>> = {
  receive: "isForeignCheck",
  gather:
    "admit isFork isOwnFork gather gatherIssues openAmong gatherSettings gatherThread configAt threadBefore unreadProblem leftOutReason",
  analyze: "languageOf sharesOfFile assessAuthor changeMetrics fileKinds",
  retrieve: "searchMemory newGateCache",
  context: "",
  review: "answer probeQuestion",
  publish:
    "publish refuseReview publishAnswer acknowledge isAnswered beginCheck endCheck worstOnHead checkEnd failing leftCheckEnd",
  learn:
    "remember isDocPath isWikiPage attested codeStatus collectEvidence heldEvidence weighPull describeMemory fromNote fromRequest fromThread memoriesOfThread recordsOfFindings exportLine trainingPairs",
};

test.each(Object.entries(READ_NO_TEXT))("what %s exports is measured, or reads no text", async (stage, others) => {
  const measured = ["stages.ts", "shapes.ts"]
    .map((name) => readFileSync(new URL(name, import.meta.url), "utf8"))
    .join();
  const entry: Readonly<Record<string, unknown>> = await import(`../../src/${stage}/${stage}.ts`);
  const functions = Object.keys(entry).filter((name) => typeof entry[name] === "function");
  const known = others.split(" ");
  expect(functions.filter((name) => !known.includes(name) && !measured.includes(`${name}(`))).toEqual([]);
});
