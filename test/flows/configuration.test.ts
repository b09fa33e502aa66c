// .kodiai.yml as it takes effect, with its mistakes in the summary. Owners' defaults, over HTTP:
// test/app/configuration.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { BACKUP, BALANCE, said, summaryOf } from "../app/change-builders.ts";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";
import type { Files } from "../fakes/github/emulator.ts";

let flow: FlowHarness;
beforeAll(async () => {
  flow = await openFlow();
});
afterAll(() => flow.close());

const CHANGE: Files = { "ops/backup.py": BACKUP, "src/balance.py": BALANCE };
let repositories = 0;

/** A pull request with two findings in a repository that starts with these files. */
async function change(base: Files) {
  repositories++;
  const files = { "README.md": "# Shop\n", ...base };
  const repository = await flow.world.repository("acme", `shop-${repositories}`, { files });
  const pull = await flow.world.pullRequest(repository, { title: "Back up", files: CHANGE });
  const { outcome } = await flow.settled(pull);
  return { pull, outcome, said: said(flow.world, pull).toSorted() };
}

test("the file at the base decides", async () => {
  const off = await change({ ".kodiai.yml": "review:\n  enabled: false\n" });
  expect(off.outcome).toBe("skipped: review.enabled is false");
  const quiet = await change({ ".kodiai.yml": "rules:\n  tls-verify-disabled: off\n" });
  expect(quiet.said).toEqual(["ops/backup.py:3 shell-from-strings"]);
});

test("a link in the place of the file configures nothing that it does not show [T2]", async () => {
  const link = { mode: "120000", content: "settings/other.yml" };
  const { said: comments } = await change({
    ".kodiai.yml": link,
    "settings/other.yml": "review: {enabled: false}\n",
  });
  const { said: plain } = await change({});
  expect(comments).toEqual(plain);
});

test("a file under another name configures nothing, and the summary says how to name it", async () => {
  const { pull, said: comments } = await change({ ".github/kodiai.yaml": "review:\n  enabled: false\n" });
  expect(comments).toHaveLength(2);
  expect(summaryOf(flow.world, pull).body).toContain("is not read; name it `.kodiai.yml`, at the root");
});

test("what is wrong in the file is said with its line and column, and the rest of the file holds [R29]", async () => {
  const config = "review:\n  maxComents: 3\n  profile: loud\nrules:\n  tls-verify-disabled: off\n  weak-hassh: off\n";
  const { pull, said: comments } = await change({ ".kodiai.yml": config });
  expect(comments).toEqual(["ops/backup.py:3 shell-from-strings"]);
  const { body } = summaryOf(flow.world, pull);
  expect(body).toContain("**Problems in `.kodiai.yml`:**");
  expect(body).toMatch(/- `\.kodiai\.yml:2:3`: error: unknown key .*maxComents.*did you mean .*maxComments/);
  expect(body).toMatch(/- `\.kodiai\.yml:3:12`: error: /);
  expect(body).toMatch(/- `\.kodiai\.yml:6:3`: notice: there is no rule .*weak-hassh/);
});

test("a file that is no YAML at all is reported, and the review goes on with the defaults [R29]", async () => {
  const { pull, said: comments } = await change({ ".kodiai.yml": "review: {enabled: false\n\t- [" });
  expect(comments).toHaveLength(2);
  expect(summaryOf(flow.world, pull).body).toMatch(/- `\.kodiai\.yml:\d+:\d+`: error: /);
});
