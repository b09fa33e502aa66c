// Text without end in every place that an intent is read from: each piece is one on which a
// careless pattern takes quadratic time.
import { expect } from "vitest";
import { type IntentInput, parseIntent } from "../../src/analyze/intent.ts";

export const PIECES: readonly (readonly [name: string, piece: string])[] = [
  ["spaces", " "],
  ["opening brackets", "["],
  ["tags", "[a]"],
  ["known tags", "[wip] "],
  ["emoji", "🚧"],
  ["letters", "a"],
  ["words", "a "],
  ["backticks", "`"],
  ["growing code spans", "`a``b```c "],
  ["comment marks", "<!--"],
  ["closed comments", "<!---->"],
  ["quotes", "\n> "],
  ["keywords", "fixes "],
  ["references", "fixes #1, "],
  ["owner names", "fixes a/"],
  ["phrases", "breaking changes "],
  ["negated phrases", "no breaking changes. "],
  ["questions", "breaking change?\n\n"],
  ["labels", "\n## Breaking changes\n"],
  ["boxes", "- [ ] "],
  ["lines", "\n"],
  ["table cells", "| "],
  ["footers", "BREAKING CHANGE: "],
  ["versions", "1."],
  ["bumps", "bump a from "],
  ["arrows", "`1` -> "],
  ["reverts", 'Revert "'],
  ["hashes", "This reverts commit 0123456"],
];

/** The same text in every place. */
export function everywhere(text: string): IntentInput {
  return {
    title: text,
    body: text,
    commits: [{ sha: "a", message: text }],
    labels: [text],
    headRef: text,
    author: { login: text },
  };
}

/** Reads so many characters of the piece everywhere; what comes out is bounded. */
export function expectBoundedIntent(piece: string, length: number): void {
  const text = piece.repeat(Math.ceil(length / piece.length));
  for (const body of [text, `- [x] breaking change${text}`]) {
    const intent = parseIntent({
      ...everywhere(`feat: ${text}`),
      body,
      commits: [{ sha: "a", message: `fixes ${text}` }],
    });
    expect(intent.focusAreas.length).toBeLessThanOrEqual(20);
    expect(intent.issues.length).toBeLessThanOrEqual(100);
    expect(intent.breaking.length).toBeLessThanOrEqual(20);
  }
}
