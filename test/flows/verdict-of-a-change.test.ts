// What a change by a stranger does to its own check: ignores, marks of generated code, files that
// nobody reads, labels and bases. Over the whole app: test/app/verdict.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { BACKUP, LOGIN, said, summaryOf } from "../app/change-builders.ts";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import type { Files } from "../fakes/github/emulator.ts";

const GATE = "review: {checks: {enabled: true, failOn: major}}\n";
const FAULT = { "ops/b.py": BACKUP };
const STRANGER = { author: "mallory", fork: "mallory" };

let flow: FlowHarness;
beforeAll(async () => {
  flow = await openFlow();
  flow.world.person("mallory", { permission: "read" });
});
afterAll(() => flow.close());

let serial = 0;
const repository = (files: Files = {}): Promise<Repository> =>
  flow.world.repository("acme", `gate-${++serial}`, { files: { "a.md": "x\n", ".kodiai.yml": GATE, ...files } });

async function opened(files: Files, at?: Repository) {
  const pull = await flow.world.pullRequest(at ?? (await repository()), { title: "feat", ...STRANGER, files });
  await flow.settled(pull);
  return pull;
}

const runsOf = ({ repository: { id }, headSha }: Pull) =>
  flow.world.checkRuns.filter((run) => run.repository === id && run.headSha === headSha);
/** The conclusion of each check run of the head, oldest first. */
const ends = (pull: Pull) => runsOf(pull).map(({ conclusion }) => conclusion);
const why = (pull: Pull) => runsOf(pull).at(-1)?.summary ?? "";

/** The payload of the newest delivery about a pull request itself. */
function latestOf({ repository: { id }, number }: Pull): Readonly<Record<string, unknown>> {
  const payloads = flow.world.deliveries.map(({ payload }) => payload as Record<string, unknown>);
  const isIts = (one: Record<string, unknown>) =>
    one.number === number && (one.repository as { id: number }).id === id && "pull_request" in one;
  return payloads.findLast(isIts) ?? {};
}

test("an ignore by somebody with write access hides the finding", async () => {
  flow.world.person("otto", { permission: "write" });
  const files = { "ops/b.py": BACKUP.replace("    sub", "    # kodiai-ignore shell-from-strings checked\n    sub") };
  const pull = await flow.world.pullRequest(await repository(), {
    title: "feat",
    author: "otto",
    fork: "otto",
    files,
  });
  await flow.settled(pull);
  expect(ends(pull)).toEqual(["success"]);
  expect(said(flow.world, pull)).toEqual([]);
});

test.each([
  ["its header", { "ops/b.py": `# @generated\n${BACKUP}` }],
  ["its folder", { "src/generated/b.py": BACKUP }],
  ["its name", { "ops/b_pb2.py": BACKUP }],
  ["a vendored folder", { "vendor/lib/b.py": BACKUP }],
  ["the head's .gitattributes", { ".gitattributes": "*.py linguist-generated\n", ...FAULT }],
])("what only the change calls generated is read by rules: %s", async (_, files) => {
  const pull = await opened({ ...files, "src/e.ts": LOGIN });
  expect(ends(pull)).toEqual(["failure"]);
  expect(said(flow.world, pull)).toHaveLength(1);
});

test("what the base's .gitattributes marks is left out, a build folder with all below it [002-16]", async () => {
  const marks = "third/** linguist-vendored\nops/*.py linguist-generated\nbuild/ linguist-generated\n";
  const pull = await opened(
    { "third/b.py": BACKUP, "build/deep/b.py": BACKUP, ...FAULT, "package-lock.json": "{}\n", "src/e.ts": LOGIN },
    await repository({ ".gitattributes": marks }),
  );
  expect(ends(pull)).toEqual(["success"]);
  expect(summaryOf(flow.world, pull).body).toMatch(/vendored \(\.gitattributes\) \(1\): `third\/b\.py`/);
});

test("source that nobody reads does not pass: the check names the file and the key", async () => {
  const filtered = await opened(
    { ...FAULT, "src/e.ts": LOGIN },
    await repository({ ".kodiai.yml": `${GATE}pathFilters: ["!ops/**"]\n` }),
  );
  expect(ends(filtered)).toEqual(["failure"]);
  expect(why(filtered)).toContain("`ops/b.py` (`pathFilters: !ops/**`)");
  const binary = await opened({ "ops/b.py": new TextEncoder().encode(`${BACKUP}\0`), "src/e.ts": LOGIN });
  expect(ends(binary)).toEqual(["failure"]);
  expect(why(binary)).toContain("`ops/b.py`");
  const link = await opened({ "ops/b.py": { mode: "120000", content: "b.txt" }, "src/e.ts": LOGIN });
  expect(ends(link)).toEqual(["failure"]);
  const harmless = await opened({
    "docs/a.png": new Uint8Array([0x89, 0x50, 0, 1]),
    "src/__init__.py": "",
    "docs/a.md": "A\n",
    "src/e.ts": LOGIN,
  });
  expect([ends(harmless), why(harmless)]).toEqual([["success"], expect.any(String)]);
});

test("going to a milder base and back leaves the check as it was", async () => {
  const { world } = flow;
  const at = await repository();
  const files = { ".kodiai.yml": GATE.replace("major", "never") };
  const old = await world.pullRequest(at, { title: "x", branch: "legacy", files, announce: false });
  old.state = "closed";
  const pull = await opened(FAULT, at);
  for (const base of ["legacy", "main"]) {
    await world.edit(pull, { base });
    await flow.settled(pull);
    expect(ends(pull).at(-1)).toBe("failure");
  }
});

test("a head that is away and back is reviewed again", async () => {
  const { world } = flow;
  const pull = await opened({ ...FAULT, "a.md": "a\n" });
  const first = pull.headSha;
  await world.push(pull, { "ops/b.py": null });
  await flow.settled(pull);
  const before = pull.headSha;
  pull.headSha = first;
  await world.deliver("pull_request", {
    ...latestOf(pull),
    action: "synchronize",
    before,
    after: first,
  });
  expect(await flow.settled(pull)).toMatchObject({ outcome: expect.stringMatching(/^posted/) });
  expect(ends(pull)).toEqual(["failure", "failure"]);
});

test("an author without write access only asks to ignore a finding", async () => {
  const { world } = flow;
  const pull = await opened({ "src/cart.ts": "export function total() {\n  debugger;\n}\n" });
  const [root] = world.comments(pull).inline;
  await world.reply(pull, "mallory", pull.comments[0]?.id ?? 0, "/kodiai ignore it is fine");
  await flow.settled(pull);
  expect(world.comments(pull).inline.some(({ body }) => body.includes("you ask to ignore this"))).toBe(true);
  await world.push(pull, { "b.md": "b\n" });
  await flow.settled(pull);
  expect(root).toBeDefined();
  expect(ends(pull)).toEqual(["failure"]);
  expect(summaryOf(world, pull).body).toContain("1 finding asked to ignore");
});

test("a label in any case lets go of what another one held back", async () => {
  const { world } = flow;
  const at = await repository({ ".kodiai.yml": "review: {labels: [Ready], checks: {enabled: true, failOn: major}}\n" });
  const pull = await opened(FAULT, at);
  expect(ends(pull)).toEqual(["neutral"]);
  await world.label(pull, "READY");
  await flow.settled(pull);
  expect(ends(pull).at(-1)).toBe("failure");
});
