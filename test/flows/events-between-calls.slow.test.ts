// Something happens to a pull request right before each request that its review makes. What is
// posted is about what stands then, and nothing is posted any more where nothing may be.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BACKUP, LOGIN, said } from "../app/change-builders.ts";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";
import type { Pull } from "../fakes/github/conversation.ts";

const gate = (failOn: string) => ({ ".kodiai.yml": `review: {checks: {enabled: true, failOn: ${failOn}}}\n` });

let flow: FlowHarness;
/** Every request of a review that is posted, in order. */
let calls: readonly string[];
beforeAll(async () => {
  flow = await openFlow();
  flow.world.person("mallory", { permission: "read" });
  const pull = await opened();
  const start = flow.calls.length;
  await flow.settled(pull);
  calls = flow.calls.slice(start);
});
afterAll(() => flow.close());

let serial = 0;
async function opened(): Promise<Pull> {
  const at = await flow.world.repository("acme", `between-${++serial}`, { files: { "a.md": "x\n", ...gate("major") } });
  const mild = await flow.world.pullRequest(at, { title: "x", branch: "mild", files: gate("never"), announce: false });
  mild.state = "closed";
  const files = { "ops/b.py": BACKUP, "src/e.ts": LOGIN };
  return flow.world.pullRequest(at, { title: "feat", author: "mallory", fork: "mallory", files });
}

/** What a visitor sees: comments and the check of the head. */
function shown(pull: Pull) {
  const { inline, summary } = flow.world.comments(pull);
  const run = flow.world.checkRuns.findLast(
    ({ headSha, repository }) => headSha === pull.headSha && repository === pull.repository.id,
  );
  return { comments: inline.length + summary.length, said: said(flow.world, pull), check: run?.conclusion };
}

/** Plays an event before the request at each place of a review. */
async function played(event: (pull: Pull) => unknown) {
  const ends: {
    readonly call: string;
    readonly then: ReturnType<typeof shown>;
    readonly end: ReturnType<typeof shown>;
  }[] = [];
  for (const [at, call] of calls.entries()) {
    const pull = await opened();
    let then = shown(pull);
    let left = calls.slice(0, at).filter((earlier) => earlier === call).length;
    const meet = async () => {
      if (left-- > 0) return flow.before(call, meet);
      then = shown(pull);
      await event(pull);
    };
    flow.before(call, meet);
    await flow.settled(pull);
    flow.hurry();
    await flow.settled(pull);
    ends.push({ call, then, end: shown(pull) });
  }
  return ends;
}

describe("right before each request of a review", () => {
  test.each([
    ["closed", (pull: Pull) => flow.world.closePull(pull)],
    ["locked", (pull: Pull) => flow.world.lock(pull)],
  ])("%s: nothing is posted from then on", async (_, event) => {
    const ends = await played(event);
    expect(ends.filter(({ then, end }) => end.comments > then.comments)).toEqual([]);
    expect(ends.filter(({ end }) => end.check === "success")).toEqual([]);
  });

  test.each([
    ["a draft", (pull: Pull) => flow.world.toDraft(pull)],
    ["work in progress", (pull: Pull) => flow.world.edit(pull, { title: "[wip] feat" })],
  ])("made %s: not posted once the policy is asked again, and the check is no milder", async (_, event) => {
    const ends = await played(event);
    const asked = calls.lastIndexOf("pulls.pull");
    expect(ends.slice(0, asked + 1).filter(({ end }) => end.comments > 0)).toEqual([]);
    expect(ends.filter(({ end }) => end.check !== "failure")).toEqual([]);
  });

  test("pushed to: the finding is said about the new head", async () => {
    const ends = await played((pull) => flow.world.push(pull, { "ops/b.py": null, "ops/c.py": `# c\n${BACKUP}` }));
    const about = ends.slice(0, calls.indexOf("reviews.postReview"));
    expect(new Set(about.map(({ end }) => end.said.join()))).toEqual(new Set(["ops/c.py:4 shell-from-strings"]));
    expect(new Set(ends.map(({ end }) => end.check))).toEqual(new Set(["failure"]));
  });

  test("retargeted to a milder base: said once, and the check is the base's unless a worse one stands", async () => {
    const ends = await played((pull) => flow.world.edit(pull, { base: "mild" }));
    expect(ends.map(({ end }) => end.said)).toEqual(calls.map(() => ["ops/b.py:3 shell-from-strings"]));
    const asked = calls.lastIndexOf("pulls.pull");
    expect(new Set(ends.slice(0, asked + 1).map(({ end }) => end.check))).toEqual(new Set(["neutral"]));
    expect(new Set(ends.slice(asked + 1).map(({ end }) => end.check))).toEqual(new Set(["failure"]));
  });
});
