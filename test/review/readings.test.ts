// Several readings of one change: independent, paid from what was reserved, merged into one list in
// which nothing is lost.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Finding } from "../../src/domain/finding.ts";
import type { ModelRequest } from "../../src/domain/model.ts";
import type { Review } from "../../src/domain/review.ts";
import { reviewMarkdown } from "../../src/publish/publish.ts";
import { FIRST_QUESTIONS } from "../../src/review/reading/instructions.ts";
import { mergeReadings } from "../../src/review/reading/merge-readings.ts";
import { gapOf } from "../../src/review/reading/same-claim.ts";
import { LOGIN } from "../app/change-builders.ts";
import { reviewed } from "../app/pipeline.ts";
import {
  askedIds,
  drafted,
  failure,
  reports,
  type Script,
  type ScriptedSettings,
  scriptedModel,
  textOf,
} from "../fakes/scripted-model.ts";
import { runs } from "../property-runs.ts";
import { finding } from "./review-builders.ts";

const VALUES = Array.from({ length: 20 }, (_, at) => `export const value${at} = read("${at}");\n`).join("");
const FILES = { "src/login.ts": LOGIN, "src/values.ts": VALUES, "src/zone.ts": VALUES };
const ETAG = "export function etag(content: string): string {";

/** The number of the reading that a question belongs to, from 0. */
function readingOf({ user }: Pick<ModelRequest<unknown>, "user">): number {
  return FIRST_QUESTIONS.findIndex((question) => textOf(user).includes(question));
}

async function readBy(script: Script, readings: 1 | 2 | 3 | "auto" = 2, more: Parameters<typeof reviewed>[0] = {}) {
  return readWith(script, readings, more);
}

async function readWith(
  script: Script,
  readings: 1 | 2 | 3 | "auto",
  more: Parameters<typeof reviewed>[0],
  settings?: ScriptedSettings,
  rest = "",
) {
  const access = scriptedModel(script, settings);
  const config = `review: {readings: ${readings}${rest}}`;
  const review = await reviewed({ files: FILES, config, ...more, access });
  const of = (purpose: string) => access.asked.filter((one) => one.purpose === purpose);
  return { review, of, markdown: reviewMarkdown(review) };
}

function titles({ findings }: Review): readonly string[] {
  return findings.map(({ finding: { title } }) => title);
}

/** Each reading says its own. */
function eachSays(...lists: readonly (readonly Record<string, unknown>[])[]): Script {
  return (question) => reports(...(lists[readingOf(question)] ?? []))(question);
}

describe("independent readings", () => {
  test.each([2, 3] as const)(
    "%d readings share their beginning byte for byte, and differ in order and question",
    async (count) => {
      const { of, review, markdown } = await readBy(reports(drafted({ quote: ETAG })), count);
      const questions = of("review");
      expect(questions).toHaveLength(count);
      const [first] = questions;
      for (const { system, user } of questions) {
        expect(system).toEqual(first?.system);
        expect(user.slice(0, -1)).toEqual(first?.user.slice(0, -1));
        expect([...system, ...user.slice(0, -1)].every(({ cache }) => cache)).toBe(true);
      }
      const orders = questions.map(({ user }) =>
        textOf(user)
          .match(/^### FILE \S+/gm)
          ?.join(),
      );
      expect(new Set(orders).size).toBe(count);
      expect(questions.map((one) => readingOf(one))).toEqual(Array.from({ length: count }, (_, at) => at));
      expect(review.coverage?.readings).toMatchObject({ planned: count, because: "`review.readings`", fewer: [] });
      expect(markdown).toContain(`(\`scripted-large\`, ${count} readings)`);
    },
  );

  test("no reading sees what another one found", async () => {
    const { of } = await readBy(reports(drafted({ quote: ETAG, title: "Telltale words of a finding" })), 3);
    for (const { user } of of("review")) expect(textOf(user)).not.toContain("Telltale");
  });

  test("every line of the change is in each of them", async () => {
    const { of } = await readBy(reports(), 3);
    const lines = of("review").map(({ user }) =>
      textOf(user)
        .match(/^\d+#[0-9a-f]{4}:.*$/gm)
        ?.toSorted(),
    );
    expect(lines[1]).toEqual(lines[0]);
    expect(lines[2]).toEqual(lines[0]);
  });

  test("without a word in the configuration a change is read once", async () => {
    const { of, review } = await readBy(reports(drafted({ quote: ETAG })), "auto");
    expect(of("review")).toHaveLength(1);
    expect(review.coverage?.readings).toMatchObject({ planned: 1, because: "the balanced profile" });
    expect(review.findings[0]?.finding).not.toHaveProperty("agreement");
  });

  test("a small change in one file is read once and verified", async () => {
    const { of, review } = await readBy(reports(drafted({ quote: ETAG })), 3, { files: { "src/login.ts": LOGIN } });
    expect([of("review").length, of("verify").length]).toEqual([1, 1]);
    expect(review.coverage?.readings).toMatchObject({
      planned: 1,
      because: "a change of at most 30 lines in one file is read once",
    });
  });
});

describe("one verdict", () => {
  const REWORDED = {
    title: "An empty name logs in the first user",
    body: "When the name is empty, every row matches.",
  };

  test("what both name is one finding with their agreement; what one names stays; both are verified once", async () => {
    const other = drafted({ path: "src/zone.ts", quote: 'export const value7 = read("7");', title: "Seven is unread" });
    const { review, of } = await readBy(
      eachSays([drafted({ quote: ETAG })], [other, drafted({ quote: ETAG, ...REWORDED, confidence: 0.8 })]),
    );
    expect(of("verify")).toHaveLength(1);
    expect(askedIds(of("verify")[0]?.user ?? [])).toHaveLength(2);
    expect(review.findings.map(({ finding: { path, agreement } }) => [path, agreement])).toEqual([
      ["src/login.ts", { named: 2, of: 2 }],
      ["src/zone.ts", { named: 1, of: 2 }],
    ]);
    expect(titles(review)[0]).toBe("The first user is logged in when the name is empty");
  });

  test("one claim in two places has one text and both places", async () => {
    const { review } = await readBy(
      eachSays(
        [drafted({ quote: ETAG })],
        [drafted({ path: "src/zone.ts", quote: 'export const value7 = read("7");' })],
      ),
    );
    expect(titles(review)).toHaveLength(1);
    expect(review.findings[0]?.finding.body).toContain("Also at `src/zone.ts:8`.");
  });

  test("two claims about one line stay two", async () => {
    const two = { title: "Etag ignores the charset", body: "Bytes differ from text in Latin-1; hash a buffer." };
    const { review } = await readBy(
      eachSays([drafted({ quote: ETAG })], [drafted({ quote: ETAG, ...two, category: "reliability" })]),
    );
    expect(titles(review)).toHaveLength(2);
  });
});

describe("a server that fails in a reading", () => {
  test.each(["overloaded", "timeout", "malformed", "denied", "unpaid", "refused"] as const)(
    "%s in the second: the first is posted, and the review says what was read once",
    async (kind) => {
      const { review, markdown } = await readBy((question) =>
        question.purpose === "review" && readingOf(question) === 1
          ? failure(kind)
          : reports(drafted({ quote: ETAG }))(question),
      );
      expect(titles(review)).toEqual(["The first user is logged in when the name is empty"]);
      expect(review.findings[0]?.finding).not.toHaveProperty("agreement");
      expect(review.coverage).toMatchObject({ questions: 2, unanswered: 0 });
      expect(review.coverage?.files.every(({ state }) => state === "full")).toBe(true);
      expect(review.unread).toEqual([]);
      expect(review.coverage?.readings?.fewer.map(({ path, times }) => [path, times])).toEqual(
        Object.keys(FILES).map((path) => [path, 1]),
      );
      expect(review.degraded).toContainEqual({
        part: "readings",
        reason: expect.stringMatching(/^the model read src\/login\.ts once, .* in place of 2 times: the model/),
      });
      expect(markdown).toContain("This review is **incomplete**");
    },
  );

  test("in the first: the second has read it, once", async () => {
    const { review } = await readBy((question) =>
      question.purpose === "review" && readingOf(question) === 0
        ? failure("timeout")
        : reports(drafted({ quote: ETAG }))(question),
    );
    expect(titles(review)).toHaveLength(1);
    expect(review.coverage).toMatchObject({ questions: 2, unanswered: 0 });
    expect(review.coverage?.readings?.fewer).toHaveLength(3);
  });

  test("in all: nothing was read, and nothing is said of readings", async () => {
    const { review } = await readBy(() => failure("timeout"), 3);
    expect(review.coverage).toMatchObject({ unanswered: 1 });
    expect(review.degraded.map(({ part }) => part)).toEqual(["model"]);
  });

  test("in one part of several: only its files were read once", async () => {
    const long = (name: string) =>
      Array.from({ length: 550 }, (_, at) => `export const ${name}${at} = read("${at}", "${"x".repeat(60)}");\n`).join(
        "",
      );
    const files = { "src/a.ts": long("a"), "src/b.ts": long("b") };
    const { review, of } = await readBy(
      (question) =>
        question.purpose === "review" && readingOf(question) === 1 && textOf(question.user).includes("# Part 2 of 2")
          ? failure("overloaded")
          : reports()(question),
      2,
      { files },
    );
    expect(of("review")).toHaveLength(4);
    expect(review.coverage?.readings?.fewer).toHaveLength(1);
    expect(review.coverage?.files.every(({ state }) => state === "full")).toBe(true);
  });
});

describe("the budget", () => {
  const spend = (usd: number, tokens?: ScriptedSettings["tokens"]) =>
    readWith(reports(drafted({ quote: ETAG })), 3, {}, tokens && { tokens }, `, budget: {usdPerReview: ${usd}}`);

  test("says how many readings it pays for", async () => {
    const { review, of } = await spend(0.4);
    expect(of("review")).toHaveLength(2);
    expect(review.coverage?.readings).toMatchObject({ planned: 2, because: "the budget pays for 2 of 3" });
    expect(review.degraded.map(({ part }) => part)).not.toContain("readings");
  });

  test("is never exceeded by a further reading, whatever answers cost", async () => {
    const usd = fc.integer({ min: 5, max: 120 }).map((cents) => cents / 100);
    await fc.assert(
      fc.asyncProperty(usd, fc.integer({ min: 300, max: 16_000 }), async (most, output) => {
        const { review, of } = await spend(most, { input: 6_000, output });
        const each = (6_000 * 2 + output * 10) / 1e6;
        if (of("review").length > 1) expect(of("review").length * each).toBeLessThanOrEqual(most);
        expect(review.cost.usd).toBeLessThanOrEqual(Math.max(most, 3 * each));
      }),
      { numRuns: 30 },
    );
  });

  test("the estimate names tokens and price before anything is asked", async () => {
    const [once, twice] = [await readBy(reports(), 1), await readBy(reports(), 2)];
    const [one, two] = [once, twice].map(({ review }) => review.coverage?.readings?.estimate);
    expect(two?.inputTokens).toBeGreaterThan(1.9 * (one?.inputTokens ?? 0));
    expect(two?.usd).toBeCloseTo(2 * (one?.usd ?? 0), 2);
  });
});

describe("merging", () => {
  const WORDS = ["row", "null", "cursor", "twice", "lock", "name", "empty", "price", "late", "path"];
  const anyDraft = fc
    .record({
      words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }),
      path: fc.constantFrom("src/a.ts", "src/b.ts"),
      startLine: fc.integer({ min: 1, max: 12 }),
      length: fc.integer({ min: 0, max: 3 }),
      category: fc.constantFrom("correctness" as const, "reliability" as const),
      severity: fc.constantFrom("major" as const, "minor" as const),
      confidence: fc.constantFrom(0.5, 0.7, 0.9),
      locMethod: fc.constantFrom("anchor" as const, "none" as const),
    })
    .map(({ words, length, startLine, ...more }): Finding => {
      const title = words.join(" ");
      const line = startLine + length;
      return finding({
        ...more,
        id: "fnd_000000000000",
        rule: null,
        source: "model",
        title,
        body: title,
        startLine,
        line,
      });
    });
  const anyReadings = fc.array(fc.array(anyDraft, { maxLength: 6 }), { minLength: 2, maxLength: 3 });
  const merge = (readings: readonly (readonly Finding[])[]) => mergeReadings(readings, () => readings.length);

  test("the order of the readings changes nothing", () => {
    fc.assert(
      fc.property(anyReadings, (readings) => {
        expect(merge(readings.toReversed())).toEqual(merge(readings));
        expect(merge([...readings.slice(1), ...readings.slice(0, 1)])).toEqual(merge(readings));
      }),
      runs(500),
    );
  });

  test("no finding is lost: each is counted once, and its place is kept", () => {
    fc.assert(
      fc.property(anyReadings, (readings) => {
        const claims = merge(readings);
        const named = claims.reduce((sum, { agreement }) => sum + (agreement?.named ?? 0), 0);
        expect(named).toBe(readings.flat().length);
        for (const one of readings.flat()) {
          const isThere = claims.some(
            (claim) =>
              (claim.path === one.path && gapOf(claim, one) === 0) ||
              (one.locMethod === "none" && claim.path === one.path) ||
              claim.body.includes(`\`${one.path}`),
          );
          expect(isThere).toBe(true);
        }
      }),
      runs(500),
    );
  });

  test("a claim is named by at most each reading once, and every text was written by a reading", () => {
    fc.assert(
      fc.property(anyReadings, (readings) => {
        const texts = new Set(readings.flat().map(({ title }) => title));
        for (const { agreement, title } of merge(readings)) {
          expect(agreement?.named).toBeLessThanOrEqual(readings.length);
          expect(agreement?.of).toBe(readings.length);
          expect(texts.has(title)).toBe(true);
        }
      }),
      runs(300),
    );
  });

  test("one reading is left as it is", () => {
    fc.assert(
      fc.property(fc.array(anyDraft, { maxLength: 6 }), (list) => {
        expect(mergeReadings([list], () => 1).map(({ title }) => title)).toEqual(list.map(({ title }) => title));
      }),
      runs(200),
    );
  });
});
