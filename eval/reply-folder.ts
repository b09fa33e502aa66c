// Questions and replies as files, so that any model, or a person, can be the reviewer: STEM.md and
// STEM.request.json are the question, STEM.reply.json (or .md, .txt) is the reply.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readReply } from "../src/adapters/model/read-reply.ts";
import { type PlainQuestion, plainQuestion, promptText } from "../src/cli/review/prompt-text.ts";
import type { ModelChoice } from "../src/config/environment/read-models.ts";
import { estimatedTokens, type ModelAnswer, type ModelRequest, type ModelUsage } from "../src/domain/model.ts";
import type { Model } from "../src/ports/model.ts";
import { FIRST_QUESTIONS } from "../src/review/reading/instructions.ts";
import { chosenModel } from "../src/wire/models.ts";
import type { ReplyFiles } from "./packed-replies.ts";
import { fingerprint } from "./read-data.ts";

/** What became of one question. */
export interface Outcome {
  readonly stem: string;
  readonly question: PlainQuestion;
  readonly state: "answered" | "fixed" | "malformed" | "missing";
  /** Of a malformed reply: the place and the fix; else null. */
  readonly problem: string | null;
  /** Of a question without a reply nothing. */
  readonly usage: ModelUsage;
}

export interface RecordedModel {
  readonly model: Model;
  /** In the order in which they were asked. */
  readonly outcomes: readonly Outcome[];
}

/**
 * The name of a question's files: `OWNER+NAME-NUMBER-q1`, `…-r2q1` in the second reading,
 * `…-verify` for the second look.
 */
export function stemOf(pull: { readonly repo: string; readonly number: number }): (question: PlainQuestion) => string {
  // A review's parts are asked side by side, so it is the question that knows its number.
  const part = ({ user }: PlainQuestion) => /^# Part (\d{1,3}) of /.exec(user.at(-1) ?? "")?.[1] ?? "1";
  const reading = ({ user }: PlainQuestion) => FIRST_QUESTIONS.findIndex((asked) => user.at(-1)?.endsWith(asked));
  const times = (question: PlainQuestion) => (reading(question) > 0 ? `r${reading(question) + 1}` : "");
  const name = (question: PlainQuestion) =>
    question.purpose === "review" ? `${times(question)}q${part(question)}` : question.purpose;
  return (question) => `${stemPrefix(pull)}${name(question)}`;
}

/** What the names of all questions about one pull request begin with. */
export function stemPrefix({ repo, number }: { readonly repo: string; readonly number: number }): string {
  return `${repo.replace(/[^\w.-]+/g, "+").slice(0, 120)}-${number}-`;
}

/** Whether a question about the pull request has a reply. */
export function hasReply(pull: { readonly repo: string; readonly number: number }, files: ReplyFiles): boolean {
  const prefix = stemPrefix(pull);
  return files.keys().some((name) => name.startsWith(prefix) && name.includes(".reply."));
}

/** A model that answers questions from files. `nameOf` gives the stem of a question's files. */
export async function recordedModel(
  nameOf: (question: PlainQuestion) => string,
  files: ReplyFiles,
  choice: ModelChoice,
  readText: (text: string) => string = (text) => text,
): Promise<RecordedModel> {
  const outcomes: Outcome[] = [];
  const beginnings = new Set<string>();
  const model: Model = await chosenModel(choice, async (request) => {
    const question = plainQuestion(request as ModelRequest<unknown>);
    const stem = nameOf(question);
    const found = replyText(files, stem);
    const kept = (state: Outcome["state"], problem: string | null, usage: ModelUsage) =>
      outcomes.push({ stem, question, state, problem, usage });
    if (found === null) {
      const answer = failed("unreachable", `there is no reply to ${stem}`);
      kept("missing", null, answer.usage);
      return answer;
    }
    const text = readText(found.text);
    const cached = cachedTokens(request as ModelRequest<unknown>, beginnings);
    const usage = usageOf(found, text, question, cached, (input, output) => model.price(request.tier, input, output));
    const read = readReply(text, request.shape);
    if (!read.ok) {
      kept("malformed", read.problem, usage);
      return { ...failed("malformed", read.problem), usage };
    }
    kept(read.fixed ? "fixed" : "answered", null, usage);
    return { kind: "answered", value: read.value, usage };
  });
  return { model, outcomes };
}

/** Shorter beginnings are not kept by servers. */
const LEAST_CACHED = 1_024;

/**
 * Tokens of the longest beginning that an earlier question had word for word; marks those of this
 * one as known.
 */
function cachedTokens({ tier, system, user }: ModelRequest<unknown>, beginnings: Set<string>): number {
  let beginning: string = tier;
  let known = 0;
  for (const { text, cache } of [...system, ...user]) {
    beginning += text;
    if (cache && beginnings.has(beginning)) known = estimatedTokens(beginning.length);
    if (cache) beginnings.add(beginning);
  }
  return known < LEAST_CACHED ? 0 : known;
}

/** What a cached token costs, as a part of another. */
const CACHED_PRICE = 0.1;

function failed(
  failure: "unreachable" | "malformed",
  detail: string,
): Extract<ModelAnswer<never>, { readonly kind: "failed" }> {
  const usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, usd: 0, ms: 0, requests: 0 };
  return { kind: "failed", failure, detail, notBefore: null, usage };
}

interface FoundReply {
  readonly text: string;
  /** As the file says it, or null. */
  readonly tokens: { readonly input: number; readonly output: number } | null;
}

function replyText(files: ReplyFiles, stem: string): FoundReply | null {
  for (const name of [`${stem}.reply.json`, `${stem}.reply.md`, `${stem}.reply.txt`]) {
    const text = files.get(name);
    if (text !== undefined) return unwrapped(text);
  }
  return null;
}

/** A reply may be under `reply`, as text or as JSON, with its `usage` beside it. */
function unwrapped(text: string): FoundReply {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { text, tokens: null };
  }
  const { reply, usage } = asRecord(value);
  if (reply === undefined) return { text, tokens: null };
  return { text: typeof reply === "string" ? reply : JSON.stringify(reply), tokens: tokensOf(asRecord(usage)) };
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function tokensOf(usage: Record<string, unknown>): FoundReply["tokens"] {
  const sum = (...names: readonly string[]) =>
    names.reduce((total, name) => total + (typeof usage[name] === "number" ? usage[name] : 0), 0);
  const input = sum("inputTokens", "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens");
  const output = sum("outputTokens", "output_tokens");
  return input > 0 && output > 0 ? { input, output } : null;
}

function usageOf(
  found: FoundReply,
  text: string,
  question: PlainQuestion,
  cached: number,
  price: (input: number, output: number) => number | null,
): ModelUsage {
  const input = found.tokens?.input ?? question.inputTokens;
  const output = found.tokens?.output ?? estimatedTokens(text.length);
  return {
    inputTokens: input,
    cachedTokens: cached,
    outputTokens: output,
    usd: price(input - cached * (1 - CACHED_PRICE), output),
    ms: 0,
    requests: 1,
  };
}

/** What identifies a question: the same prompt and the same schema have the same. */
export function questionHash(question: PlainQuestion): string {
  const { system, user, shape } = question;
  return fingerprint([system, user, shape]);
}

/** Writes one question for people (`.md`) and one for programs (`.request.json`). */
export async function writeQuestion(
  folder: string,
  pull: { readonly id: string; readonly repo: string; readonly number: number },
  { stem, question }: Pick<Outcome, "stem" | "question">,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { id, repo, number } = pull;
  const request = { version: 1, stem, id, repo, number, hash: questionHash(question), ...question };
  await writeFile(join(folder, `${stem}.request.json`), `${JSON.stringify(request, null, 2)}\n`);
  await writeFile(join(folder, `${stem}.md`), promptText(`${repo}#${number}`, question));
}
