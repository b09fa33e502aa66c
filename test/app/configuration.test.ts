// .kodiai.yml as it takes effect: from the base, with the owner's defaults under it, over HTTP.
// What is wrong in it: test/flows/configuration.test.ts.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Files } from "../fakes/github/emulator.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, BALANCE, said, summaryOf } from "./change-builders.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ owners: ["acme", "globex", "initech"] });
});
afterEach(() => expect(harness.world.violations).toEqual([]));
afterAll(() => harness.close());

const CHANGE: Files = { "ops/backup.py": BACKUP, "src/balance.py": BALANCE };
let repositories = 0;

/** A pull request with two findings in a repository that starts with these files. */
async function change(owner: string, base: Files, files: Files = CHANGE) {
  repositories++;
  const name = `shop-${repositories}`;
  const repository = await harness.world.repository(owner, name, { files: { "README.md": "# Shop\n", ...base } });
  const pull = await harness.world.pullRequest(repository, { title: "Back up", files });
  const { outcome } = await harness.settled(pull);
  return { pull, outcome, said: said(harness.world, pull).toSorted() };
}

test("a pull request cannot switch its own review off; the summary says when its change takes effect [T2]", async () => {
  const files = { ...CHANGE, ".kodiai.yml": "review:\n  enabled: false\n" };
  const { pull, said: comments } = await change("acme", {}, files);
  expect(comments).toHaveLength(2);
  const { body } = summaryOf(harness.world, pull);
  expect(body).toContain("This pull request changes `.kodiai.yml`; the change takes effect after the merge.");
});

test("against another branch that branch's file decides, by its commit: neither the default branch's nor the change's [T2]", async () => {
  const { world } = harness;
  const off = "review:\n  enabled: false\n";
  const quiet = "rules:\n  tls-verify-disabled: off\n";
  const repository = await world.repository("acme", "released", {
    files: { "README.md": "# Shop\n", ".kodiai.yml": off },
  });
  const release = { "docs/release.md": "Soon.\n", ".kodiai.yml": quiet };
  await world.pullRequest(repository, { title: "Prepare", branch: "release/1", files: release, announce: false });
  const since = world.requests.length;
  const files = { ...CHANGE, ".kodiai.yml": off };
  const pull = await world.pullRequest(repository, { title: "Back up", base: "release/1", files });
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });
  expect(said(world, pull)).toEqual(["ops/backup.py:3 shell-from-strings"]);
  const asked = world.requests.slice(since).filter(({ path }) => path.endsWith("/released/contents/.kodiai.yml"));
  const refs = asked.map(({ query }) => new URLSearchParams(query).get("ref"));
  expect(refs[0]).toBe(pull.baseSha);
  const used = `.kodiai.yml@${pull.baseSha.slice(0, 7)}`;
  expect(summaryOf(world, pull).body.replaceAll(/[\\`]/g, "")).toContain(`Configuration: ${used}.`);
  // The change's own copy is read as a changed file, to tell what is wrong with it.
  expect(new Set(refs)).toEqual(new Set([pull.baseSha, pull.headSha]));
});

test("the owner's .github repository gives defaults that a repository's own file overrules", async () => {
  const defaults = "rules:\n  tls-verify-disabled: off\n  shell-from-strings: minor\n";
  await harness.world.repository("globex", ".github", { files: { ".kodiai.yml": defaults } });
  const plain = await change("globex", {});
  expect(plain.said).toEqual([]);
  const own = await change("globex", { ".kodiai.yml": "rules:\n  shell-from-strings: critical\n" });
  expect(own.said).toEqual(["ops/backup.py:3 shell-from-strings"]);
});

test("_extends takes the rest from another repository of the same owner", async () => {
  const settings = "rules:\n  shell-from-strings: off\n";
  await harness.world.repository("initech", "settings", { files: { ".kodiai.yml": settings }, private: true });
  const { said: comments } = await change("initech", { ".kodiai.yml": "_extends: settings\n" });
  expect(comments).toEqual(["src/balance.py:5 tls-verify-disabled"]);
});

test("_extends of a repository that is not there, or of another owner, is a problem and not a failure", async () => {
  await harness.world.repository("globex", "settings", { files: { ".kodiai.yml": "review: {enabled: false}\n" } });
  const absent = await change("acme", { ".kodiai.yml": "_extends: nowhere\n" });
  expect(absent.said).toHaveLength(2);
  expect(summaryOf(harness.world, absent.pull).body).toContain("nowhere");
  const foreign = await change("acme", { ".kodiai.yml": "_extends: globex/settings\n" });
  expect(foreign.said).toHaveLength(2);
  expect(summaryOf(harness.world, foreign.pull).body).toContain("**Problems in `.kodiai.yml`:**");
});
