// The check run of a review: begun with it, ended however it ends.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { OutOfReach, Transient } from "../../src/domain/errors.ts";
import { sweepChecks } from "../../src/flows/review/check-run.ts";
import { BACKUP, BALANCE, LOGIN } from "../app/change-builders.ts";
import type { Change } from "../app/pipeline.ts";
import { type FlowPull, openReviewFlow, type ReviewFlow } from "./review-flow.ts";

const ON = "review: {checks: {enabled: true, failOn: major}}\n";
const FILES = { "ops/backup.py": BACKUP };

let flow: ReviewFlow;
beforeAll(async () => {
  flow = await openReviewFlow();
});
afterEach(() => {
  flow.checks.fail = () => null;
});
afterAll(() => flow.close());

const open = (config: string, files: Change["files"] = FILES, more: Parameters<ReviewFlow["open"]>[1] = {}) =>
  flow.open({ config, files }, more);
const runsOf = ({ number }: FlowPull) => flow.checks.runs.filter((run) => run.number === number);

async function checked(pull: FlowPull) {
  await flow.review(pull);
  return runsOf(pull).map(({ end }) => end);
}

/** `CONCLUSION: TITLE` of each check run, `in progress` of one that has not ended. */
function ends(pull: FlowPull, headSha = pull.pull.head.sha): string[] {
  const runs = runsOf(pull).filter((run) => run.headSha === headSha);
  return runs.map(({ end }) => (end === null ? "in progress" : `${end.conclusion}: ${end.title}`));
}

/** The write of a review fails so often, then GitHub takes it. */
function failsToPost(pull: FlowPull): void {
  pull.posted.world.dies = { write: 0, when: "before" };
}

test("without the setting there is no check run", async () => {
  expect(await checked(open(""))).toEqual([]);
});

test("a check informs by default, and does not judge", async () => {
  const [check, ...more] = await checked(open("review: {checks: {enabled: true}}"));
  expect(more).toEqual([]);
  expect(check).toMatchObject({ conclusion: "neutral", title: "1 major finding open" });
  expect(check?.summary).toMatch(/^This check informs and never fails\. See the \[summary\]\(https:/);
  expect(check?.text).toContain("**1 finding**: 1 major");
  expect(check?.text).not.toContain("<!--");
});

test("it fails when a posted finding is severe enough, and succeeds when a complete review has none", async () => {
  expect(await checked(open(ON))).toMatchObject([{ conclusion: "failure", title: "1 major finding open" }]);
  expect(await checked(open(ON, { "src/etag.ts": LOGIN }))).toMatchObject([
    { conclusion: "success", title: "Nothing open. No rule fired in 1 file; no model read it" },
  ]);
  const [mild] = await checked(open("review: {checks: {enabled: true, failOn: critical}}"));
  expect(mild?.conclusion).toBe("success");
});

test("a review that is incomplete never succeeds, and says what is missing", async () => {
  const world = { fails: { authorFacts: new Transient("GitHub answered 503") } };
  const [check] = await checked(flow.open({ config: ON, files: { "src/etag.ts": LOGIN }, world }));
  expect(check?.conclusion).toBe("neutral");
  expect(check?.summary).toContain("The review is **incomplete**: degraded: author-tier.");
});

test.each([
  ["whose title is tagged", { title: "[wip] Back up" }, "the title is tagged"],
  [
    "opened by a bot",
    { author: { login: "fixer[bot]", id: 424_243, type: "Bot", association: "NONE" } },
    "opened by a bot, fixer",
  ],
  ["in a locked conversation", { locked: true }, "the conversation is locked"],
] as const)("a pull request %s gets its check too: a required one must come to an end", async (_, more, reason) => {
  const pull = open(ON, FILES, more);
  expect(await checked(pull)).toMatchObject([{ conclusion: "neutral", title: "Not reviewed" }]);
  expect(runsOf(pull)[0]?.end?.summary).toContain(reason);
});

test("a paused pull request gets its check too", async () => {
  const pull = open(ON);
  await flow.review(pull);
  await flow.records.decisions.pause(pull.key, "otto", Date.now());
  const pushed = flow.push(pull, { ...FILES, "docs/a.md": "A\n" });
  await flow.review(pushed);
  expect(ends(pushed)).toEqual(["neutral: Not reviewed"]);
});

test("the check of a head that moved ends as superseded, and the new head has its own", async () => {
  const pull = open(ON);
  failsToPost(pull);
  await expect(flow.review(pull)).rejects.toThrow(Transient);
  expect(ends(pull)).toEqual(["in progress"]);
  const pushed = flow.push(pull, { "src/balance.py": BALANCE });
  await flow.review(pushed);
  expect(ends(pull)).toEqual(["neutral: Superseded"]);
  expect(ends(pushed)).toEqual(["failure: 1 major finding open"]);
});

test("a review that is tried again goes on with its check", async () => {
  const pull = open(ON);
  failsToPost(pull);
  await expect(flow.review(pull)).rejects.toThrow(Transient);
  await flow.review(pull);
  expect(ends(pull)).toEqual(["failure: 1 major finding open"]);
  expect(pull.posted.reviews.flatMap(({ comments }) => comments)).toHaveLength(1);
});

const sweep = (now = Date.now()) =>
  sweepChecks(flow.records.checks, () => flow.checks, now, new Set()).then((swept) =>
    swept.map(({ outcome }) => outcome),
  );

test.each([
  ["suspended", new OutOfReach("suspended", 403, "This installation has been suspended")],
  ["without a permission", new OutOfReach("refused", 403, "Resource not accessible by integration")],
])("the check of a review that was given up while the App was %s ends when it no longer is", async (_, error) => {
  const pull = open(ON);
  flow.checks.fail = (request) => (request === "end" ? { error, when: "before" } : null);
  failsToPost(pull);
  await expect(flow.review(pull)).rejects.toThrow(Transient);
  expect(await sweep()).toEqual(["refused"]);
  expect(ends(pull)).toEqual(["in progress"]);
  flow.checks.fail = () => null;
  expect(await sweep()).toEqual(["ended"]);
  expect(ends(pull)).toEqual(["failure: Not reviewed"]);
});

test("a check whose creation was uncertain ends with its review", async () => {
  let isLost = false;
  flow.checks.fail = () => {
    if (isLost) return null;
    isLost = true;
    return { error: new Transient("GitHub answered 502"), when: "after" };
  };
  const pull = open(ON);
  await flow.review(pull);
  expect(ends(pull)).toEqual(["failure: 1 major finding open"]);
});

test("a conclusion that did not reach GitHub is sent later, unchanged", async () => {
  flow.checks.fail = (request) => (request === "end" ? { error: new Transient("503"), when: "before" } : null);
  const pull = open(ON);
  expect(await flow.review(pull)).toMatchObject({ kind: "posted" });
  expect(ends(pull)).toEqual(["in progress"]);
  expect(await sweep()).toEqual(["later"]);
  flow.checks.fail = () => null;
  expect(await sweep()).toEqual(["ended"]);
  expect(ends(pull)).toEqual(["failure: 1 major finding open"]);
});

test("a problem of the configuration is named with its line", async () => {
  const config = "rules: {weak-hash: high}\nreview: {checks: {enabled: true}}\n";
  const [check] = await checked(open(config, { "src/etag.ts": LOGIN }));
  expect(check?.text).toContain("`.kodiai.yml:1:");
});

test("a problem of the configuration that a pull request proposes is named with its line, before it is merged", async () => {
  const config = "review: {checks: {enabled: true}}\n";
  const [check] = await checked(open(config, { ".kodiai.yml": `# Ours\n${config}pathFilter: ["!docs/**"]\n` }));
  expect(check?.text).toMatch(
    /Problems in the proposed `\.kodiai\.yml`:[\s\S]{1,20}`\.kodiai\.yml:3:1`: error: unknown key `pathFilter`; did you mean `pathFilters`\?/,
  );
  const [fixed] = await checked(open(`${config}pathFilter: ["!docs/**"]\n`, { ".kodiai.yml": config }));
  expect(fixed?.text).not.toContain("Problems in the proposed");
});

test("an App that was not granted check runs reviews without, and says so", async () => {
  const error = new OutOfReach("refused", 403, "Resource not accessible by integration");
  flow.checks.fail = () => ({ error, when: "before" });
  const pull = open(ON);
  expect(await flow.review(pull)).toMatchObject({ kind: "posted" });
  expect(pull.posted.summaries[0]).toContain("the App needs the permission `checks: write`");
  expect(runsOf(pull)).toEqual([]);
});
