import { describe, expect, test } from "vitest";
import type { FileCoverage } from "../../src/domain/review.ts";
import { checkpointOf, fullReason, type LastReview } from "../../src/gather/read-checkpoint.ts";
import { aListedFile, BASE, HEAD } from "../fakes/pull-requests.ts";

const file = (path: string, state: FileCoverage["state"]): FileCoverage => ({ path, state, reason: null });
const last: LastReview = {
  headSha: HEAD,
  baseSha: BASE,
  fingerprint: "0123456789ab",
  coverage: {
    files: [file("a.ts", "full"), file("b.ts", "earlier"), file("c.ts", "partial"), file("d.ts", "not-read")],
  },
  heldBack: [],
  walkthrough: "Plays.",
};

function delta(...files: readonly ReturnType<typeof aListedFile>[]) {
  const checkpoint = checkpointOf(last, { kind: "since", changes: { kind: "listing", files, total: files.length } });
  if (checkpoint.kind !== "delta") throw new Error(checkpoint.reason ?? "full");
  return checkpoint;
}

describe("the checkpoint of a push", () => {
  test("holds runs of changed lines; a removal reaches to its neighbours", () => {
    const patch = "@@ -1,6 +1,6 @@\n a\n-b\n+B\n+C\n d\n e\n-f\n g\n@@ -20,2 +20,3 @@\n x\n+y\n z";
    const { touched } = delta(aListedFile("a.ts", { patch, additions: 3, deletions: 2 }));
    expect(touched.get("a.ts")).toEqual([
      { first: 1, last: 3 },
      { first: 5, last: 6 },
      { first: 21, last: 21 },
    ]);
  });

  test("a file whose lines were not delivered is touched as a whole, a mere rename nowhere", () => {
    const { touched, renamed } = delta(
      aListedFile("a.ts", { patch: null, additions: 9000 }),
      aListedFile("new.ts", { patch: null, additions: 0, status: "renamed", previousPath: "b.ts" }),
    );
    expect(touched.get("a.ts")).toBe("whole");
    expect(touched.get("new.ts")).toEqual([]);
    expect([...renamed]).toEqual([["new.ts", "b.ts"]]);
  });

  test("only what was read wholly counts as read, under its new name as well", () => {
    const moved = aListedFile("new.ts", { patch: null, additions: 0, status: "renamed", previousPath: "b.ts" });
    expect([...delta(moved).read].toSorted()).toEqual(["a.ts", "b.ts", "new.ts"]);
  });

  test("files in doubt are read in full, with the reason", () => {
    expect(fullReason(last, last.fingerprint, false)).toBeNull();
    expect(fullReason(last, last.fingerprint, true)).toBe("a person asked for this review");
    expect(fullReason(last, "ba9876543210", false)).toMatch(/^configuration, rules, model or prompt changed/);
    expect(fullReason({ ...last, coverage: null }, last.fingerprint, false)).toMatch(/no model read/);
    expect(checkpointOf(last, { kind: "unknown", reason: "the branch was rewritten" })).toEqual({
      kind: "full",
      reason: "the branch was rewritten",
    });
    const cut = { kind: "listing", files: [aListedFile("a.ts")], total: 7 } as const;
    expect(checkpointOf(last, { kind: "since", changes: cut })).toMatchObject({ kind: "full" });
  });
});
