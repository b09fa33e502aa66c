import { describe, expect, test } from "vitest";
import { detectSecrets } from "../../../src/adapters/secret-detector.ts";
import { type SecretFixture, secretFixtures } from "./shared-fixtures.ts";

const fixtures = secretFixtures();

/** Fixtures whose label says nothing about their content, each with the reason. */
const NOT_JUDGED: readonly { readonly reason: string; readonly applies: (fixture: SecretFixture) => boolean }[] = [
  {
    reason: "secretlint's own test device: what counts as a secret is an option of the fixture (THIS IS SECRET)",
    applies: ({ rule }) => /-(?:example|filter-comments|pattern)$/.test(rule),
  },
  { reason: "a home directory names a person and is no secret", applies: ({ rule }) => rule.endsWith("-no-homedir") },
  {
    reason: "a certificate store is binary: it never reaches a text, and its file is found by its name",
    applies: ({ rule, text }) => rule.endsWith("-gcp") && text.includes("\uFFFD"),
  },
  {
    reason: "an option of the fixture lets a real token pass, or leaves its rule out; the content is a secret",
    applies: ({ label, case: name }) => label === "not_secret" && /\.allows$|enableIDScanRule-false$/.test(name),
  },
];

const judged = (fixtures ?? []).filter((fixture) => !NOT_JUDGED.some(({ applies }) => applies(fixture)));

describe.skipIf(fixtures === null)("secretlint's fixtures", () => {
  test("most fixtures are judged and every exception is used", () => {
    expect(judged.filter(({ label }) => label === "secret").length).toBeGreaterThanOrEqual(50);
    for (const { applies } of NOT_JUDGED) expect((fixtures ?? []).some(applies)).toBe(true);
  });

  test("at least 95 % of the secrets are found", async () => {
    const secrets = judged.filter(({ label }) => label === "secret");
    const missed: string[] = [];
    for (const { rule, case: name, text } of secrets)
      if ((await detectSecrets(text)).length === 0) missed.push(`${rule} ${name}`);
    expect(missed.length / secrets.length, missed.join(", ")).toBeLessThanOrEqual(0.05);
  });

  test("at most 5 % of what is no secret is touched", async () => {
    const clean = judged.filter(({ label }) => label === "not_secret");
    const touched: string[] = [];
    for (const { rule, case: name, text } of clean)
      if ((await detectSecrets(text)).length > 0) touched.push(`${rule} ${name}`);
    expect(clean.length).toBeGreaterThanOrEqual(35);
    expect(touched.length / clean.length, touched.join(", ")).toBeLessThanOrEqual(0.05);
  });
});
