// The schemas of the reviewer's replies: for the server, for our check, and for the types.
import { z } from "zod";
import { CATEGORIES, SEVERITIES } from "../domain/finding.ts";
import type { ReplyShape } from "../domain/model.ts";
import {
  categoryOf,
  type Fields,
  fieldsOf,
  listIn,
  problemWith,
  severityOf,
  shareIn,
  textIn,
  verdictOf,
} from "./reading/loose-reply.ts";

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
export type ReviewReply = z.infer<typeof ReviewReply> & Unread;

/** The parts of a reply that could not be read, each with what is wrong with it. */
interface Unread {
  readonly unread: readonly string[];
}

const CheckedFinding = z.strictObject({
  id: z.string(),
  verdict: z.enum(["holds", "partly", "wrong", "not-shown"]),
  severity: z.enum(SEVERITIES),
  confidence: z.number(),
  reason: z.string(),
});
export type CheckedFinding = z.infer<typeof CheckedFinding>;

const VerifyReply = z.strictObject({ findings: z.array(CheckedFinding) });

export const REVIEW_REPLY: ReplyShape<ReviewReply> = {
  ...shapeOf("review", ReviewReply),
  check(value) {
    const findings = listIn(value, "findings");
    if (findings === null) return { ok: false, problem: "findings: must be a list" };
    const read = findings.map(draftedFinding);
    const verdicts = (listIn(fieldsOf(value)?.get("rulefindings") ?? [], "rulefindings") ?? []).map(ruleVerdict);
    return kept(read, (good) => ({
      findings: good,
      ruleFindings: verdicts.filter((verdict) => typeof verdict !== "string"),
      walkthrough: textIn(fieldsOf(value) ?? new Map(), "walkthrough", "summary") ?? "",
      unread: [...problemsOf([...read, ...verdicts]), ...earlierProblems(value)],
    }));
  },
};

export const VERIFY_REPLY: ReplyShape<z.infer<typeof VerifyReply>> = {
  ...shapeOf("verification", VerifyReply),
  check(value) {
    const findings = listIn(value, "findings");
    if (findings === null) return { ok: false, problem: "findings: must be a list" };
    // One without a verdict is reported as such.
    return kept(findings.map(checkedFinding), (good) => ({ findings: good }));
  },
};

/** What could be read; a reply of which nothing could be is asked for again. */
function kept<One, T>(read: readonly (One | string)[], value: (good: One[]) => T): ReturnType<ReplyShape<T>["check"]> {
  const good = read.filter((one): one is One => typeof one !== "string");
  const [first] = problemsOf(read);
  return good.length === 0 && first !== undefined ? { ok: false, problem: first } : { ok: true, value: value(good) };
}

function problemsOf(read: readonly unknown[]): readonly string[] {
  return read.filter((one) => typeof one === "string");
}

function earlierProblems(value: unknown): readonly string[] {
  const unread = fieldsOf(value)?.get("unread");
  return Array.isArray(unread) ? problemsOf(unread) : [];
}

/** A model that names no odds is as sure as one that reports anything at all. */
const USUAL_ODDS = 0.8;

function draftedFinding(value: unknown): DraftedFinding | string {
  const fields = fieldsOf(value);
  if (fields === null) return problemWith("a finding", value, null);
  const title = textIn(fields, "title");
  const body = textIn(fields, "body", "description", "message", "comment");
  const claim = title ?? body;
  const path = textIn(fields, "path", "file", "filename");
  if (path === null) return problemWith("path", fields.get("path"), claim);
  if (claim === null) return problemWith("title", fields.get("title"), null);
  const severity = fields.get("severity") === undefined ? "medium" : severityOf(textIn(fields, "severity") ?? "");
  if (severity === null) return problemWith("severity", fields.get("severity"), claim);
  const precedents = fields.get("precedents");
  return {
    path,
    anchor: textIn(fields, "anchor", "line") ?? "",
    endAnchor: textIn(fields, "endanchor"),
    quote: textIn(fields, "quote") ?? "",
    severity,
    category: categoryOf(textIn(fields, "category", "type") ?? "") ?? "correctness",
    title: title ?? claim.split(/(?<=[.!?])\s|\n/)[0] ?? claim,
    body: body ?? claim,
    true: shareOf(fields, USUAL_ODDS, "true", "confidence"),
    wanted: shareOf(fields, 1, "wanted"),
    suggestion: textIn(fields, "suggestion"),
    precedents: Array.isArray(precedents) ? precedents.filter((precedent) => typeof precedent === "string") : [],
  };
}

function shareOf(fields: Fields, usual: number, ...names: readonly string[]): number {
  return names.flatMap((name) => shareIn(fields.get(name)) ?? [])[0] ?? usual;
}

function ruleVerdict(value: unknown): RuleVerdict | string {
  const fields = fieldsOf(value) ?? new Map();
  const id = textIn(fields, "id");
  const verdict = verdictOf(textIn(fields, "verdict") ?? "", RULE_VERDICTS);
  if (id === null || verdict === null) return problemWith("verdict", fields.get("verdict"), id);
  return { id, verdict, reason: textIn(fields, "reason") ?? "" };
}

const RULE_VERDICTS = {
  confirmed: "confirm, holds, correct, valid, true, yes, real",
  wrong: "false, incorrect, invalid, no, false positive, rejected",
  unsure: "unclear, unknown, uncertain, not shown, undecided, maybe",
};

function checkedFinding(value: unknown): CheckedFinding | string {
  const fields = fieldsOf(value) ?? new Map();
  const id = textIn(fields, "id");
  const verdict = verdictOf(textIn(fields, "verdict") ?? "", VERDICTS);
  if (id === null || verdict === null) return problemWith("verdict", fields.get("verdict"), id);
  // A verdict may lower a severity, never raise it: without one it stays.
  const severity = severityOf(textIn(fields, "severity") ?? "") ?? "critical";
  const confidence = shareOf(fields, USUAL_ODDS, "confidence");
  return { id, verdict, severity, confidence, reason: textIn(fields, "reason") ?? "" };
}

const VERDICTS = {
  holds: "hold, confirmed, correct, valid, true, yes, real",
  partly: "partial, partially, partially holds, partly holds, partially correct",
  wrong: "false, incorrect, invalid, no, false positive, does not hold, rejected",
  "not-shown": "unsure, unclear, unknown, uncertain, undecided, not enough context",
};

/** A schema for a model, and the check of its reply; a problem names the first wrong place. */
export function shapeOf<T>(name: string, schema: z.ZodType<T>) {
  // Servers refuse unknown keywords.
  const { $schema: _, ...jsonSchema }: Record<string, unknown> = z.toJSONSchema(schema);
  return {
    name,
    jsonSchema,
    check(value: unknown): { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string } {
      const parsed = schema.safeParse(value);
      if (parsed.success) return { ok: true, value: parsed.data };
      const [issue] = parsed.error.issues;
      return { ok: false, problem: `${issue?.path.join(".") || "the reply"}: ${issue?.message ?? "is not as asked"}` };
    },
  };
}
