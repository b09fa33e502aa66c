// A model whose answers are kept until the review that they are for is written: a process that dies costs the questions that it
// was asking, and none of those that were answered.
import { createHash } from "node:crypto";
import type { LookUps, ModelAnswer, ModelRequest, Purpose } from "../domain/model.ts";
import type { Model, ReplyStore } from "../ports/model.ts";
import { withoutDelimiters } from "./without-delimiters.ts";

/** What a review asks about the change; the rest is cheap, or asked by somebody who waits for the answer. */
const KEPT: ReadonlySet<Purpose> = new Set<Purpose>(["review", "verify"]);

export interface KeepingReplies {
  readonly book: ReplyStore;
  /** Of the review job. */
  readonly key: string;
  /** The answer without secrets. */
  readonly redact: <T>(value: T) => Promise<T>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Told what the book threw: the question is asked then, and its answer stands. */
  readonly lost: (error: unknown) => void;
}

/**
 * The model for one run of one job. A question that an earlier run had answered is answered as it was then, with what it cost then;
 * a question that this run asks twice is asked twice. A question with look-ups counts as the same one when each look-up of then
 * finds now what it found then.
 */
export function keptReplies(model: Model, keeping: KeepingReplies): Model {
  const { book, key, redact, now, lost } = keeping;
  const asked = new Set<string>();
  return {
    ...model,
    async ask(request, signal) {
      if (!KEPT.has(request.purpose)) return model.ask(request, signal);
      const question = questionHash(request, model.names[request.tier]);
      const isNew = !asked.has(question);
      asked.add(question);
      const kept = isNew ? await book.find(key, question).catch(told(lost)) : null;
      const before = kept === null ? null : await readAnswer(kept, request);
      if (before !== null) return before;
      const found: Found[] = [];
      const answer = await model.ask(noting(request, found), signal);
      if (answer.kind === "answered") {
        const { kind: _, value, ...rest } = answer;
        const text = JSON.stringify({ ...rest, value: await redact(value), found: await redact(found) });
        await book.keep(key, question, text, now()).catch(told(lost));
      }
      return answer;
    },
  };
}

/** A look-up, and a hash of what it found. */
interface Found {
  readonly name: string;
  readonly input: unknown;
  readonly hash: string;
}

/** The same question, with what it looks up noted. */
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

function told(lost: (error: unknown) => void): (error: unknown) => null {
  return (error) => {
    lost(error);
    return null;
  };
}

/** Of every word of the question but the delimiters, with the model that it goes to and what it may look up. */
function questionHash(
  { tier, system, user, shape, maxOutputTokens, effort, lookUps }: ModelRequest<unknown>,
  name: string,
): string {
  const texts = [system, user].map((pieces) => pieces.map(({ text }) => text));
  const offered = lookUps === undefined ? [] : [lookUps.tools, lookUps.rounds, lookUps.calls];
  return hashOf(JSON.stringify([name, tier, effort, maxOutputTokens, shape.name, shape.jsonSchema, texts, ...offered]));
}

function hashOf(text: string): string {
  return createHash("sha256").update(withoutDelimiters(text)).digest("hex");
}

/** Null when it has not the shape any more, as an upgrade may lie between, or when a look-up finds something else now. */
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
