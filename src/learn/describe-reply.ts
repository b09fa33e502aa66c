// What a model must answer that describes a memory, and what of an answer is taken.
import { z } from "zod";
import { oneLine } from "../domain/cut-text.ts";
import type { ReplyShape } from "../domain/model.ts";
import { lessonProblems } from "./lesson-problems.ts";
import { readTags } from "./read-tags.ts";
import { type FieldProblem, situationProblems } from "./situation-problems.ts";

/** Longer texts are no fields; rules are not asked about them. */
const field = z.string().max(5_000).nullable();

const Draft = z.object({
  status: z.enum(["memory", "rejected"]),
  reason: z.string().max(200).nullable(),
  situation: field,
  lesson: field,
  // Tags that cannot be read cost the tags and nothing else.
  tags: z.unknown(),
  confidence: z.string().max(200).nullable(),
});
/** As a model wrote it: of the right form, and not yet held against any rule. */
export type Draft = z.infer<typeof Draft>;

const text = { type: "string" } as const;
const textOrNull = { anyOf: [text, { type: "null" }] } as const;
const PROPERTIES = {
  status: { type: "string", enum: ["memory", "rejected"] },
  reason: textOrNull,
  situation: textOrNull,
  lesson: textOrNull,
  tags: { type: "array", items: text },
  confidence: { type: "string", enum: ["high", "medium", "low"] },
} as const;
const JSON_SCHEMA = {
  type: "object",
  properties: PROPERTIES,
  required: Object.keys(PROPERTIES),
  additionalProperties: false,
} as const;

/** Why a remark is no memory, as the model was told to say it. */
const REASONS: ReadonlySet<string> = new Set(["declined", "withdrawn", "question", "chat", "unclear"]);

/** How sure each word is; anything else is .5. */
const CONFIDENCE: ReadonlyMap<string, number> = new Map([
  ["high", 1],
  ["medium", 0.7],
  ["low", 0.4],
]);

/** What is kept of an answer. */
export interface TakenFields {
  readonly situation: string | null;
  readonly lesson: string | null;
  readonly tags: readonly string[];
  readonly confidence: number;
  /** `FIELD/RULE`, or `rejected/REASON`. */
  readonly problems: readonly string[];
}

/** The shape of one question's reply. `last` is the newest draft of the right form, whatever rules it breaks. */
export interface DescribeReply {
  readonly shape: ReplyShape<Draft>;
  readonly last: () => Draft | null;
}

/**
 * A shape that holds a reply against every rule, so that whoever wrote it is asked once to mend what it broke, by name.
 * What it broke again is decided by `takeFields`.
 */
export function describeReply(): DescribeReply {
  let last: Draft | null = null;
  return {
    last: () => last,
    shape: {
      name: "memory",
      jsonSchema: JSON_SCHEMA,
      check(value) {
        const parsed = Draft.safeParse(value);
        if (!parsed.success) {
          const [issue] = parsed.error.issues;
          return {
            ok: false,
            problem: `${issue?.path.join(".") || "the reply"}: ${issue?.message ?? "is not as asked"}`,
          };
        }
        last = parsed.data;
        const problems = draftProblems(last);
        if (problems.length === 0) return { ok: true, value: last };
        return { ok: false, problem: problems.map(({ name, told }) => `${name} (${told})`).join("; ") };
      },
    },
  };
}

/**
 * What is kept of a draft. Fields stand and fall together: a situation without its lesson, or the other way round, would be
 * found for half of what it says. Tags may fail alone.
 */
export function takeFields(draft: Draft): TakenFields {
  const confidence = CONFIDENCE.get(draft.confidence?.trim().toLowerCase() ?? "") ?? 0.5;
  const problems = draftProblems(draft).map(({ name }) => name);
  const nothing = { situation: null, lesson: null, tags: [], confidence };
  if (draft.status === "rejected") {
    const reason = draft.reason?.trim().toLowerCase() ?? "";
    return { ...nothing, problems: [`rejected/${REASONS.has(reason) ? reason : "unclear"}`] };
  }
  if (problems.some((name) => !name.startsWith("tags/"))) return { ...nothing, problems };
  const { situation, lesson } = lines(draft);
  return { situation, lesson, tags: readTags(draft.tags).tags, confidence, problems };
}

/** None for a rejection: there is nothing to hold against a rule. */
function draftProblems(draft: Draft): readonly FieldProblem[] {
  if (draft.status === "rejected") return [];
  const { situation, lesson } = lines(draft);
  return [
    ...named("situation", situationProblems(situation)),
    ...named("lesson", lessonProblems(lesson)),
    ...named("tags", readTags(draft.tags).problems),
  ];
}

function lines({ situation, lesson }: Draft): { readonly situation: string; readonly lesson: string } {
  return { situation: oneLine(situation ?? "").toWellFormed(), lesson: oneLine(lesson ?? "").toWellFormed() };
}

function named(fieldName: string, problems: readonly FieldProblem[]): readonly FieldProblem[] {
  return problems.map(({ name, told }) => ({ name: `${fieldName}/${name}`, told }));
}
