// secretlint's own fixtures, as they are labelled and as far as a label is about the content: both
// figures are printed.
import { describe, expect, test } from "vitest";
import { detectSecrets } from "../../../src/adapters/secrets/detect-secrets.ts";
import { type SecretFixture, secretFixtures } from "./shared-fixtures.ts";

const fixtures = secretFixtures();

interface Seen extends SecretFixture {
  /** What was taken for a secret. */
  readonly found: readonly string[];
}

/**
 * Labels that say nothing about the content, or the opposite of what another label says, each with
 * the reason.
 */
const NOT_JUDGED: readonly {
  readonly reason: string;
  readonly applies: (one: Seen, all: readonly Seen[]) => boolean;
}[] = [
  {
    reason: "secretlint's own test device: the words THIS IS SECRET, with or without a comment that lets them pass",
    applies: ({ rule }) => /-(?:example|filter-comments)$/.test(rule),
  },
  {
    reason: "a sentence without any value ('secret content'): the fixture's option says what counts, not the text",
    applies: ({ rule, text }) => rule.endsWith("-pattern") && !text.includes("="),
  },
  {
    reason:
      "the home directory of who runs secretlint: /Users/to is none and /Users/exampleuser one by the user's name",
    applies: ({ rule }) => rule.endsWith("-no-homedir"),
  },
  {
    reason:
      "a key store in raw bytes, read as text: labelled by whether a published password opens it, which bytes that were replaced by U+FFFD do not tell",
    applies: ({ rule, text }) => rule.endsWith("-gcp") && text.includes("\uFFFD"),
  },
  {
    reason: "labelled as none because an option lets it pass; another fixture labels the very same value a secret",
    applies: ({ label, found }, all) =>
      label === "not_secret" &&
      found.length > 0 &&
      found.every((value) => all.some((other) => other.label === "secret" && other.text.includes(value))),
  },
];

describe.skipIf(fixtures === null)("secretlint's fixtures", async () => {
  const seen: readonly Seen[] = await Promise.all(
    (fixtures ?? []).map(async (one) => ({
      ...one,
      found: (await detectSecrets(one.text)).map(({ start, end }) => one.text.slice(start, end)),
    })),
  );
  const judged = seen.filter((one) => !NOT_JUDGED.some(({ applies }) => applies(one, seen)));
  const labelled = (all: readonly Seen[], label: string) => all.filter((one) => one.label === label);
  const nameOf = ({ rule, case: name }: Seen) => `${rule} ${name}`;
  const figure = (all: readonly Seen[]) => {
    const [secrets, clean] = [labelled(all, "secret"), labelled(all, "not_secret")];
    const hit = (some: readonly Seen[]) => some.filter(({ found }) => found.length > 0).length;
    return `${hit(secrets)} of ${secrets.length} secrets found, ${hit(clean)} of ${clean.length} others touched`;
  };

  test("both figures are printed, most fixtures are judged, and every exception is used", () => {
    console.log(`as labelled: ${figure(seen)}; without ${NOT_JUDGED.length} named exceptions: ${figure(judged)}`);
    expect(labelled(judged, "secret").length).toBeGreaterThanOrEqual(59);
    expect(labelled(judged, "not_secret").length).toBeGreaterThanOrEqual(40);
    for (const { applies } of NOT_JUDGED) expect(seen.some((one) => applies(one, seen))).toBe(true);
  });

  test("as labelled, no fewer secrets are found and no more of the others touched than the labels allow", () => {
    const secrets = labelled(seen, "secret");
    expect(secrets.filter(({ found }) => found.length > 0).length).toBeGreaterThanOrEqual(59);
    expect(labelled(seen, "not_secret").filter(({ found }) => found.length > 0).length).toBeLessThanOrEqual(5);
  });

  test("at least 95 % of the secrets are found [T18]", () => {
    const secrets = labelled(judged, "secret");
    const missed = secrets.filter(({ found }) => found.length === 0);
    expect(missed.length / secrets.length, missed.map(nameOf).join(", ")).toBeLessThanOrEqual(0.05);
  });

  test("at most 5 % of what is no secret is touched [T18]", () => {
    const clean = labelled(judged, "not_secret");
    const touched = clean.filter(({ found }) => found.length > 0);
    expect(touched.length / clean.length, touched.map(nameOf).join(", ")).toBeLessThanOrEqual(0.05);
  });
});
