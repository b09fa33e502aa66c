import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Repo } from "../../../src/domain/job.ts";
import { admits, crossing, scopeOf } from "../../../src/retrieve/query/scope.ts";
import { memory, NOW, REPO } from "../retrieve-builders.ts";

const scope = (repo: Repo, takes: boolean, before: number | null = null) =>
  scopeOf({ repo, pull: { number: 12 } }, takes, before);
const other = (visibility: Repo["visibility"], more = {}) =>
  memory("m", { repo: "github.com/43", repoName: "acme/pay", visibility, sharing: "given", ...more });

describe("what may be searched", () => {
  test("one repository's memory, unless it takes from others", () => {
    expect(scope(REPO, false)).toEqual({ repo: "github.com/42", ownerPool: null, excludePull: 12, before: null });
    expect(scope(REPO, true).ownerPool).toEqual({ ownerId: 7, targetIsPublic: false });
    expect(admits(scope(REPO, false), "private", other("public"))).toBe(false);
    expect(admits(scope(REPO, true), "private", other("private"))).toBe(true);
  });

  test("nothing of a repository that does not give, however much the other would take", () => {
    const kept = { ...other("public"), sharing: null };
    expect(admits(scope(REPO, true), "private", kept)).toBe(false);
    expect(admits(scope(REPO, true), "private", { ...kept, sharing: "pattern" })).toBe(false);
    expect(crossing(scope(REPO, true), "private", kept)).toBeNull();
  });

  test("of its own repository everything as it was said, of another one a pattern", () => {
    const own = memory("m");
    expect(crossing(scope(REPO, true), "private", own)).toEqual({ kind: "pattern", record: own });
    const text = "Please close the connection before the function returns also when an error is thrown";
    const reported = crossing(scope(REPO, true), "private", other("private", { text }));
    expect(reported).toMatchObject({ kind: "pattern", record: { text, sharing: "pattern", path: null } });
    expect(JSON.stringify(reported)).not.toMatch(/pay|acme|github/);
  });

  test("nothing that this pull request said about itself; the same number elsewhere is another pull request", () => {
    const of12 = { provenance: { ...memory("m").provenance, pull: 12 } };
    expect(admits(scope(REPO, true), "private", memory("m", of12))).toBe(false);
    expect(admits(scope(REPO, true), "private", other("private", of12))).toBe(true);
    expect(admits(scope(REPO, true), "private", memory("m"))).toBe(true);
  });

  test("a local change has no pull request of its own, and sees memories of any and of none", () => {
    const local = scopeOf({ repo: REPO, pull: { number: 0 } }, false);
    expect(local.excludePull).toBeNull();
    for (const pull of [null, 0, 12]) {
      const record = memory("m", { provenance: { ...memory("m").provenance, pull } });
      expect(admits(local, "private", record)).toBe(true);
    }
  });

  test("nothing stale, and in a replay nothing that was said later", () => {
    expect(admits(scope(REPO, false), "private", memory("m", { stale: true }))).toBe(false);
    expect(admits(scope(REPO, false, NOW), "private", memory("m"))).toBe(true);
    expect(admits(scope(REPO, false, memory("m").provenance.at), "private", memory("m"))).toBe(false);
  });

  test("never another owner's, nor the same number of an owner on another server, nor what fewer people can read [T15]", () => {
    const open = { private: 0, internal: 1, public: 2 };
    const visibility = fc.constantFrom<Repo["visibility"]>("private", "internal", "public");
    fc.assert(
      fc.property(
        visibility,
        visibility,
        fc.constantFrom(7, 8),
        fc.constantFrom("github.com", "ghe.acme.io"),
        fc.boolean(),
        fc.boolean(),
        (target, source, ownerId, host, takes, gives) => {
          const admitted = admits(scope({ ...REPO, visibility: target }, takes), target, {
            ...memory("m"),
            ownerId,
            visibility: source,
            repo: `${host}/43`,
            ...(gives ? { sharing: "given" } : {}),
          });
          expect(admitted).toBe(
            takes && gives && ownerId === 7 && host === "github.com" && open[source] >= open[target],
          );
        },
      ),
    );
  });
});
