// A written review as it is kept and sent: without secrets, so that neither the ledger nor a later push has them.
import type { Finding } from "../domain/finding.ts";
import { type RedactText, redactTexts } from "../domain/redact-texts.ts";
import type { PlacedFinding, Review } from "../domain/review.ts";

/** By these things are found again: commits, findings, files of the pull request, comments. GitHub has them already. */
const KEPT: ReadonlySet<string> = new Set([
  ..."repo headSha baseSha fingerprint since id findingId rule url path previousPath reviewed shape".split(" "),
]);

/**
 * The review with a marker in the place of every secret. A suggestion that held one is gone: one click would write the
 * marker into the code.
 */
export async function withoutSecrets(review: Review, redact: RedactText): Promise<Review> {
  const safe = await redactTexts(review, redact, KEPT);
  if (safe === review) return review;
  return {
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
}

function withSuggestion(finding: Finding, before: string | undefined): Finding {
  return finding.suggestion?.text === before ? finding : { ...finding, suggestion: null };
}
