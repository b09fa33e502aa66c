// A model whose answers are stored until their review is written: a crash costs only the questions in progress, not those already
// answered.

import { createHash } from "node:crypto";
import type { LookUps, ModelAnswer, ModelRequest, Purpose } from "../domain/model.ts";
import type { Model, ReplyStore } from "../ports/model.ts";

/** A review's questions about the change; others are cheap, or a person waits for their answer. */
const KEPT: ReadonlySet<Purpose> = new Set<Purpose>(["review", "verify"]);

interface KeepingReplies {
  /** If it fails, the question is asked and its answer used. */
  readonly book: ReplyStore;
  /** Identifies the review job. */
  readonly key: string;
  /** The answer without secrets. */
  readonly redact: <T>(value: T) => Promise<T>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * The model for one run of one job. A question that an earlier run had answered gets the stored answer, with its original cost; a
 * question that this run repeats is asked again. A question with look-ups matches only if each stored look-up still has the same
 * result.
 */
export function keptReplies(model: Model, { book, key, redact, now }: KeepingReplies): Model {
  const asked = new Set<string>();
  return {
    ...model,
    async ask(request, signal) {
      if (!KEPT.has(request.purpose)) return model.ask(request, signal);
      const question = questionHash(request, model.names[request.tier]);
      const isNew = !asked.has(question);
      asked.add(question);
      const kept = isNew ? await book.find(key, question).catch(() => null) : null;
      const before = kept === null ? null : await readAnswer(kept, request);
      if (before !== null) return before;
      const found: Found[] = [];
      const answer = await model.ask(noting(request, found), signal);
      if (answer.kind === "answered") {
        const { kind: _, value, ...rest } = answer;
        const text = JSON.stringify({ ...rest, value: await redact(value), found: await redact(found) });
        await book.keep(key, question, text, now()).catch(() => {});
      }
      return answer;
    },
  };
}

/** A look-up, and a hash of its result. */
interface Found {
  readonly name: string;
  readonly input: unknown;
  readonly hash: string;
}

/** The same question, with its look-ups recorded. */
function noting<T>(request: ModelRequest<T>, found: Found[]): ModelRequest<T> {
  const { lookUps } = request;
  if (lookUps === undefined) return request;
  const answer: LookUps["answer"] = async (name, input) => {
    const text = await lookUps.answer(name, input);
    found.push({ name, input, hash: hashOf(text) });
    return text;
  };
  return { ...request, lookUps: { ...lookUps, answer } };
}

async function findsTheSame(found: readonly Found[], lookUps: LookUps | undefined): Promise<boolean> {
  if (lookUps === undefined) return found.length === 0;
  const texts = await Promise.all(found.map(({ name, input }) => lookUps.answer(name, input)));
  return texts.every((text, at) => hashOf(text) === found[at]?.hash);
}

/** Hashes the question without its delimiters, with its model and its look-ups. */
function questionHash(
  { tier, system, user, shape, maxOutputTokens, effort, lookUps }: ModelRequest<unknown>,
  name: string,
): string {
  const texts = [system, user].map((pieces) => pieces.map(({ text }) => text));
  const offered = lookUps === undefined ? [] : [lookUps.tools, lookUps.rounds, lookUps.calls];
  return hashOf(JSON.stringify([name, tier, effort, maxOutputTokens, shape.name, shape.jsonSchema, texts, ...offered]));
}

/**
 * Each random delimiter (`kodiai-` and 16 or more hexadecimal digits) counts as its number in the order of its first use, so that
 * equal prompts have equal hashes and two delimiters stay distinct.
 */
function hashOf(text: string): string {
  const seen = new Map<string, number>();
  const numbered = text.replace(/kodiai-[0-9a-f]{16,}/g, (delimiter) => {
    const number = seen.get(delimiter) ?? seen.size + 1;
    seen.set(delimiter, number);
    return `kodiai-delimiter-${number}`;
  });
  return createHash("sha256").update(numbered).digest("hex");
}

/** Null when the stored answer no longer fits the shape, as after an upgrade, or when a look-up has another result now. */
async function readAnswer<T>(kept: string, { shape, lookUps }: ModelRequest<T>): Promise<ModelAnswer<T> | null> {
  try {
    const { value, found = [], ...rest } = JSON.parse(kept);
    const checked = shape.check(value);
    const isSame = checked.ok && (await findsTheSame(found, lookUps));
    return isSame ? { ...rest, kind: "answered", value: checked.value } : null;
  } catch {
    return null;
  }
}
