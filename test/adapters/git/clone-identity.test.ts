import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { cloneIdentities, knownIdentity } from "../../../src/adapters/git/clone-identity.ts";
import { localChanges } from "../../../src/adapters/git/local-changes.ts";
import { gitIn } from "../../matrix/clone-states.ts";

let at: string;
beforeEach(() => {
  at = realpathSync(mkdtempSync(join(tmpdir(), "kodiai-identity-")));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(at, { recursive: true });
});

/** A repository with two commits on main. */
function upstream(): string {
  gitIn(at, "init", "--quiet", "--initial-branch=main", "upstream");
  const path = join(at, "upstream");
  for (const message of ["one", "two"]) gitIn(path, "commit", "--quiet", "--allow-empty", "--message", message);
  return path;
}

const identities = (path: string) => cloneIdentities(path, "HEAD");

describe("a clone is called in memory", () => {
  test("the same from each form of its origin's address, with the names of the address", async () => {
    const path = upstream();
    const ids = new Set<number>();
    for (const url of [
      "https://github.com/acme/Shop",
      "https://github.com/acme/shop.git/",
      "https://mona:token@github.com/acme/shop.git",
      "git@github.com:acme/shop.git",
      "ssh://git@github.com:22/acme/shop.git",
      "github.com:acme/shop",
    ]) {
      gitIn(path, "remote", "add", "origin", url);
      const [repo] = await identities(path);
      const { id, owner, name } = repo;
      expect({ owner, name }, url).toEqual({ owner: "acme", name: "shop" });
      ids.add(id);
      gitIn(path, "remote", "remove", "origin");
    }
    expect(ids.size).toBe(1);
    gitIn(path, "remote", "add", "origin", "https://gitlab.example/acme/shop");
    expect(ids).not.toContain((await identities(path))[0].id);
  });

  test("the same however shallow it is, and as the clone that it was copied from", async () => {
    const path = upstream();
    gitIn(path, "commit", "--quiet", "--allow-empty", "--message", "three");
    for (const [name, ...how] of [["one", "--depth=1"], ["two", "--depth=2"], ["full"]] as const)
      gitIn(at, "clone", "--quiet", ...how, `file://${path}`, name);
    const of = (name: string) => identities(join(at, name));
    const [one, two, full, first] = await Promise.all([of("one"), of("two"), of("full"), of("upstream")]);
    expect(one[0].id).toBe(two[0].id);
    expect(full[0].id).toBe(first[0].id);
    // What memory knows of the shallow clone is found after it was deepened.
    expect(knownIdentity(full, one).id).toBe(one[0].id);
  });

  test("the same after older, unrelated history was merged into it", async () => {
    const path = upstream();
    const [before] = await identities(path);
    gitIn(path, "checkout", "--quiet", "--orphan", "old");
    vi.stubEnv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z");
    gitIn(path, "commit", "--quiet", "--allow-empty", "--message", "old");
    vi.unstubAllEnvs();
    gitIn(path, "checkout", "--quiet", "main");
    gitIn(path, "merge", "--quiet", "--allow-unrelated-histories", "--strategy=ours", "--no-edit", "old");
    const after = await identities(path);
    expect(after[0]).toEqual(before);
    expect(after).toHaveLength(2);
  });

  test("by its folder while it has neither", async () => {
    gitIn(at, "init", "--quiet", "new");
    expect(await identities(join(at, "new"))).toEqual([expect.objectContaining({ owner: "local", name: "new" })]);
  });
});

test("variables that a hook inherits name no other repository, and an index only of the same one", async () => {
  const path = upstream();
  gitIn(at, "clone", "--quiet", `file://${path}`, "other");
  gitIn(path, "worktree", "add", "--quiet", join(at, "tree"));
  vi.stubEnv("GIT_DIR", join(path, ".git/worktrees/tree"));
  vi.stubEnv("GIT_WORK_TREE", join(at, "tree"));
  vi.stubEnv("GIT_OBJECT_DIRECTORY", join(path, ".git/objects"));
  vi.stubEnv("GIT_INDEX_FILE", join(path, ".git/worktrees/tree/index"));
  const names = async (folder: string) => (await identities(join(at, folder)))[0].name;
  expect(await names("other")).toBe("other");
  const { pull } = await localChanges(join(at, "other"), { kind: "staged" });
  expect(pull.base.sha).toBe(gitIn(path, "rev-parse", "main"));
});
