// Whatever is cut is cut so that a redactor still finds all that it would have found, and no half
// of a token comes out.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { secretRedactor } from "../../src/adapters/secrets/redact.ts";
import { cutText, oneLine } from "../../src/domain/text/cut-text.ts";
import { publicErrorText } from "../../src/domain/text/public-error-text.ts";
import { codeSpan, sanitizeBlock, sanitizeInline } from "../../src/publish/sanitize.ts";
import { receive } from "../../src/receive/receive.ts";
import { loggedError } from "../../src/server/serve.ts";
import { runs } from "../property-runs.ts";

/** Put together, so that no scanner takes this file for a leak. */
const TOKENS: readonly string[] = [
  ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_"),
  ["AKI", "AV7Q2ZPXR4LTNWS5Y"].join(""),
  ["xoxb", "2148736509", "2148736509871", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ"].join("-"),
  `sk-ant-api03-${"b7Qk2ZpXv9Lr4TnWs8Yc".repeat(5).slice(0, 93)}AA`,
  ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiI5ODM0NzEyMDU2In0", "q7Xk2Zp-v9Lr4TnWs8Yc1HdJ6mGfA3eUo5iKb2Q"].join("."),
  `postgres://app:${"x9Lr4TnWs8Yc1"}@db.acme-internal.net/shop`,
  `password = "${"x9Lr4TnWs8Yc1HdJ6mGf"}"`,
];

const secretOf = (token: string) => /:\/\/app:([^@]+)@|"([^"]+)"/.exec(token)?.slice(1).find(Boolean) ?? token;

function leaks(text: string, token: string): boolean {
  const secret = secretOf(token);
  for (let at = 0; at + 8 <= secret.length; at++) if (text.includes(secret.slice(at, at + 8))) return true;
  return false;
}

const word = fc.stringMatching(/^[a-z]{1,9}$/);
const around = fc.array(word, { maxLength: 60 }).map((words) => words.join(" "));
const cases = fc.record({
  token: fc.constantFrom(...TOKENS),
  before: around,
  after: around,
  glue: fc.constantFrom(" ", "\n", "\t", ": ", "`", "(", '", "'),
  most: fc.integer({ min: 20, max: 400 }),
});

describe("a token across a cut", () => {
  const { redact } = secretRedactor();
  const reported: readonly (readonly [name: string, cut: (text: string, most: number) => string])[] = [
    ["cut text", cutText],
    ["public words", publicErrorText],
    ["a line of a comment", sanitizeInline],
    ["a comment", sanitizeBlock],
    ["a name", codeSpan],
  ];

  test.each(reported)("does not leave half of %s, in any place and with any limit", async (_, cut) => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ token, before, after, glue, most }) => {
        const { text } = await redact(cut(`${before}${glue}${token}${glue}${after}`, most));
        expect(leaks(text, token), text).toBe(false);
      }),
      runs(150),
    );
  });

  test("is not halved at any place of any limit", async () => {
    for (const token of TOKENS)
      for (let most = 0; most <= token.length + 12; most++) {
        const { text } = await redact(cutText(`for us ${token} and more`, most));
        expect(leaks(text, token), `${most}: ${text}`).toBe(false);
      }
  });

  test("is in no log of an error, for any length before it", async () => {
    for (const token of TOKENS)
      for (const length of [1_960, 1_975, 1_985, 1_990, 1_993, 1_999, 2_000]) {
        const error = new Error(`${"a ".repeat(length / 2)}${token} and more`);
        const { text } = await redact(JSON.stringify(loggedError(error)));
        expect(leaks(text, token)).toBe(false);
      }
  });

  test("is in no reason why a delivery was ignored", async () => {
    for (const token of TOKENS)
      for (const before of ["", "a ", "an action ", "one more action of "]) {
        const payload = { action: `${before}${token}`, pull_request: {}, repository: {} };
        const { outcome: said } = receive(
          { id: "1", event: "pull_request", payload },
          { host: "github.com", reviewerLogin: null, slug: "kodiai" },
        );
        const { text } = await redact(JSON.stringify(said));
        expect(leaks(text, token), text).toBe(false);
      }
  });
});

describe("a mark of redaction", () => {
  const marked = "the key ‹redacted:github-token› of the build";
  test("is whole or removed", () => {
    for (let most = 0; most <= marked.length; most++) {
      for (const shown of [cutText(marked, most), publicErrorText(marked, most)])
        expect(shown.includes("‹redacted:github-token›") || !/‹r/.test(shown), shown).toBe(true);
    }
    for (let most = 20; most <= marked.length; most++) {
      const shown = [sanitizeInline(marked, most), sanitizeBlock(marked, most), codeSpan(marked, most)];
      for (const one of shown) expect(one.includes("redacted:github-token") || !one.includes("redact"), one).toBe(true);
    }
  });
});

describe("what holds no token", () => {
  test("is cut between words, with the beginning of the last", () => {
    expect(cutText("the build of the shop failed", 15)).toBe("the build of th");
    expect(cutText("see packages/checkout/src/total.ts", 30)).toBe("see package");
    expect(cutText("短い題名はそのまま切られます", 6)).toBe("短い題名はそ");
    expect(cutText("a😀b", 2)).toBe("a");
    expect(cutText("anything", 0)).toBe("");
  });
});

test("one line has single spaces within and none around, for any white space and control characters", () => {
  const piece = fc.constantFrom(
    "word",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\u0000",
    "\u0085",
    "\u00a0",
    "\u2028",
    "\u3000",
    "é",
    "\ud800",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join("");
      expect(oneLine(text)).toBe(text.replace(/[\s\p{Cc}]+/gu, " ").trim());
    }),
    runs(500),
  );
});
