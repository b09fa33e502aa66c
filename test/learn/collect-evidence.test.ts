import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CodeStatus, Evidence, PullFeedback, ReadReply, ReadThread } from "../../src/domain/memory/evidence.ts";
import {
  attested,
  collectEvidence,
  type Observed,
  type Unattested,
} from "../../src/learn/feedback/collect-evidence.ts";

const AT = Date.UTC(2026, 5, 1);
const NOW = AT + 3_600_000;
const URL = "https://github.com/acme/shop/pull/7";
const WREN = { id: 5, login: "wren", isBot: false };
const MONA = { id: 6, login: "mona", isBot: false };
const SHA = "a".repeat(40);

const reply = (id: number, body: string, with_: Partial<ReadReply> = {}): ReadReply => {
  return { id, by: WREN, at: AT, body, url: `${URL}#discussion_r${id}`, ...with_ };
};
const thread = (with_: Partial<ReadThread> = {}): ReadThread => ({
  ...{ id: "PRRT_1", findingId: "fnd_a", url: `${URL}#discussion_r1`, reviewId: 3 },
  ...{ reactions: [], replies: [], isResolved: false, resolvedBy: null },
  ...with_,
});
const pullOf = (threads: readonly ReadThread[], with_: Partial<PullFeedback> = {}): PullFeedback => ({
  ...{ state: "open", headSha: SHA, url: URL, author: MONA, merged: null, dismissals: [], isComplete: true, cut: [] },
  threads,
  ...with_,
});
const observed = (pull: PullFeedback, with_: Partial<Observed> = {}): Observed => ({
  pull,
  memories: new Map([["fnd_a", "mem_a"]]),
  code: new Map(),
  before: [],
  reopened: new Map(),
  now: NOW,
  ...with_,
});
const fate = (one: CodeStatus) => new Map([["fnd_a", one]]);
/** As the shelf gives it back. */
const known = (fresh: readonly Unattested[]): Evidence[] => fresh.map((one) => attested(one, new Map([[5, "write"]])));
const reported = (seen: Observed) =>
  collectEvidence(seen).fresh.map(({ key, kind, stance }) => ({ key, kind, stance }));

describe("what was read becomes evidence", () => {
  test("reactions and replies with their own names, a reply with the side that it takes", () => {
    const reactions = [{ id: "R_1", thumb: "down", by: WREN, at: AT }] as const;
    const replies = [reply(11, "By design: the cache is best effort."), reply(12, "Why is that?")];
    expect(reported(observed(pullOf([thread({ reactions, replies })])))).toEqual([
      { key: "reaction:R_1", kind: "thumbs-down", stance: null },
      { key: "reply:11", kind: "reply", stance: "declines" },
      { key: "reply:12", kind: "reply", stance: "asks" },
    ]);
  });

  test("what a command says is not read here: it is noted where it is obeyed", () => {
    const bodies = ["/kodiai ignore by design", "@kodiai restore", "@kodiai-acme: ignore it", "/kodiai what is this?"];
    const replies = bodies.map((body, at) => reply(20 + at, body));
    expect(reported(observed(pullOf([thread({ replies })]))).map(({ key }) => key)).toEqual(["reply:23"]);
  });

  test("a dismissed review rejects the findings that it held, and no others", () => {
    const dismissals = [{ id: "D_1", reviewId: 3, by: WREN, at: AT, message: "noise", url: URL }];
    const threads = [thread(), thread({ id: "PRRT_2", findingId: "fnd_b", reviewId: 4 })];
    const memories = new Map([
      ["fnd_a", "mem_a"],
      ["fnd_b", "mem_b"],
    ]);
    const { fresh } = collectEvidence(observed(pullOf(threads, { dismissals }), { memories }));
    expect(fresh.map(({ memoryId, kind, text }) => ({ memoryId, kind, text }))).toEqual([
      { memoryId: "mem_a", kind: "review-dismissed", text: "noise" },
    ]);
  });

  test("a merge is evidence on every finding, also on those without a thread", () => {
    const merged = { by: WREN, at: AT, sha: SHA };
    expect(reported(observed(pullOf([], { merged })))).toEqual([{ key: "merged", kind: "merged", stance: null }]);
  });

  test("threads of findings that are not remembered leave nothing", () => {
    const replies = [reply(11, "Fixed.")];
    expect(reported(observed(pullOf([thread({ findingId: "fnd_gone", replies })])))).toEqual([]);
  });
});

describe("turns", () => {
  const next = (before: readonly Evidence[], pull: PullFeedback, with_: Partial<Observed> = {}) =>
    collectEvidence(observed(pull, { before, ...with_ })).fresh;

  test("of a thread are listed one by one, with the person", () => {
    const resolved = next([], pullOf([thread({ isResolved: true, resolvedBy: WREN })]));
    expect(resolved).toMatchObject([{ key: "thread:PRRT_1:1", kind: "resolved", by: { id: 5 }, at: NOW }]);
    const once = known(resolved);
    expect(next(once, pullOf([thread({ isResolved: true, resolvedBy: WREN })]))).toEqual([]);
    const reopened = new Map([["PRRT_1", { id: 5, login: "wren" }]]);
    const opened = next(once, pullOf([thread()]), { reopened });
    expect(opened).toMatchObject([{ key: "thread:PRRT_1:2", kind: "unresolved", by: { id: 5 } }]);
    // Who opened it again is told by a delivery only.
    expect(next(once, pullOf([thread()]))).toMatchObject([{ kind: "unresolved", by: null }]);
  });

  test("of the code are listed one by one, by the author at the head, and edits of fixed code are none", () => {
    const at = (before: readonly Evidence[], one: CodeStatus) => next(before, pullOf([thread()]), { code: fate(one) });
    expect(at([], "unchanged")).toEqual([]);
    const applied = at([], "applied");
    expect(applied).toMatchObject([{ kind: "suggestion-applied", sha: SHA, by: { id: 6 } }]);
    const once = known(applied);
    expect(at(once, "applied")).toEqual([]);
    expect(at(once, "changed")).toEqual([]);
    expect(at(once, "unchanged")).toMatchObject([{ kind: "lines-back", key: `code:${SHA}:2` }]);
    expect(at([], "changed")).toMatchObject([{ kind: "lines-changed" }]);
  });
});

describe("what is removed", () => {
  const replies = [reply(11, "By design.")];
  const reactions = [{ id: "R_1", thumb: "up", by: WREN, at: AT }] as const;
  const before = known(collectEvidence(observed(pullOf([thread({ replies, reactions })]))).fresh);

  test("is a reply deleted or a reaction taken back; given again it is fresh again", () => {
    const { withdrawn } = collectEvidence(observed(pullOf([thread({ replies })]), { before }));
    expect(withdrawn.map(({ key }) => key)).toEqual(["reaction:R_1"]);
    const marked = before.map((one) => ({ ...one, withdrawnAt: NOW }));
    expect(reported(observed(pullOf([thread({ replies })]), { before: marked }))).toMatchObject([{ key: "reply:11" }]);
  });

  test("is nothing where not all could be read, or the thread was not", () => {
    expect(collectEvidence(observed(pullOf([thread()], { isComplete: false }), { before })).withdrawn).toEqual([]);
    expect(collectEvidence(observed(pullOf([]), { before })).withdrawn).toEqual([]);
  });

  test("is no reply that was edited: it counts as it was first seen", () => {
    const edited = [reply(11, "Good catch, fixed.")];
    expect(collectEvidence(observed(pullOf([thread({ replies: edited, reactions })]), { before }))).toEqual({
      fresh: [],
      withdrawn: [],
    });
  });
});

test("people whose permission is unknown count as without one, and unknown people stay unknown", () => {
  const [one] = collectEvidence(observed(pullOf([thread({ replies: [reply(11, "Done.")] })]))).fresh;
  if (one === undefined) throw new Error("nothing was collected");
  expect(attested(one, new Map()).by).toMatchObject({ login: "wren", access: "none" });
  expect(attested({ ...one, by: null }, new Map([[5, "admin"]])).by).toBeNull();
});

test("reading the same again adds nothing and undoes nothing, for any history", () => {
  const fates = fc.constantFrom<CodeStatus>("unchanged", "changed", "applied");
  const bodies = fc.array(fc.constantFrom("Done", "by design", "hm", "why?", "/kodiai ignore x"), { maxLength: 4 });
  fc.assert(
    fc.property(bodies, fates, fc.boolean(), fc.boolean(), (texts, code, isResolved, isMerged) => {
      const replies = texts.map((body, at) => reply(30 + at, body));
      const merged = isMerged ? { by: WREN, at: AT, sha: SHA } : null;
      const pull = pullOf([thread({ replies, isResolved })], { merged });
      const first = collectEvidence(observed(pull, { code: fate(code) }));
      const again = collectEvidence(observed(pull, { code: fate(code), before: known(first.fresh) }));
      expect(again).toEqual({ fresh: [], withdrawn: [] });
    }),
  );
});
