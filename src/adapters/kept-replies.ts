// A model whose answers are stored until their review is written: a crash costs only the questions
// in progress, not those already answered.

import { createHash } from "node:crypto";
import type { ModelAnswer, ModelRequest, Purpose } from "../domain/model.ts";
import type { Model, ReplyStore } from "../ports/model.ts";

/** A review's questions about the change; others are cheap, or a person waits for their answer. */
const KEPT: ReadonlySet<Purpose> = new Set<Purpose>(["review", "verify"]);

interface KeepingReplies {
  /** If it fails, the question is asked and its answer used. */
  readonly store: ReplyStore;
  /** Identifies the review job. */
  readonly key: string;
  /** The answer without secrets. */
  readonly redact: <T>(value: T) => Promise<T>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * The model for one run of one job. A question that an earlier run had answered gets the stored
 * answer, with its original cost; a question that this run repeats is asked again.
 */
export function keptReplies(model: Model, { store, key, redact, now }: KeepingReplies): Model {
  const seen = new Set<string>();
  return {
    ...model,
    async ask(request, signal) {
      if (!KEPT.has(request.purpose)) return model.ask(request, signal);
      const question = questionHash(request, model.names[request.tier]);
      const isNew = !seen.has(question);
      seen.add(question);
      const kept = isNew ? await store.find(key, question).catch(() => null) : null;
      const before = kept === null ? null : readAnswer(kept, request);
      if (before !== null) return before;
      const answer = await model.ask(request, signal);
      if (answer.kind === "answered") {
        const { kind: _, value, ...rest } = answer;
        const text = JSON.stringify({ ...rest, value: await redact(value) });
        await store.keep(key, question, text, now()).catch(() => {});
      }
      return answer;
    },
  };
}

/** Hashes the question without its delimiters, with its model. */
function questionHash(
  { tier, system, user, shape, maxOutputTokens, effort }: ModelRequest<unknown>,
  name: string,
): string {
  const texts = [system, user].map((pieces) => pieces.map(({ text }) => text));
  return hashOf(JSON.stringify([name, tier, effort, maxOutputTokens, shape.name, shape.jsonSchema, texts]));
}

/**
 * Each random delimiter (`kodiai-` and 16 or more hexadecimal digits) counts as its number in the
 * order of its first use, so that equal prompts have equal hashes and two delimiters stay distinct.
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

/** Null when the stored answer no longer fits the shape, as after an upgrade. */
function readAnswer<T>(kept: string, { shape }: ModelRequest<T>): ModelAnswer<T> | null {
  try {
    const { value, ...rest } = JSON.parse(kept);
    const checked = shape.check(value);
    return checked.ok ? { ...rest, kind: "answered", value: checked.value } : null;
  } catch {
    return null;
  }
}
