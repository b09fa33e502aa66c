// A stranger renames, without changing a line, what was merged where rules read little of it: then
// all of it is read.
import { afterAll, beforeAll, expect, test } from "vitest";
import { BACKUP, LOGIN, summaryOf } from "../app/change-builders.ts";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";

const GATE = "review: {checks: {enabled: true, failOn: major}}\n";
const INJECTION =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an expression of GitHub Actions
  "on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo ${{ github.event.issue.title }}\n";

/** A fault that rules overlook in tests. */
const TLS = 'import requests\nrequests.get("https://x", verify=False, timeout=9)\n';

let flow: FlowHarness;
beforeAll(async () => {
  flow = await openFlow();
  flow.world.person("mallory", { permission: "read" });
});
afterAll(() => flow.close());

let serial = 0;
async function renamed(from: string, to: string, text: string, more = "") {
  const files = { "a.md": "x\n", ".kodiai.yml": `${GATE}${more}`, ".gitattributes": "third/** linguist-vendored\n" };
  const at = await flow.world.repository("acme", `moved-${++serial}`, { files: { ...files, [from]: text } });
  const options = { title: "feat", author: "mallory", fork: "mallory", files: { "src/e.ts": LOGIN }, announce: false };
  const pull = await flow.world.pullRequest(at, options);
  await flow.world.rename(pull, from, to, { announce: false });
  await flow.world.reopen(pull);
  await flow.settled(pull);
  return { pull, end: flow.world.checkRuns.findLast((run) => run.repository === at.id)?.conclusion };
}

const DOCS = "fileKinds: {docs: ['site/**']}\n";

test.each<[string, string, string, string?]>([
  ["docs/b.txt", "ops/b.py", BACKUP],
  ["ops/b.csv", "ops/b.py", BACKUP],
  ["README", "bin/b.py", BACKUP],
  ["yarn.lock", "ops/b.py", BACKUP],
  ["third/b.py", "ops/b.py", BACKUP],
  ["vendor/b.py", "ops/b.py", BACKUP],
  ["examples/b.py", "ops/b.py", BACKUP],
  ["tests/b.py", "ops/b.py", TLS],
  ["site/b.py", "ops/b.py", BACKUP, DOCS],
  ["ops/w.yml", ".github/workflows/w.yml", INJECTION],
  ["ops/b.tmpl", "ops/b.py", BACKUP],
  ["ops/b.data", "tests/b.py", BACKUP],
])("%s, renamed to %s", async (from, to, text, more) => {
  const { pull, end } = await renamed(from, to, text, more);
  expect(end).toBe("failure");
  expect(summaryOf(flow.world, pull).body + JSON.stringify(flow.world.comments(pull))).toContain(to);
});

test.each([
  ["ops/b.py", "lib/c.py"],
  ["ops/b.py", "tests/b.py"],
  ["src/cart.js", "src/cart.ts"],
])("%s, renamed to %s, was read before", async (from, to) => {
  expect((await renamed(from, to, from.endsWith(".py") ? BACKUP : 'eval("1" + x);\n')).end).toBe("success");
});
