import { afterEach, beforeEach, expect, test } from "vitest";
import { localChanges } from "../../../src/adapters/git/local-changes.ts";
import { type Clone, givenClone } from "./clone.ts";

let clone: Clone;
beforeEach(() => {
  clone = givenClone();
});
afterEach(() => clone.remove());

test("what changed between two heads is git's diff, where the earlier one is an ancestor", async () => {
  const base = clone.commit({ "a.ts": "1\n" });
  const before = clone.commit({ "a.ts": "2\n" });
  const head = clone.commit({ "b.ts": "3\n" });
  const since = async (headSha: string, range: Parameters<typeof localChanges>[1]) => {
    const {
      identities: [repo],
      pull,
      pulls,
    } = await localChanges(clone.path, range);
    return pulls.changesSince(repo, pull, { headSha, baseSha: base });
  };
  const found = await since(before, { kind: "commits", base, head });
  expect(found).toMatchObject({ kind: "since", changes: { kind: "unified" } });
  expect(JSON.stringify(found)).toContain("+++ b/b.ts");
  expect(JSON.stringify(found)).not.toContain("a.ts");

  const unknown = { kind: "unknown", reason: "the earlier head is not an ancestor of this one" };
  expect(await since(head, { kind: "commits", base, head: before })).toEqual(unknown);
  expect(await since("1".repeat(40), { kind: "commits", base, head })).toEqual(unknown);
  expect(await since(before, { kind: "staged" })).toMatchObject({ kind: "unknown" });
});
