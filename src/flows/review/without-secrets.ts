// A written review as it is kept and sent: without secrets, so that neither the ledger nor a later push has them.

import { z } from "zod";
import { CATEGORIES, type Finding, SEVERITIES } from "../../domain/finding.ts";
import type { PlacedFinding, Review } from "../../domain/review.ts";
import { type RedactText, redactTexts, reviewTextKind } from "../../domain/text/redact-texts.ts";

/**
 * The review with a mark in the place of every secret. A suggestion that held one is removed: one click would write the
 * mark into the code.
 *
 * @throws Error when what comes out is no review that can be sent
 */
export async function withoutSecrets(review: Review, redact: RedactText): Promise<Review> {
  const safe = await redactTexts(review, redact, reviewTextKind);
  if (safe === review) return review;
  const clean: Review = {
    ...safe,
    findings: safe.findings.map((placed, at): PlacedFinding => {
      const before = review.findings[at]?.finding.suggestion?.text;
      return { ...placed, finding: withSuggestion(placed.finding, before) };
    }),
    said: safe.said.map((one, at) => {
      const before = review.said[at]?.finding.suggestion?.text;
      return { ...one, finding: withSuggestion(one.finding, before) };
    }),
  };
  const checked = SENDABLE.safeParse(clean);
  if (!checked.success) throw new Error(`the review cannot be sent after redaction: ${z.prettifyError(checked.error)}`);
  return clean;
}

function withSuggestion(finding: Finding, before: string | undefined): Finding {
  return finding.suggestion?.text === before ? finding : { ...finding, suggestion: null };
}

const line = z.int().positive();
const FINDING = z.looseObject({
  id: z.string().min(1),
  path: z.string().min(1),
  side: z.enum(["LEFT", "RIGHT"]),
  startLine: line,
  line,
  severity: z.enum(SEVERITIES),
  category: z.enum(CATEGORIES),
  source: z.enum(["rule", "model", "memory"]),
  title: z.string(),
  body: z.string(),
});

/** What publish decides by: where each finding goes, how severe it is, and what the review was of. */
const SENDABLE = z.looseObject({
  kind: z.literal("review"),
  headSha: z.string().min(1),
  findings: z.array(
    z.looseObject({
      finding: FINDING,
      place: z.enum(["inline", "file", "summary", "already-posted"]),
      reason: z.nullable(z.string()),
    }),
  ),
  heldBack: z.array(z.looseObject({ finding: FINDING, reason: z.string() })),
  said: z.array(z.looseObject({ finding: FINDING })),
  scope: z.looseObject({ kind: z.enum(["full", "delta"]) }),
});
