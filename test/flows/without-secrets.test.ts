// What redaction does to a written review: it finds what is secret in prose, and leaves everything
// that publishing decides by.
import fc from "fast-check";
import { expect, test } from "vitest";
import { secretRedactor } from "../../src/adapters/secrets/redact.ts";
import type { Review } from "../../src/domain/review.ts";
import { withoutSecrets } from "../../src/flows/review/posting.ts";
import { publish } from "../../src/publish/publish.ts";
import { fakeReviews } from "../fakes/reviews.ts";
import { sampleReview } from "../publish/sample-review.ts";
import { finding as aFinding, LOGIN } from "../review/review-builders.ts";

// Put together here, so that no scanner takes this file for a leak.
const TOKEN = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");
const HEADER = ["-----BEGIN PRIVATE", "KEY-----"].join(" ");
const HOSTILE = [
  `${HEADER} abcdefghijklmnopqrstuvwxyz0123456789ABCD`,
  HEADER,
  "-----",
  "# ------------",
  TOKEN,
  "password=",
];

const redactor = secretRedactor();
const redact = async (text: string) => (await redactor.redact(text)).text;

/** A review in which others wrote one text into every place that is theirs. */
function holding(text: string): Review {
  const finding = aFinding({ title: `Title ${text}`, body: `Body\n${text}\nend` });
  const other = aFinding({ id: "fnd_0000000000aa", severity: "minor" });
  const review = sampleReview();
  return {
    ...review,
    findings: [finding, other].map((one) => ({ finding: one, place: "inline", reason: null })),
    walkthrough: text,
    heldBack: [{ finding, reason: `declined: ${text}` }],
    signals: { ...review.signals, intent: { ...review.signals.intent, subject: text } },
    proposedProblems: [
      { file: ".kodiai.yml", key: text, line: 2, column: 1, severity: "error", message: `unknown key ${text}` },
    ],
  };
}

const MARKS = /‹redacted:[a-z-]+›/g;

test("for any text from outside, publishing's decisions stay, and every text keeps its own beginning [T18]", async () => {
  const texts = fc.array(fc.constantFrom(...HOSTILE, "plain words", "\n"), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(texts, async (parts) => {
      const text = parts.join(" ");
      const before = holding(text);
      const after = await withoutSecrets(before, redact);
      const decided = ({ findings, scope, headSha, reviewed }: Review) => ({
        ...{ scope, headSha, reviewed },
        findings: findings.map(({ place, finding: { severity, side, path, line, startLine, id, category, rule } }) => {
          return { place, severity, side, path, line, startLine, id, category, rule };
        }),
      });
      expect(decided(after)).toEqual(decided(before));
      expect(after.findings[0]?.finding.title).toMatch(/^Title /);
      expect(after.findings[0]?.finding.body).toMatch(/^Body\n[\s\S]*\nend$/);
      expect(after.findings[1]).toEqual(before.findings[1]);
      expect(JSON.stringify(after)).not.toContain(TOKEN);
      expect(after.walkthrough?.replace(MARKS, "").includes("plain words")).toBe(text.includes("plain words"));
    }),
    { numRuns: 60 },
  );
});

test("what is redacted can be published: all findings are posted", async () => {
  const review = await withoutSecrets(holding(HOSTILE.slice(0, 4).join("\n")), redact);
  const posted = await publish(review, fakeReviews({ headSha: review.headSha, files: [LOGIN] }));
  expect(posted).toMatchObject({ kind: "posted" });
});

test("a redactor that loses a line is an error, not another text", async () => {
  const review = holding("x");
  const intent = { ...review.signals.intent, focusAreas: ["a", "b"] };
  const lines = { ...review, signals: { ...review.signals, intent } };
  await expect(withoutSecrets(lines, async (text) => text.replace("a\nb", "ab"))).rejects.toThrow("number of lines");
});
