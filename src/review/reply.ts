// The schemas of the reviewer's replies: for the server, for our check, and for the types.
import { z } from "zod";
import { CATEGORIES, SEVERITIES } from "../domain/finding.ts";

const DraftedFinding = z.strictObject({
  path: z.string(),
  anchor: z.string(),
  endAnchor: z.string().nullable(),
  quote: z.string(),
  severity: z.enum(SEVERITIES),
  category: z.enum(CATEGORIES),
  title: z.string(),
  body: z.string(),
  true: z.number(),
  wanted: z.number(),
  suggestion: z.string().nullable(),
  precedents: z.array(z.string()),
});
export type DraftedFinding = z.infer<typeof DraftedFinding>;

const RuleVerdict = z.strictObject({
  id: z.string(),
  verdict: z.enum(["confirmed", "wrong", "unsure"]),
  reason: z.string(),
});
export type RuleVerdict = z.infer<typeof RuleVerdict>;

const ReviewReply = z.strictObject({
  findings: z.array(DraftedFinding),
  ruleFindings: z.array(RuleVerdict),
  walkthrough: z.string(),
});
export type ReviewReply = z.infer<typeof ReviewReply>;

const CheckedFinding = z.strictObject({
  id: z.string(),
  verdict: z.enum(["holds", "partly", "wrong", "not-shown"]),
  severity: z.enum(SEVERITIES),
  confidence: z.number(),
  reason: z.string(),
});
export type CheckedFinding = z.infer<typeof CheckedFinding>;

const VerifyReply = z.strictObject({ findings: z.array(CheckedFinding) });

export const REVIEW_REPLY = shapeOf("review", ReviewReply);
export const VERIFY_REPLY = shapeOf("verification", VerifyReply);

/** A schema in the form for a model, and the check of its reply, whose problem names the first wrong place. */
export function shapeOf<T>(name: string, schema: z.ZodType<T>) {
  return {
    name,
    jsonSchema: withoutDialect(z.toJSONSchema(schema)),
    check(value: unknown): { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string } {
      const parsed = schema.safeParse(value);
      if (parsed.success) return { ok: true, value: parsed.data };
      const [issue] = parsed.error.issues;
      return { ok: false, problem: `${issue?.path.join(".") || "the reply"}: ${issue?.message ?? "is not as asked"}` };
    },
  };
}

/** Servers refuse unknown keywords. */
function withoutDialect({ $schema: _, ...schema }: Record<string, unknown>): Readonly<Record<string, unknown>> {
  return schema;
}
