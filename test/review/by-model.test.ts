// A change walks the whole pipeline, and a model that a script plays reads it. What people see is
// the summary and the comments.
import { describe, expect, test } from "vitest";
import type { Review } from "../../src/domain/review.ts";
import { reviewMarkdown } from "../../src/publish/publish.ts";
import { LOGIN, WEAK_LOGIN } from "../app/change-builders.ts";
import { type Change, reviewed } from "../app/pipeline.ts";
import { aPull } from "../fakes/pull-requests.ts";
import { drafted, failure, reports, type Script, scriptedModel, textOf } from "../fakes/scripted-model.ts";

const FILES = { "src/login.ts": LOGIN };
const ETAG = "export function etag(content: string): string {";

function held(review: Review): string[] {
  return review.heldBack.map(({ finding, reason }) => `${finding.title}: ${reason}`);
}

async function readBy(
  script: Script,
  change: Change = { files: FILES },
  settings?: Parameters<typeof scriptedModel>[1],
) {
  const access = scriptedModel(script, settings);
  const review = await reviewed({ ...change, access });
  return { review, asked: access.asked, markdown: reviewMarkdown(review) };
}

/** The anchor that stands before a line of the prompt. */
function anchorBefore(text: string, line: string): string {
  const shown = text.split("\n").find((one) => one.endsWith(line)) ?? "";
  return /^-?\d+#[0-9a-f]{4}/.exec(shown)?.[0] ?? "";
}

describe("a model reads a change", () => {
  test("a finding cited by its anchor is on its line, with its cost in the footer", async () => {
    const { review, markdown } = await readBy((question) =>
      reports(drafted({ anchor: anchorBefore(textOf(question.user), ETAG), quote: ETAG }))(question),
    );
    expect(review.findings).toMatchObject([
      { place: "inline", finding: { path: "src/login.ts", line: 3, source: "model", locMethod: "anchor" } },
    ]);
    expect(review.coverage).toMatchObject({ model: "scripted-large", questions: 1, unanswered: 0 });
    expect(review.coverage?.files).toEqual([{ path: "src/login.ts", state: "full", reason: null }]);
    expect(markdown).toMatch(/Cost: 2400 tokens in, 600 out \(`scripted-large`\), USD 0\.0108/);
    expect(markdown).toContain("to decline it, reply `/kodiai ignore` with a reason");
    expect(markdown).toContain("Adds a login.");
  });

  test("the question holds title, intent, languages, risks and the diff with anchors, all fenced", async () => {
    const { asked } = await readBy(reports(), { files: { "src/auth/login.ts": WEAK_LOGIN } });
    const [question] = asked;
    const text = textOf(question?.user ?? []);
    const fences = text.split("\n").filter((line) => line.startsWith("kodiai-"));
    expect(new Set(fences.map((line) => line.split(" ")[0]))).toEqual(new Set([`kodiai-${"1".padStart(32, "0")}`]));
    expect(text).toContain("Kind of change, says the title: fix");
    expect(text).toContain("Languages: TypeScript 100 %");
    expect(text).toMatch(/Risk: .*authentication.*\(src\/auth\/login\.ts/);
    expect(text).toMatch(/\[fnd_[0-9a-f]{12}\] \w+ src\/auth\/login\.ts:8 weak-password-hash/);
    expect(text).toMatch(/^3#[0-9a-f]{4}:\+export function etag\(content: string\): string \{$/m);
    expect(textOf(question?.system ?? [])).not.toContain("login");
  });

  test("what the title asks to look at reaches the prompt [000-38]", async () => {
    const { asked } = await readBy(reports(), {
      files: FILES,
      world: { pull: aPull({ title: "[security-review] [Crypto] feat: log in" }) },
    });
    expect(textOf(asked[0]?.user ?? [])).toContain("The author asks to look at: security, crypto\n");
  });

  test("what a second look refutes is held back with the reason, and a second look never makes it graver", async () => {
    const { review } = await readBy(({ purpose, user }) => {
      if (purpose === "review")
        return reports(
          drafted({ quote: ETAG, severity: "medium" }),
          drafted({ quote: "import { createHash }", title: "Unused" }),
        )({ purpose, user } as never);
      const [first] = [...textOf(user).matchAll(/^\[(fnd_\w+)\]/gm)];
      return {
        findings: [
          {
            id: first?.[1] ?? "",
            verdict: "wrong",
            severity: "critical",
            confidence: 0.9,
            reason: "Line 3 returns early.",
          },
        ],
      };
    });
    expect(held(review)).toEqual([
      "The first user is logged in when the name is empty: it did not hold when checked: Line 3 returns early.",
    ]);
  });

  test("a finding without a proven line is said on its file, and one about another file is held back", async () => {
    const { review } = await readBy(
      reports(
        drafted({ quote: "delete everything", anchor: "3#0000" }),
        drafted({ path: "/etc/passwd", title: "Shadow it" }),
      ),
    );
    expect(review.findings).toMatchObject([
      {
        place: "file",
        reason: "neither an anchor nor a quote of the model proves a line",
        finding: { locMethod: "none" },
      },
    ]);
    expect(held(review)).toEqual(["Shadow it: the model spoke about a file that is not part of the reviewed diff"]);
    expect(reviewMarkdown(review)).not.toContain("About line 1");
  });

  test("the same defect reworded keeps its id", async () => {
    const say = (title: string) => readBy(reports(drafted({ quote: ETAG, title })));
    const [one, other] = await Promise.all([say("An empty name logs in"), say("Login succeeds without a name")]);
    expect(one?.review.findings[0]?.finding.id).toBe(other?.review.findings[0]?.finding.id);
  });

  test("a model may quiet a mild finding of a rule, and not a grave one", async () => {
    const refutes: Script = ({ user }) => {
      const ids = [...textOf(user).matchAll(/\[(fnd_\w+)\]/g)].map(([, id]) => ({
        id: id ?? "",
        verdict: "wrong",
        reason: "The text asks for it.",
      }));
      return { findings: [], ruleFindings: ids, walkthrough: "" };
    };
    const noTimeout = 'import requests\n\nrequests.get("https://a.example.com/b")\n';
    const { review } = await readBy(refutes, { files: { "src/get.py": noTimeout, "src/login.ts": WEAK_LOGIN } });
    expect(review.findings.map(({ finding }) => finding.rule)).toEqual(["weak-password-hash"]);
    expect(held(review).join()).toContain("the model, looking at the code, found it wrong: The text asks for it.");
  });
});

describe("a model fails", () => {
  test.each([
    ["refused", "the model refused to answer"],
    ["truncated", "the model's answer was cut off"],
    ["malformed", "the model's answer did not have the requested form"],
    ["rate-limited", "the model's server is rate limited"],
    ["overloaded", "the model's server is overloaded"],
    ["timeout", "the model did not answer in time"],
    ["unreachable", "the model's server could not be reached"],
    ["denied", "the model's server refused our key"],
    ["circuit-open", "not asked for a while"],
  ] as const)("%s: the review by rules is posted and says so, and praises nothing", async (kind, words) => {
    const { review, markdown } = await readBy(() => failure(kind), { files: { "src/login.ts": WEAK_LOGIN } });
    expect(review.findings.map(({ finding }) => finding.rule)).toEqual(["weak-password-hash"]);
    expect(markdown).toContain(words);
    expect(markdown).toContain("This review is **incomplete**");
    expect(review.coverage?.files).toMatchObject([{ state: "not-read" }]);
  });

  test("without any finding, an unread change is not called free of findings", async () => {
    const { markdown } = await readBy(() => failure("overloaded"));
    expect(markdown).not.toMatch(/\*\*No findings\*\* in 1 file\. *$/m);
    expect(markdown).toContain("**No rule fired** in 1 file; no model read it");
  });

  test("where the second look fails, what the first is sure of is posted and marked", async () => {
    const { review, markdown } = await readBy((question) =>
      question.purpose === "verify" ? failure("timeout") : reports(drafted({ quote: ETAG }))(question),
    );
    expect(review.findings[0]?.finding.confidence).toBeCloseTo(0.9);
    expect(review.findings[0]?.finding.body).toContain("This was not checked a second time.");
    expect(markdown).toContain("were not checked a second time: the model did not answer in time");
  });
});

describe("a change that is more than one question", () => {
  const big = (name: string, lines: number) =>
    Array.from({ length: lines }, (_, i) => `export const ${name}${i} = compute(${i}, "${"x".repeat(60)}");`).join(
      "\n",
    );
  const files = {
    "docs/guide.md": big("guide", 800),
    "src/auth/session.ts": big("session", 800),
    "src/view.ts": big("view", 800),
    "test/view.test.ts": big("viewTest", 800),
  };

  test("is read in several, the riskiest file first, each with the same beginning", async () => {
    const { asked, review } = await readBy(reports(), { files });
    const questions = asked.filter(({ purpose }) => purpose === "review");
    expect(questions.length).toBeGreaterThan(2);
    expect(textOf(questions[0]?.user ?? [])).toContain("### FILE src/auth/session.ts");
    expect(new Set(questions.map(({ user }) => user[0]?.text)).size).toBe(1);
    expect(questions.every(({ user }) => user[0]?.cache === true)).toBe(true);
    expect(review.coverage?.files.map(({ state }) => state)).toEqual(["full", "full", "full", "full"]);
  });

  test("what the money does not pay for is named, least important first", async () => {
    const config = "review: {budget: {usdPerReview: 0.4}}";
    const { review, markdown } = await readBy(reports(), { files, config });
    expect(review.coverage?.files).toMatchObject([
      { path: "docs/guide.md", state: "partial", reason: "1 of 10 pieces; the rest is over the budget" },
      { path: "src/auth/session.ts", state: "full" },
      { path: "src/view.ts" },
      { path: "test/view.test.ts" },
    ]);
    expect(markdown).toMatch(/`docs\/guide\.md`: in part, 1 of 10 pieces; the rest is over the budget/);
    expect(markdown).toContain("This review is **incomplete**");
  });

  test("the list of files says of each what it is, and what is shown, left out and unread", async () => {
    const config = "review: {budget: {usdPerReview: 0.25}}";
    const more = { "i18n/de.json": '{"a": "b"}', "package-lock.json": "{}" };
    const { asked } = await readBy(reports(), { files: { ...files, ...more }, config });
    const list = textOf(asked[0]?.user ?? []);
    expect(list).toContain(
      "src/auth/session.ts (added, +800 -0): shown, not all: 8 of 10 pieces; the rest is over the budget",
    );
    expect(list).toContain("test/view.test.ts (test, added, +800 -0): unread: over the budget of this review");
    expect(list).toContain("docs/guide.md (docs, added, +800 -0): unread: over the budget of this review");
    expect(list).toContain("i18n/de.json (data, added, +1 -0): shown\n");
    expect(list).toContain("package-lock.json: left out: lock file");
    expect(list).toContain("## Title: claims to check against the diff");
  });

  test("how much was read is counted after the answers that failed, and not said where none came", async () => {
    const config = "review: {budget: {usdPerReview: 0.4}}";
    const none = await readBy(() => failure("overloaded"), { files, config });
    expect(none.markdown).toContain("was not read by the model");
    expect(none.markdown).not.toMatch(/the model read \d of \d files/);
    let first = true;
    const some = await readBy(
      (question) => {
        const fails = first;
        first = false;
        return fails ? failure("truncated") : reports()(question);
      },
      { files, config },
    );
    const whole = some.review.coverage?.files.filter(({ state }) => state === "full").length;
    expect(some.markdown).toContain(`the model read ${whole} of 4 files wholly`);
  });

  test("one answer of several that fails costs its own files only", async () => {
    let first = true;
    const { review } = await readBy(
      (question) => {
        const fails = first;
        first = false;
        return fails ? failure("truncated") : reports()(question);
      },
      { files },
    );
    const states = new Map(review.coverage?.files.map(({ path, state }) => [path, state]));
    expect(states.get("src/auth/session.ts")).not.toBe("full");
    expect(states.get("docs/guide.md")).toBe("full");
  });
});
