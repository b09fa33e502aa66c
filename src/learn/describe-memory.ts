// One memory and a model -> the memory with situation, lesson and tags, or with the reason why it has none. Ids never
// depend on any of them: they come from the source.
import { lowInformation } from "../domain/low-information.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import type { ModelAnswer, ModelFailure, ModelRequest, ModelUsage } from "../domain/model.ts";
import { sourceHash } from "./content-hash.ts";
import { DESCRIBE_REPLY_TOKENS, describeQuestion } from "./describe-question.ts";
import { describeReply, type TakenFields, takeFields } from "./describe-reply.ts";

/** The model, as far as describing needs it. */
export interface DescribeAsked {
  readonly name: string;
  readonly ask: <T>(request: ModelRequest<T>) => Promise<ModelAnswer<T>>;
  readonly delimiter: () => string;
}

/** A described memory; or why nobody could describe it now, so that it is as it was. */
export type DescribedMemory =
  | { readonly kind: "described"; readonly record: MemoryRecord; readonly usage: ModelUsage | null }
  | {
      readonly kind: "not-now";
      readonly failure: ModelFailure;
      readonly detail: string;
      readonly notBefore: number | null;
    };

/** Of this memory, whoever asks: another try would end the same. */
const LASTING: ReadonlySet<ModelFailure> = new Set(["refused", "truncated", "too-long", "malformed"]);

/**
 * Whether a memory waits to be described: it is of a review, and what it says now was not looked at before. A memory that
 * came with fields of unknown origin keeps them.
 */
export function waitsForFields(record: MemoryRecord): boolean {
  if (record.corpus !== "finding" && record.corpus !== "review_comment") return false;
  if (record.described === undefined) return record.situation === null && record.lesson === null;
  return record.described.source !== sourceHash(record);
}

/** Why a memory gets no fields, whatever a model would say: `rejected/REASON`; null where a model is to be asked. */
export function rejectedByRule({ outcome, text, replies }: MemoryRecord): string | null {
  if (outcome === "declined") return "rejected/declined";
  return replies.length === 0 && lowInformation(text) !== null ? "rejected/says-nothing" : null;
}

/** Never throws. The record's words, id and outcome stay as they are. */
export async function describeMemory(record: MemoryRecord, asked: DescribeAsked): Promise<DescribedMemory> {
  const rule = rejectedByRule(record);
  if (rule !== null) return described(record, rejection(rule), "", null);
  const { shape, last } = describeReply();
  const answer = await asked.ask({
    purpose: "memory",
    tier: "small",
    effort: "low",
    maxOutputTokens: DESCRIBE_REPLY_TOKENS,
    ...describeQuestion(record, asked.delimiter()),
    shape,
  });
  if (answer.kind === "answered") return described(record, takeFields(answer.value), asked.name, answer.usage);
  const { failure, detail, notBefore, usage } = answer;
  // A draft that broke a rule twice is left to the rules: they say which.
  const draft = failure === "malformed" ? last() : null;
  if (draft !== null) return described(record, takeFields(draft), asked.name, usage);
  if (!LASTING.has(failure)) return { kind: "not-now", failure, detail, notBefore };
  return described(record, rejection(`model/${failure}`), asked.name, usage);
}

function rejection(problem: string): TakenFields {
  return { situation: null, lesson: null, tags: [], confidence: 0.5, problems: [problem] };
}

function described(
  record: MemoryRecord,
  { situation, lesson, tags, confidence, problems }: TakenFields,
  by: string,
  usage: ModelUsage | null,
): DescribedMemory {
  const about = { by, source: sourceHash(record), confidence, problems };
  return { kind: "described", record: { ...record, situation, lesson, tags, described: about }, usage };
}
