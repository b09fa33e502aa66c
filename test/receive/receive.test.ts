import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ReviewJob, UNSHAPED } from "../../src/domain/job.ts";
import { titleFingerprint } from "../../src/domain/review/review-history.ts";
import { receive } from "../../src/receive/receive.ts";

const RECEPTION = { host: "github.com", reviewerLogin: "kodiai-reviewer" };
const HEAD = "a".repeat(40);

function delivery(action: string, more: Record<string, unknown> = {}, pull: Record<string, unknown> = {}) {
  return {
    id: "72d3162e-cc78-11e3-81ab-4c9367dc0958",
    event: "pull_request",
    payload: {
      action,
      installation: { id: 7 },
      sender: { login: "octocat", id: 1, type: "User" },
      repository: { id: 42, name: "shop", visibility: "private", owner: { login: "acme", id: 9 } },
      pull_request: {
        number: 5,
        title: "fix(auth): expire sessions",
        state: "open",
        draft: false,
        locked: false,
        user: { login: "octocat", id: 1, type: "User" },
        head: { sha: HEAD },
        ...pull,
      },
      ...more,
    },
  };
}

const read = (action: string, more?: Record<string, unknown>, pull?: Record<string, unknown>) =>
  receive(delivery(action, more, pull), RECEPTION).outcome;

describe("a delivery that asks for a review becomes a job", () => {
  test.each(["opened", "reopened", "ready_for_review", "synchronize"])("%s", (action) => {
    expect(read(action)).toEqual({
      ...UNSHAPED,
      kind: "review",
      key: "github.com/42#5",
      delivery: "72d3162e-cc78-11e3-81ab-4c9367dc0958",
      installationId: 7,
      repo: { host: "github.com", id: 42, ownerId: 9, owner: "acme", name: "shop", visibility: "private" },
      number: 5,
      headSha: HEAD,
      trigger: action,
      explicit: false,
    });
  });

  test("the label kodiai:review, and only that label, asks by name", () => {
    for (const name of ["kodiai:review", "Kodiai:Review"])
      expect(read("labeled", { label: { name } })).toMatchObject({ trigger: "labeled", explicit: true });
    // Any other may let go of what `review.labels` holds back.
    expect(read("labeled", { label: { name: "bug" } })).toMatchObject({ trigger: "labeled", explicit: false });
    const gone = { label: { name: "kodiai:review" } };
    expect(read("unlabeled", gone)).toMatchObject({ trigger: "unlabeled", explicit: false });
  });

  test("who asks by name has it remembered what title and description said then; pushes have not", () => {
    const label = { label: { name: "kodiai:review" } };
    const title = "fix(auth): expire sessions";
    expect(read("labeled", label, { body: "Fixes #17" })).toMatchObject({
      words: titleFingerprint(title, "Fixes #17"),
    });
    expect(read("labeled", label, { body: null })).toMatchObject({ words: titleFingerprint(title, null) });
    for (const body of [undefined, 17, {}]) expect(read("labeled", label, { body })).toMatchObject({ words: null });
    expect(read("synchronize", {}, { body: "Fixes #17" })).toMatchObject({ words: null });
  });

  test("a review requested from our login asks by name, from another it does not", () => {
    const requested = (login: string) => read("review_requested", { requested_reviewer: { login } });
    expect(requested("Kodiai-Reviewer")).toMatchObject({ trigger: "review_requested", explicit: true });
    expect(requested("someone")).toMatchObject({ kind: "ignored" });
    expect(read("review_requested", { requested_team: { name: "core" } })).toMatchObject({ kind: "ignored" });
  });

  test("an edit asks when the base changed or a holding tag left the title", () => {
    const edited = (changes: object, title: string) => read("edited", { changes }, { title });
    expect(edited({ base: { ref: { from: "develop" } } }, "x")).toMatchObject({ kind: "review", trigger: "edited" });
    expect(edited({ title: { from: "[WIP] x" } }, "x")).toMatchObject({ kind: "review" });
    expect(edited({ title: { from: "[no-review] x" } }, "x")).toMatchObject({ kind: "review" });
    expect(edited({ title: { from: "WIP: x" } }, "x")).toMatchObject({ kind: "review" });
    expect(edited({ title: { from: "Draft: x" } }, "x")).toMatchObject({ kind: "review" });
    expect(edited({ title: { from: "x [wip]" } }, "x")).toMatchObject({ kind: "review" });
    expect(edited({ title: { from: "[WIP] x" } }, "WIP: y")).toMatchObject({ kind: "ignored" });
    expect(edited({ title: { from: "[WIP] x" } }, "[wip] y")).toMatchObject({ kind: "ignored" });
    expect(edited({ body: { from: "y" } }, "x")).toMatchObject({ kind: "ignored" });
  });

  test("a person's request is explicit for a bot's pull request too, a bot's own is not", () => {
    const user = { login: "copilot[bot]", id: 666, type: "Bot" };
    const labelled = (more: object) => read("labeled", { label: { name: "kodiai:review" }, ...more }, { user });
    expect(labelled({})).toMatchObject({ kind: "review", explicit: true });
    expect(labelled({ sender: user })).toMatchObject({ kind: "review", explicit: false });
  });
});

describe("a delivery that asks for nothing is ignored with its reason", () => {
  test.each([
    ["closed state", "opened", {}, { state: "closed" }, "the pull request is closed"],
    ["another action", "assigned", {}, {}, 'action "assigned" is not handled'],
  ])("%s", (_name, action, more, pull, reason) => {
    expect(read(action, more, pull)).toMatchObject({ kind: "ignored", reason });
  });

  test("another event", () => {
    expect(receive({ id: "1", event: "star", payload: {} }, RECEPTION).outcome).toMatchObject({
      reason: 'event "star" is not handled',
    });
  });

  test("a malformed payload names the field", () => {
    const broken = delivery("opened", {}, { head: { sha: "HEAD; rm -rf /" } });
    expect(receive(broken, RECEPTION).outcome).toMatchObject({
      reason: expect.stringMatching(/^malformed payload: pull_request\.head\.sha/),
    });
    expect(receive({ id: "1", event: "pull_request", payload: null }, RECEPTION).outcome.kind).toBe("ignored");
  });

  test("any JSON is answered without a throw", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (payload) => {
        expect(receive({ id: "1", event: "pull_request", payload }, RECEPTION).outcome.kind).toBe("ignored");
      }),
    );
  });
});

test("a pull request that closes or becomes a draft is taken out of the queue", () => {
  expect(read("closed", {}, { state: "closed" })).toMatchObject({
    kind: "cancel",
    key: "github.com/42#5",
    reason: "closed",
  });
  expect(read("converted_to_draft")).toMatchObject({ kind: "cancel" });
});

const recorded = resolve("../shared/bad-inputs/webhooks");
const names = (() => {
  try {
    return readdirSync(recorded, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  } catch {
    console.warn("skipped: recorded webhooks are not here (../shared/bad-inputs/webhooks)");
    return [];
  }
})();

test.skipIf(names.length === 0)("every recorded payload of GitHub has a clear outcome", () => {
  const outcomes = names.map((name) => {
    const payload: unknown = JSON.parse(readFileSync(join(recorded, name), "utf8"));
    return receive({ id: name, event: name.split("/")[0] ?? "", payload }, RECEPTION).outcome;
  });
  expect(outcomes.every((outcome) => outcome.kind !== "ignored" || outcome.reason.length > 0)).toBe(true);
  expect(outcomes.filter((outcome) => outcome.kind === "review").length).toBeGreaterThan(0);
});

describe("a person re-runs our check", () => {
  const rerun = (check: Record<string, unknown>, action = "rerequested") => {
    const { id, payload } = delivery(action);
    const { installation, sender, repository } = payload;
    const shown = { head_sha: HEAD, external_id: "pull/5", pull_requests: [], ...check };
    const asked = { action, installation, sender, repository, check_run: shown };
    return receive({ id, event: "check_run", payload: asked }, RECEPTION).outcome;
  };

  test("that is a review asked for by name, also where GitHub names no pull request, as for forks", () => {
    const { key: _, number: __, ...each } = read("opened") as ReviewJob;
    const asked = { ...each, trigger: "rerequested", explicit: true, askedBy: { id: 1, login: "octocat" } };
    expect(rerun({})).toEqual({ kind: "heads", delivery: each.delivery, named: [5], each: asked });
    const listed = rerun({ external_id: "", pull_requests: [{ number: 8 }, { number: 9 }] });
    expect(listed).toMatchObject({ kind: "heads", named: [8, 9] });
    expect(rerun({ external_id: null, pull_requests: null })).toMatchObject({ kind: "heads", named: [] });
  });

  test("anything else about check runs asks nothing of us, and says why", () => {
    expect(rerun({}, "created")).toMatchObject({ kind: "ignored", reason: expect.stringContaining('"created"') });
    expect(rerun({ external_id: "pull/0" })).toMatchObject({ named: [] });
    expect(rerun({ head_sha: "main" })).toMatchObject({ kind: "ignored", reason: expect.stringMatching(/^malformed/) });
  });
});
