// kodiai explain: walks one change through the rooms and prints what each hands on. Posts nothing.
import { styleText } from "node:util";
import type { Skipped } from "../domain/omissions.ts";
import type { Precedents } from "../domain/retrieval.ts";
import { unreadDiff } from "../domain/review/quiet-verdict.ts";
import type { Review } from "../domain/review.ts";
import type { Stage } from "../flows/review/review-ports.ts";
import { writeReview } from "../flows/review/review-pull-request.ts";
import { withoutSecrets } from "../wire/secrets.ts";
import { precedentsPage } from "./precedents-page.ts";
import { type PlainQuestion, plainQuestion, promptParts, shownPrompts } from "./prompt-text.ts";
import { SUBJECT_OPTIONS, subject } from "./subject.ts";
import { terminalText } from "./terminal-text.ts";
import { type ExitCode, oneOf, readWords } from "./usage.ts";

interface Explanation {
  readonly version: 1;
  readonly job: unknown;
  readonly rooms: readonly { readonly room: string; readonly ms: number; readonly value: unknown }[];
  /** What a model was asked, part by part, what of it was cut, and what it read; in words where nobody was asked. */
  readonly model: unknown;
}

/** @throws UsageError, or whatever kept the review from being written */
export async function explain(words: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = readWords(words, SUBJECT_OPTIONS);
  const asJson = values.json === true || oneOf("format", values.format ?? "pretty", ["pretty", "json"]) === "json";
  const questions: PlainQuestion[] = [];
  const { job, ports } = await subject(values, positionals, (request) => questions.push(plainQuestion(request)));

  const rooms: Explanation["rooms"][number][] = [];
  const step: Stage = async (room, enter) => {
    const started = performance.now();
    const value = await enter();
    rooms.push({ room, ms: Math.round(performance.now() - started), value });
    return value;
  };
  const written = await writeReview(job, ports, step);
  // Whole files stand in what gather hands on, and with them their secrets.
  const told: Explanation = { version: 1, job, rooms, model: modelPart(questions, written) };
  const clean = await withoutSecrets(JSON.parse(JSON.stringify(told, plain)) as Explanation);
  if (asJson) console.log(JSON.stringify(clean, null, 2));
  else {
    for (const { room, ms, value } of clean.rooms)
      console.log(`${styleText(["bold", "cyan"], room)} ${styleText("dim", `${ms} ms`)}\n${page(value, ms)}\n`);
    console.log(`${styleText(["bold", "cyan"], "model")}\n${outline(clean.model, 1)}\n`);
    if (values["show-prompt"] === true) console.log(shownPrompts(questions, "pretty"));
  }
  const failed = written.kind === "review" ? unreadDiff(written) : written.reason;
  if (failed === null) return 0;
  console.error(`kodiai explain: not reviewed: ${failed}`);
  return 3;
}

function page(value: unknown, ms: number): string {
  return isPrecedents(value) ? precedentsPage(value, ms) : outline(value, 1);
}

function isPrecedents(value: unknown): value is Precedents {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "precedents";
}

function modelPart(questions: readonly PlainQuestion[], written: Review | Skipped): unknown {
  if (questions.length === 0 || written.kind === "skipped") return "no model was asked";
  const { coverage, cost } = written;
  return {
    name: coverage?.model ?? null,
    questions: questions.map((question) => ({
      purpose: question.purpose,
      tokens: question.inputTokens,
      parts: promptParts(question).map(({ part, chars }) => `${part}: ${chars} characters`),
    })),
    cut: (coverage?.cut ?? []).map(({ part, shown, of }) => `${part}: ${shown} of ${of} characters`),
    read: (coverage?.files ?? []).map(
      ({ path, state, reason }) => `${path}: ${state}${reason === null ? "" : `: ${reason}`}`,
    ),
    placesProven: coverage?.located ?? null,
    cost,
  };
}

/** Maps as objects, so that JSON shows them. */
function plain(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}

const MAX_DEPTH = 5;
const MAX_ITEMS = 20;
const MAX_TEXT = 200;

/** A value as an indented outline: long lists and texts are cut, and say so. */
function outline(value: unknown, depth: number): string {
  const pad = "  ".repeat(depth);
  const entries = childrenOf(value);
  if (entries === null || depth > MAX_DEPTH) return `${pad}${leaf(value)}`;
  const lines = entries.slice(0, MAX_ITEMS).map(([key, inner]) => {
    const nested = childrenOf(inner);
    if (nested === null || depth === MAX_DEPTH) return `${pad}${styleText("dim", terminalText(key))} ${leaf(inner)}`;
    return nested.length === 0
      ? `${pad}${styleText("dim", key)} none`
      : `${pad}${styleText("dim", key)}\n${outline(inner, depth + 1)}`;
  });
  if (entries.length > MAX_ITEMS) lines.push(`${pad}… ${entries.length - MAX_ITEMS} more`);
  return lines.join("\n");
}

function childrenOf(value: unknown): [string, unknown][] | null {
  if (Array.isArray(value)) return value.map((inner, index) => [`${index + 1}.`, inner]);
  return typeof value === "object" && value !== null ? Object.entries(value) : null;
}

function leaf(value: unknown): string {
  const text =
    typeof value === "string"
      ? JSON.stringify(terminalText(value))
      : typeof value === "object"
        ? terminalText(JSON.stringify(value))
        : String(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text;
}
