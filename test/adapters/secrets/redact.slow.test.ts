// Megabytes of what looks like a secret's beginning, and other scanners' cases against their own
// rules.
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { secretRedactor } from "../../../src/adapters/secrets/redact.ts";
import { entropy } from "../../../src/adapters/secrets/secret-span.ts";
import { type GitleaksRule, gitleaksRules, secretFixtures } from "./shared-fixtures.ts";

const redactor = secretRedactor();
const MEGABYTE = 1_000_000;

const FLOODS = [
  "a",
  "A1",
  " ",
  "\n",
  "=",
  "password=",
  'password="',
  "password=Aa1bcdefgh ",
  "password=abc-def-",
  " passw",
  "token: ",
  "eyJ",
  "eyJaaaaaaaaaaa.",
  "ghp_",
  "glpat-",
  "xoxb-",
  "AKIA",
  "-----BEGIN ",
  "-----BEGIN PRIVATE KEY-----",
  "https://",
  "https://a:b",
  "https://a:b@",
  "mongodb://a:",
  "a+b.c-",
  "a://",
  "0x",
  "aws_account_id",
  "tenant-client-id",
  "kind: Secret\n",
  "sk-ant-api03-",
  "M.a",
  "SK",
  "AAAA",
];

test.each(FLOODS)("a megabyte of %j is read", async (piece) => {
  const text = piece.repeat(Math.ceil(MEGABYTE / piece.length));
  expect((await redactor.redact(text)).text.split("\n").length).toBe(text.split("\n").length);
});

const rules = gitleaksRules();
const fixtures = secretFixtures();

/**
 * gitleaks' own allowances in short: templates, examples, and values that are too even to be
 * secrets.
 */
function isFinding(value: string, rule: GitleaksRule): boolean {
  if (/redacted:|^\$|\$\{|\{\{|example$/i.test(value) || entropy(value) < rule.entropy) return false;
  return !rule.stopwords.some((word) => value.toLowerCase().includes(word));
}

describe.skipIf(rules === null || fixtures === null)("gitleaks as an independent judge", () => {
  const compiled = (rules ?? []).map((rule) => ({ ...rule, pattern: RE2JS.compile(rule.regex) }));
  const values = (text: string, { pattern }: (typeof compiled)[number]) => {
    const found: string[] = [];
    for (const matcher = pattern.matcher(text); matcher.find(); )
      found.push((matcher.groupCount() > 0 ? matcher.group(1) : matcher.group()) ?? "");
    return found;
  };
  const findings = (text: string) =>
    compiled.filter((rule) => values(text, rule).some((value) => isFinding(value, rule))).map(({ id }) => id);

  test("finds nothing more in the secretlint fixtures after they were redacted [T18]", async () => {
    const secrets = (fixtures ?? []).filter(({ label, text }) => label === "secret" && !text.includes("\uFFFD"));
    const [before, after]: [string[], string[]] = [[], []];
    for (const { text } of secrets) {
      before.push(...findings(text));
      after.push(...findings((await redactor.redact(text)).text));
    }
    expect(compiled.length).toBeGreaterThan(200);
    expect(before.length).toBeGreaterThan(30);
    expect(after).toEqual([]);
  });
});
