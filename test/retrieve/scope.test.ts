import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Repo } from "../../src/domain/job.ts";
import { admits, scopeOf } from "../../src/retrieve/scope.ts";
import { memory, NOW, REPO } from "./given.ts";

const scope = (repo: Repo, sharing: boolean, before: number | null = null) =>
  scopeOf({ repo, pull: { number: 12 } }, sharing, before);
const other = (visibility: Repo["visibility"], more = {}) =>
  memory("m", { repo: "github.com/43", repoName: "acme/pay", visibility, ...more });

describe("what may be searched", () => {
  test("one repository's memory, unless sharing is on", () => {
    expect(scope(REPO, false)).toEqual({ repo: "github.com/42", ownerPool: null, excludePull: 12, before: null });
    expect(scope(REPO, true).ownerPool).toEqual({ ownerId: 7, targetIsPublic: false });
    expect(admits(scope(REPO, false), "private", other("public"))).toBe(false);
    expect(admits(scope(REPO, true), "private", other("private"))).toBe(true);
  });

  test("nothing that this pull request said about itself; the same number elsewhere is another pull request", () => {
    const of12 = { provenance: { ...memory("m").provenance, pull: 12 } };
    expect(admits(scope(REPO, true), "private", memory("m", of12))).toBe(false);
    expect(admits(scope(REPO, true), "private", other("private", of12))).toBe(true);
    expect(admits(scope(REPO, true), "private", memory("m"))).toBe(true);
  });

  test("nothing stale, and in a replay nothing that was said later", () => {
    expect(admits(scope(REPO, false), "private", memory("m", { stale: true }))).toBe(false);
    expect(admits(scope(REPO, false, NOW), "private", memory("m"))).toBe(true);
    expect(admits(scope(REPO, false, memory("m").provenance.at), "private", memory("m"))).toBe(false);
  });

  test("never another owner's, nor the same number of an owner on another server, nor what fewer people can read", () => {
    const open = { private: 0, internal: 1, public: 2 };
    const visibility = fc.constantFrom<Repo["visibility"]>("private", "internal", "public");
    fc.assert(
      fc.property(
        visibility,
        visibility,
        fc.constantFrom(7, 8),
        fc.constantFrom("github.com", "ghe.acme.io"),
        fc.boolean(),
        (target, source, ownerId, host, sharing) => {
          const admitted = admits(
            scope({ ...REPO, visibility: target }, sharing),
            target,
            other(source, { ownerId, repo: `${host}/43` }),
          );
          expect(admitted).toBe(sharing && ownerId === 7 && host === "github.com" && open[source] >= open[target]);
        },
      ),
    );
  });
});
