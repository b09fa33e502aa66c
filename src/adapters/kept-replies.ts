// A model whose answers are kept until the review that they are for is written: a process that dies costs the questions that it
// was asking, and none of those that were answered.
import { createHash } from "node:crypto";
import type { ModelAnswer, ModelRequest, ModelUsage, Purpose } from "../domain/model.ts";
import type { Model, ReplyBook } from "../ports/model.ts";
import { withoutDelimiters } from "./without-delimiters.ts";

/** What a review asks about the change; the rest is cheap, or asked by somebody who waits for the answer. */
const KEPT: ReadonlySet<Purpose> = new Set<Purpose>(["review", "verify"]);

export interface KeepingReplies {
  readonly book: ReplyBook;
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
 * a question that this run asks twice is asked twice.
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
      const before = kept === null ? null : readAnswer(kept, request);
      if (before !== null) return before;
      const answer = await model.ask(request, signal);
      if (answer.kind === "answered") {
        const { value, repaired, usage } = answer;
        const text = JSON.stringify({ value: await redact(value), repaired, usage });
        await book.keep(key, question, text, now()).catch(told(lost));
      }
      return answer;
    },
  };
}

function told(lost: (error: unknown) => void): (error: unknown) => null {
  return (error) => {
    lost(error);
    return null;
  };
}

/** Of every word of the question but the delimiters, with the model that it goes to. */
function questionHash(
  { tier, system, user, shape, maxOutputTokens, effort }: ModelRequest<unknown>,
  name: string,
): string {
  const texts = [system, user].map((pieces) => pieces.map(({ text }) => text));
  const meaning = JSON.stringify([name, tier, effort, maxOutputTokens, shape.name, shape.jsonSchema, texts]);
  return createHash("sha256").update(withoutDelimiters(meaning)).digest("hex");
}

/** Null when it has not the shape any more: an upgrade may lie between. */
function readAnswer<T>(kept: string, { shape }: ModelRequest<T>): ModelAnswer<T> | null {
  try {
    const { value, repaired, usage } = JSON.parse(kept) as { value: unknown; repaired: boolean; usage: ModelUsage };
    const checked = shape.check(value);
    return checked.ok ? { kind: "answered", value: checked.value, repaired, usage } : null;
  } catch {
    return null;
  }
}
