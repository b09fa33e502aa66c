// The wrappers around everything that leaves: comments, values, lines of the log.

import fc from "fast-check";
import { expect, test } from "vitest";
import { redactedLog, redactStrings, secretRedactor } from "../../../src/adapters/secrets/redact.ts";
import { redactBody, redactedChecks, redactedReviews } from "../../../src/adapters/secrets/redacted-reviews.ts";
import { sanitizeBlock } from "../../../src/publish/sanitize.ts";
import { fakeReviews } from "../../fakes/reviews.ts";
import { runs } from "../../property-runs.ts";
import { violations } from "../../publish/github-markdown.ts";
import { hostile } from "../../publish/hostile-text.ts";
import { HEAD, LOGIN, REPO } from "../../review/review-builders.ts";

// Put together here, so that no scanner takes this file for a leak.
const TOKEN = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");
const MARKER = "<!-- kodiai:finding fnd_0123456789ab -->";
const redactor = secretRedactor();

test("a suggestion that holds a secret is shown without it, and cannot be committed", async () => {
  const github = fakeReviews({ headSha: HEAD, files: [LOGIN] });
  const body = `Say it so:\n\n\`\`\`suggestion\nconnect("${TOKEN}")\n\`\`\`\n\n${MARKER}`;
  const comment = { path: LOGIN.path, side: "RIGHT", startLine: 11, line: 11, body } as const;
  await redactedReviews(github, redactor).postReview(REPO, 7, HEAD, `See ${TOKEN}.`, [comment]);
  const [review] = github.reviews;
  expect(review?.body).toBe("See ‹redacted:github-token›.");
  expect(review?.comments[0]).toEqual({
    ...comment,
    body: `Say it so:\n\n\`\`\`\nconnect("‹redacted:github-token›")\n\`\`\`\n\n${MARKER}`,
  });
});

test("a body without a secret leaves byte for byte, its suggestion and markers included", async () => {
  const github = fakeReviews({ headSha: HEAD, files: [LOGIN] });
  const body = `Say it so:\n\n\`\`\`suggestion\nconnect(token)\n\`\`\`\n\n${MARKER}`;
  await redactedReviews(github, redactor).postFileComment(REPO, 7, HEAD, LOGIN.path, body);
  expect(github.fileComments[0]?.body).toBe(body);
});

test("for any text from outside around tokens and halves of tokens, the body stays inert and contains none [T10]", async () => {
  const [first, second] = [TOKEN.slice(0, 22), TOKEN.slice(22)];
  const seam = fc.constantFrom(
    "",
    "[",
    "]",
    "\n",
    "\n`",
    "'+`",
    "`+`",
    "\n- ",
    "\n> ",
    "&#91;",
    "\u200b",
    "](//evil.example/",
    "%20",
  );
  const quote = fc.constantFrom("", "`", "!", "![", "[", "*", "```\n", "<", "'", '"');
  const text = fc.tuple(hostile, quote, seam, quote, hostile).map(([before, open, between, close, after]) => {
    return `${before}${open}${first}${between}${second}${close} ${after} ${open}${TOKEN}${close}(//evil.example/p.png)`;
  });
  await fc.assert(
    fc.asyncProperty(text, async (written) => {
      const sent = await redactBody(sanitizeBlock(written), redactor);
      expect(violations(sent)).toEqual([]);
      expect(sent).not.toContain(TOKEN);
    }),
    runs(400),
  );
});

test("no text of a check run holds a secret [T18]", async () => {
  const ends: unknown[] = [];
  const github = { begin: async () => 7, end: async (...reported: unknown[]) => void ends.push(reported) };
  const end = { conclusion: "neutral", title: `Of ${TOKEN}`, summary: `In ${TOKEN}`, text: `More ${TOKEN}` } as const;
  await redactedChecks(github, redactor).end(REPO, 7, end);
  const hidden = "‹redacted:github-token›";
  const texts = { title: `Of ${hidden}`, summary: `In ${hidden}`, text: `More ${hidden}` };
  expect(ends).toEqual([[REPO, 7, { ...end, ...texts }]]);
});

test("a value keeps its shape and every text without a secret, beside any other", async () => {
  const plain = fc.string({ unit: fc.constantFrom("a", " ", "\n", "\r", "é", "🚀", '"', "\\"), maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.array(plain), fc.nat(), async (texts, at) => {
      const value = { texts: [...texts, `key ${TOKEN}\nend`, ...texts], number: at, nothing: null };
      expect(await redactStrings(value, redactor)).toEqual({
        ...value,
        texts: [...texts, "key ‹redacted:github-token›\nend", ...texts],
      });
    }),
    { numRuns: 30 },
  );
});

test("lines of a log keep their order, and one that is no JSON is redacted too", async () => {
  const lines: string[] = [];
  const log = redactedLog((line) => void lines.push(line), redactor);
  log.write(`{"msg":"one","key":"${TOKEN}\\n"}\n`);
  log.write(`two ${TOKEN}\n`);
  log.write('{"msg":"three"}\n');
  await log.drained();
  expect(lines).toEqual([
    '{"msg":"one","key":"‹redacted:github-token›\\n"}\n',
    "two ‹redacted:github-token›\n",
    '{"msg":"three"}\n',
  ]);
});

test("a log that cannot be written does not end the process", async () => {
  const log = redactedLog(() => {
    throw new Error("EPIPE");
  }, redactor);
  log.write("one\n");
  log.write("two\n");
  await expect(log.drained()).resolves.toBeUndefined();
});
