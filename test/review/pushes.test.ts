// The second review of a pull request, through the whole pipeline: what is read again, what is said
// again, and what is not.
import { createTwoFilesPatch } from "diff";
import { describe, expect, test } from "vitest";
import type { ChangesSince } from "../../src/domain/changes.ts";
import { Transient } from "../../src/domain/errors.ts";
import type { OwnComment } from "../../src/domain/pull-request.ts";
import type { Review } from "../../src/domain/review.ts";
import { reviewMarkdown } from "../../src/publish/publish.ts";
import { BALANCE, WEAK_LOGIN } from "../app/change-builders.ts";
import { type Change, reviewed } from "../app/pipeline.ts";
import { drafted, failure, reports, type Script, scriptedModel, textOf } from "../fakes/scripted-model.ts";

type Files = Readonly<Record<string, string>>;
type Draft = Readonly<Record<string, unknown>>;

/** Sixty lines of a file in which nothing is wrong but what a test plants. */
function ledger(over: Readonly<Record<number, string>> = {}): string {
  const lines = Array.from(
    { length: 120 },
    (_, at) => over[at + 1] ?? `  total${at + 1}(entry) { return entry.sum * ${at + 1}; }`,
  );
  return `export class Ledger {\n${lines.join("\n")}\n}\n`;
}

const UNPAID = "  pay(entry) { entry.balance = entry.balance + entry.amount; }";
const PAID = "  pay(entry) { entry.balance = entry.balance - entry.amount; }";
const CLOSE = "  close(entry) { this.archive(entry.amount); }";

const wrongSign = (over: Draft = {}) =>
  drafted({
    path: "src/ledger.js",
    quote: UNPAID,
    title: "A payment raises the balance",
    body: "`pay` adds `entry.amount`, so that paying twice doubles the debt.",
    ...over,
  });

const wrongKey = (over: Draft = {}) =>
  drafted({
    path: "src/ledger.js",
    quote: CLOSE,
    title: "The wrong entry is archived",
    body: "`archive` takes an id; it is given the amount.",
    ...over,
  });

/** What a push changed, as GitHub's comparison tells it. */
function since(before: Files, after: Files): ChangesSince {
  const files = Object.entries(after).flatMap(([path, text]) => {
    const old = before[path] ?? "";
    if (old === text) return [];
    const whole = createTwoFilesPatch("a", "b", old, text, undefined, undefined, { context: 3 });
    const patch = whole.slice(whole.indexOf("@@"));
    const count = (marker: string) => patch.split("\n").filter((line) => line.startsWith(marker)).length;
    const counts = { additions: count("+"), deletions: count("-") };
    return [{ path, previousPath: null, status: "modified" as const, ...counts, patch }];
  });
  return { kind: "since", changes: { kind: "listing", files, total: files.length } };
}

const commentsOf = (review: Review): OwnComment[] =>
  review.findings
    .filter(({ place }) => place === "inline" || place === "already-posted")
    .map(({ finding: { id, path, side, startLine, line, title, severity, rule } }) => {
      const url = `https://github.com/acme/player/pull/42#discussion_${id}`;
      return { findingId: id, url, path, side, startLine, line, hunk: "", title, severity, rule };
    });

const access = (script: Script) => scriptedModel(script);

/** The first review of `before`, and the one after a push to `after`. */
async function push(before: Files, first: Script, after: Files, second: Script, change: Change = {}) {
  const one = await reviewed({ files: before, access: access(first) });
  const model = access(second);
  const world = { changesSince: since(before, after), ownComments: commentsOf(one), ...change.world };
  const two = await reviewed({ files: after, access: model, earlier: [one], ...change, world });
  const asked = model.asked.filter(({ purpose }) => purpose === "review").map(({ user }) => textOf(user));
  return { one, two, asked };
}

const reported = (review: Review) => review.findings.map(({ finding, place }) => `${place}: ${finding.title}`);
const held = (review: Review) => review.heldBack.map(({ finding, reason }) => `${finding.title}: ${reason}`);

const BEFORE = { "src/ledger.js": ledger({ 10: UNPAID }), "src/other.js": "export const rate = 3;\n" };

describe("what is read after a push", () => {
  const after = { ...BEFORE, "src/ledger.js": ledger({ 10: UNPAID, 100: CLOSE }) };

  test("only what the push touched and its surroundings; the rest counts as read earlier", async () => {
    const { two, asked } = await push(BEFORE, reports(wrongSign()), after, reports(wrongKey()));
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(CLOSE);
    expect(asked[0]).toContain("total70(entry)");
    expect(asked[0]).not.toContain("total40(entry)");
    expect(asked[0]).not.toContain("rate = 3");
    expect(two.coverage?.files).toEqual([
      { path: "src/ledger.js", state: "full", reason: null },
      { path: "src/other.js", state: "earlier", reason: null },
    ]);
    expect(reported(two)).toEqual([
      "already-posted: A payment raises the balance",
      "inline: The wrong entry is archived",
    ]);
    expect(reviewMarkdown(two)).toMatch(/Incremental review since \[`4b825dc`\]\([^)]+\)\./);
  });

  test("a push that touches nothing of the change asks nothing, and lists open findings", async () => {
    const { two, asked } = await push(BEFORE, reports(wrongSign()), BEFORE, reports());
    expect(asked).toEqual([]);
    expect(reported(two)).toEqual(["already-posted: A payment raises the balance"]);
    expect(two.findings[0]?.reason).toBe("still open");
    expect(two.walkthrough).toBe("Adds a login.");
    expect(two.degraded).toEqual([]);
  });

  test("what no model read before is read now", async () => {
    const partly: Script = (question) =>
      textOf(question.user).includes("rate = 3") ? reports()(question) : reports(wrongSign())(question);
    const one = await reviewed({ files: BEFORE, access: access(partly) });
    const coverage = one.coverage && {
      ...one.coverage,
      files: one.coverage.files.map((file) =>
        file.path === "src/other.js" ? { ...file, state: "not-read" as const } : file,
      ),
    };
    const model = access(reports());
    await reviewed({
      files: BEFORE,
      access: model,
      earlier: [{ ...one, coverage }],
      world: { changesSince: since(BEFORE, BEFORE) },
    });
    expect(textOf(model.asked[0]?.user ?? [])).toContain("rate = 3");
  });

  test.each([
    ["a person asked for this review", { job: { explicit: true } }],
    ["configuration, rules, model or prompt changed", { config: "review:\n  profile: thorough\n" }],
    ["the branch was rewritten", { world: { changesSince: { kind: "unknown", reason: "the branch was rewritten" } } }],
    ["could not be learned", { world: { fails: { changesSince: new Transient("GitHub is down") } } }],
  ] as const)("everything is read again when %s, and the summary says so", async (reason, change) => {
    const { two, asked } = await push(BEFORE, reports(wrongSign()), after, reports(wrongSign()), change);
    expect(two.scope).toMatchObject({ kind: "full", reason: expect.stringContaining(reason) });
    expect(asked[0]).toContain("rate = 3");
    expect(reviewMarkdown(two)).toContain("Full re-review: ");
    expect(reported(two)).toEqual(["already-posted: A payment raises the balance"]);
  });

  test("a first review says nothing about earlier ones", async () => {
    const review = await reviewed({ files: BEFORE, access: access(reports()) });
    expect(review.scope).toEqual({ kind: "full", reason: null });
    expect(reviewMarkdown(review)).not.toMatch(/read again|earlier push/);
  });
});

describe("what is said after a push", () => {
  test("the same defect in other words, with another range and category, is the same finding", async () => {
    const again = wrongSign({
      title: "Paying increases what is owed",
      category: "reliability",
      body: "The balance grows by `entry.amount` whenever `pay` runs; subtract it.",
      quote: `${UNPAID}\n  total11(entry) { return entry.sum * 11; }\n  total12(entry) { return entry.sum * 12; }`,
    });
    const after = { ...BEFORE, "src/ledger.js": ledger({ 10: UNPAID, 14: "  total14() { return 0; }" }) };
    const { one, two } = await push(BEFORE, reports(wrongSign()), after, reports(again));
    expect(reported(two)).toEqual(["already-posted: A payment raises the balance"]);
    expect(two.findings[0]?.finding.id).toBe(one.findings[0]?.finding.id);
  });

  test("what was over the limit of comments stays in the summary instead of dripping in push by push", async () => {
    const one = { config: "review:\n  maxComments: 1\n" };
    const two: Script = reports(wrongSign(), wrongKey({ severity: "medium" }));
    const before = { "src/ledger.js": ledger({ 10: UNPAID, 60: CLOSE }) };
    const after = { "src/ledger.js": ledger({ 10: UNPAID, 60: CLOSE, 62: "  total62() { return 0; }" }) };
    const first = await reviewed({ files: before, access: access(two), ...one });
    expect(reported(first)).toEqual(["inline: A payment raises the balance", "summary: The wrong entry is archived"]);
    const world = { changesSince: since(before, after), ownComments: commentsOf(first) };
    const second = await reviewed({ files: after, access: access(two), earlier: [first], world, ...one });
    expect(reported(second)).toEqual([
      "already-posted: A payment raises the balance",
      "summary: The wrong entry is archived",
    ]);
    const third = await reviewed({ files: after, access: access(two), earlier: [second], world, ...one });
    expect(reported(third)).toEqual(reported(second));
  });

  test("another defect of the same kind in a line beside the first is reported", async () => {
    const refund = "  refund(entry) { entry.balance = entry.balance - entry.amount; }";
    const again = wrongSign({
      anchor: "",
      quote: refund,
      title: "A refund lowers the balance",
      body: "`refund` subtracts `entry.amount`, so that paying twice doubles the debt.",
    });
    const after = { ...BEFORE, "src/ledger.js": ledger({ 10: UNPAID, 11: refund }) };
    const { two } = await push(BEFORE, reports(wrongSign()), after, reports(wrongSign(), again));
    expect(reported(two).toSorted()).toEqual([
      "already-posted: A payment raises the balance",
      "inline: A refund lowers the balance",
    ]);
  });

  test("a copy of a defect above the first one is new, and the first one keeps its identity", async () => {
    const after = { ...BEFORE, "src/ledger.js": ledger({ 3: UNPAID, 10: UNPAID }) };
    const both: Script = (question) => {
      const anchors = textOf(question.user)
        .split("\n")
        .filter((line) => line.endsWith(UNPAID))
        .map((line) => line.split(":")[0]);
      return reports(...anchors.map((anchor) => wrongSign({ anchor })))(question);
    };
    const { one, two } = await push(BEFORE, reports(wrongSign()), after, both);
    const lines = two.findings.map(({ finding, place }) => [finding.line, place]);
    expect(lines.toSorted()).toEqual([
      [11, "already-posted"],
      [4, "inline"],
    ]);
    expect(two.findings.find(({ place }) => place === "already-posted")?.finding.id).toBe(one.findings[0]?.finding.id);
    expect(new Set(two.findings.map(({ finding }) => finding.id)).size).toBe(2);
  });

  test("what the model finds late in code that the push left alone is held back, unless it is grave", async () => {
    const before = { "src/ledger.js": ledger({ 10: UNPAID, 60: CLOSE }) };
    const after = { "src/ledger.js": ledger({ 10: UNPAID, 60: CLOSE, 90: "  total90() { return 0; }" }) };
    const late = (severity: string) => push(before, reports(wrongSign()), after, reports(wrongKey({ severity })));
    const mild = await late("major");
    expect(reported(mild.two)).toEqual(["already-posted: A payment raises the balance"]);
    expect(held(mild.two)).toEqual(["The wrong entry is archived: outside the changes of this push"]);
    expect(reported((await late("critical")).two)).toContain("inline: The wrong entry is archived");
  });

  test("a finding that asks for the opposite of what an earlier one got is held back", async () => {
    const after = { ...BEFORE, "src/ledger.js": ledger({ 10: PAID }) };
    const back = wrongSign({ quote: PAID, title: "A payment must raise the balance", suggestion: UNPAID });
    const { two } = await push(BEFORE, reports(wrongSign({ suggestion: PAID })), after, reports(back));
    expect(reported(two)).toEqual([]);
    expect(two.addressed).toMatchObject([{ reason: "its code has changed as we suggested" }]);
    expect(held(two)).toEqual([
      "A payment must raise the balance: it asks for the opposite of an earlier finding of ours that was fixed",
    ]);
  });

  test("what a model found wrong about a rule's finding stays held back where the push changed nothing", async () => {
    const before = {
      ...BEFORE,
      "src/state.js": "export function isOpen(door) {\n  debugger;\n  return door.open;\n}\n",
    };
    const refutes: Script = (question) => {
      const id = /\[(fnd_\w+)\] \w+ src\/state/.exec(textOf(question.user))?.[1] ?? "";
      const verdict = { id, verdict: "wrong", reason: "People debug doors here." };
      return { ...(reports()(question) as object), ruleFindings: [verdict] };
    };
    const mild = { config: "rules:\n  debugger-left-in: medium\n" };
    const one = await reviewed({ files: before, access: access(refutes), ...mild });
    expect(held(one)).toHaveLength(1);
    const after = { ...before, "src/ledger.js": ledger({ 10: PAID }) };
    const world = { changesSince: since(before, after) };
    const two = await reviewed({ files: after, access: access(reports()), earlier: [one], world, ...mild });
    expect(two.scope.kind).toBe("delta");
    expect(held(two)).toEqual(held(one));
    expect(reported(two)).toEqual([]);
  });

  test("with the ledger lost, our own comments are enough not to say it again", async () => {
    const one = await reviewed({ files: BEFORE, access: access(reports(wrongSign())) });
    const hunk = `@@ -0,0 +1,122 @@\n+  total9(entry) { return entry.sum * 9; }\n+${UNPAID}`;
    const ownComments = commentsOf(one).map((comment) => ({ ...comment, hunk }));
    const again = wrongSign({ title: "Debts grow", category: "reliability", body: "See `pay`." });
    const moved = { ...BEFORE, "src/ledger.js": `// Books.\n${ledger({ 10: `  ${UNPAID}` })}` };
    const two = await reviewed({ files: moved, access: access(reports(again)), world: { ownComments } });
    expect(two.findings.map(({ place, finding }) => [place, finding.id])).toEqual([
      ["already-posted", one.findings[0]?.finding.id],
    ]);
  });
});

describe("what became of earlier findings", () => {
  const fixed = { ...BEFORE, "src/ledger.js": ledger({ 10: PAID.replace("balance -", "balance() -") }) };

  test("changed code without a new finding may be addressed, and says so with a link", async () => {
    const { two } = await push(BEFORE, reports(wrongSign()), fixed, reports());
    expect(reported(two)).toEqual([]);
    expect(two.addressed).toMatchObject([{ reason: "its code has changed" }]);
    const markdown = reviewMarkdown(two);
    expect(markdown).toMatch(/^\*\*.*1 perhaps addressed\*\*/);
    expect(markdown).toMatch(
      /\*\*May be addressed:\*\*\n\n- 🟠 major: \*\*A payment raises the balance\*\* \[comment\]\(https/,
    );
  });

  test("so may code that was commented out", async () => {
    const after = { ...BEFORE, "src/ledger.js": ledger({ 10: `  // ${UNPAID.trim()}` }) };
    const { two } = await push(BEFORE, reports(wrongSign()), after, reports());
    expect(two.addressed).toMatchObject([{ reason: "its code has changed" }]);
    expect(two.findings).toEqual([]);
  });

  test("silence about code that is as it was closes nothing", async () => {
    const after = { ...BEFORE, "src/ledger.js": ledger({ 10: UNPAID, 12: "  total12() { return 0; }" }) };
    const { two } = await push(BEFORE, reports(wrongSign()), after, reports());
    expect(two.addressed).toEqual([]);
    expect(two.findings).toMatchObject([{ place: "already-posted", reason: "still open" }]);
  });

  test("when the model did not read, nothing is called addressed", async () => {
    const { two } = await push(BEFORE, reports(wrongSign()), fixed, () => failure("overloaded"));
    expect(two.addressed).toEqual([]);
    expect(two.findings).toMatchObject([{ place: "already-posted", reason: "not checked this time" }]);
  });

  test("without a model a rule's finding that is fixed may be addressed; one that moved with its file is not said again", async () => {
    const one = await reviewed({ files: { "src/login.ts": WEAK_LOGIN, "app/balance.py": BALANCE } });
    const two = await reviewed({
      files: {
        "src/auth/sign-in.ts": `// Moved.\n${WEAK_LOGIN}`,
        "app/balance.py": BALANCE.replace("verify=False, ", ""),
      },
      earlier: [one],
      world: { ownComments: commentsOf(one) },
    });
    expect(two.findings.map(({ finding, place }) => [finding.path, finding.line, place])).toEqual([
      ["src/auth/sign-in.ts", 9, "already-posted"],
    ]);
    expect(two.addressed).toMatchObject([
      { finding: { path: "app/balance.py" }, reason: "its code has changed as we suggested" },
    ]);
  });
});

test("two defects on one line are two comments, and keep their identity when they come reworded and in another order", async () => {
  const race = wrongSign({
    title: "Concurrent calls lose an update",
    body: "Reading, adding and writing back are not atomic; take a lock around them.",
  });
  const reordered = reports(
    wrongSign({
      title: "Updates get lost under concurrent calls",
      body: "Without a lock, reading and writing back interleave.",
    }),
    wrongSign({ title: "Paying raises the debt", body: "The sign of `entry.amount` in `pay` is wrong; it doubles." }),
  );
  const after = { ...BEFORE, "src/ledger.js": ledger({ 10: UNPAID, 11: "  total11() { return 0; }" }) };
  const { one, two } = await push(BEFORE, reports(wrongSign(), race), after, reordered);
  expect(reported(one).toSorted()).toEqual([
    "inline: A payment raises the balance",
    "inline: Concurrent calls lose an update",
  ]);
  expect(reported(two).toSorted()).toEqual([
    "already-posted: A payment raises the balance",
    "already-posted: Concurrent calls lose an update",
  ]);
  const idsOf = (review: Review) => new Map(review.findings.map(({ finding }) => [finding.title, finding.id]));
  expect(idsOf(two)).toEqual(idsOf(one));
});
