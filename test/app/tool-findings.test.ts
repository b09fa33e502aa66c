// What other tools found, from SARIF to posted comments, the check and memory. Ports answer from a plain world.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { LINTED_FILES, SARIF_SAMPLES } from "../cli/sarif-samples.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import { type FlowHarness, type FlowOptions, openFlow } from "./flow-harness.ts";

const folder = mkdtempSync(join(tmpdir(), "kodiai-tools-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const FILE = join(folder, "lint.sarif");

let flow: FlowHarness;
afterEach(() => flow.close());

/** What a tool called `lint` finds; nothing without results. */
function finds(...results: readonly (readonly [path: string, line: number, text: string, level?: string])[]) {
  const made = results.map(([uri, startLine, text, level = "error"]) => ({
    ruleId: "R1",
    level,
    message: { text },
    locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine } } }],
  }));
  const run = { tool: { driver: { name: "lint" } }, results: made };
  writeFileSync(FILE, JSON.stringify({ version: "2.1.0", runs: [run] }));
}

async function open(config = "", more: FlowOptions = {}) {
  flow = await openFlow({ sarif: [FILE], ...more });
  flow.world.person("wren", { permission: "write", association: "MEMBER" });
  const files = { "README.md": "# Shop\n", ".kodiai.yml": config };
  return flow.world.repository("acme", "shop", { files });
}

const inline = (pull: Pull) => flow.world.comments(pull).inline;
const summary = (pull: Pull) => flow.world.comments(pull).summary[0]?.body ?? "";

/** Each is named under a comment: as who found it, or as one who says the same. */
const TEN: readonly (readonly [tool: string, place: string])[] = [
  ["bandit", "api/app.py:7"],
  ["codeql", "web/app.js:10"],
  ["eslint", "web/app.js:5"],
  ["gitleaks", "config/dev.ini:2"],
  ["golangci-lint", "cmd/main.go:9"],
  ["gosec", "cmd/main.go:9"],
  ["ruff", "api/app.py:1"],
  ["semgrep", "api/app.py:6"],
  ["shellcheck", "bin/run.sh:2"],
  ["trivy", "Dockerfile:1"],
];

test("ten tools speak in the comments of one pull request, each at its place", async () => {
  const at = await open("review: {maxComments: 20}\n", { sarif: SARIF_SAMPLES });
  const pull = await flow.world.pullRequest(at, { title: "feat: shop", author: "mona", files: LINTED_FILES });
  await flow.settled(pull);
  const said = inline(pull).map(({ path, line, body }) => [`${path}:${line}`, body] as const);
  const heard = TEN.map(([tool]) => [
    tool,
    said.flatMap(([place, body]) =>
      body.includes(`eported by \`${tool}: `) || body.includes(`, \`${tool}: `) ? [place] : [],
    ),
  ]);
  expect(heard).toEqual(TEN.map(([tool, place]) => [tool, expect.arrayContaining([place])]));
});

const GATE = "review: {checks: {enabled: true, failOn: major}}\n";
const CODE = { "src/cart.txt": "one cart holds all\n" };

test.each([
  ["error", "failure"],
  ["warning", "success"],
])("the check counts them: %s makes %s", async (level, conclusion) => {
  finds(["src/cart.txt", 1, "The cart is shared.", level]);
  const at = await open(GATE);
  const pull = await flow.world.pullRequest(at, { title: "feat", author: "mona", files: CODE });
  await flow.settled(pull);
  expect(flow.world.checkRuns.at(-1)).toMatchObject({ headSha: pull.headSha, conclusion });
});

test("nothing is said twice on a second push, and what its tool no longer reports is addressed", async () => {
  finds(["src/cart.txt", 1, "The cart is shared."]);
  const at = await open();
  const pull = await flow.world.pullRequest(at, { title: "feat", author: "mona", files: CODE });
  await flow.settled(pull);
  const before = inline(pull).map(({ body }) => body);
  expect(before).toEqual([expect.stringContaining("**lint: The cart is shared**")]);
  finds(["src/cart.txt", 2, "The cart is shared."]);
  await flow.world.push(pull, { "src/cart.txt": "first\none cart holds all\n" });
  await flow.settled(pull);
  expect(inline(pull).map(({ body }) => body)).toEqual(before);
  finds();
  await flow.world.push(pull, { "src/cart.txt": "first\neach has a cart\n" });
  await flow.settled(pull);
  expect(inline(pull)).toHaveLength(1);
  expect(summary(pull)).toContain("its tool no longer reports it");
});

test("one that was fixed and comes back is named", async () => {
  const BAD = "export function cartOf(visitor) {\n  return shared.carts.firstOf(everyone, visitor.basket);\n}\n";
  const path = "src/cart.ts";
  finds([path, 2, "The cart is shared."]);
  const at = await open();
  const pull = await flow.world.pullRequest(at, { title: "feat", author: "wren", files: { [path]: BAD } });
  await flow.settled(pull);
  finds();
  await flow.world.push(pull, {
    [path]: BAD.replace("shared.carts.firstOf(everyone, visitor.basket)", "visitor.cart"),
  });
  await flow.settled(pull);
  await flow.world.closePull(pull, { merged: true, by: "wren" });
  await flow.answered();
  finds([path, 2, "The cart is shared."]);
  const next = await flow.world.pullRequest(at, { title: "feat", author: "mona", files: { [path]: BAD } });
  await flow.settled(next);
  expect(inline(next).map(({ body }) => body)).toEqual([
    expect.stringMatching(/This re-introduces what `?#1`? fixed on/),
  ]);
});

test.each([
  ["warning", "wrong", 0],
  ["warning", "confirmed", 1],
  ["error", "wrong", 1],
] as const)("a model that says of an %s that it is %s leaves %s comments", async (level, verdict, count) => {
  finds(["src/cart.ts", 1, "The cart is shared.", level]);
  const at = await open("", {
    model: ({ prompt }) => ({
      walkthrough: "A cart.",
      findings: [],
      ruleFindings: [...new Set(prompt.match(/fnd_[0-9a-f]{12}/g))].map((id) => ({
        id,
        verdict,
        reason: "Each has one.",
      })),
    }),
  });
  const files = { "src/cart.ts": "export const cart = carts.of(visitor);\n" };
  const pull = await flow.world.pullRequest(at, { title: "feat", author: "mona", files });
  await flow.settled(pull);
  expect(inline(pull)).toHaveLength(count);
  if (count === 0) expect(summary(pull)).toContain("the model, looking at the code, found it wrong: Each has one.");
});

test.each([
  ["wren", "", 0],
  ["mona", "mona", 1],
])("a comment of %s beside the code names a tool's rule", async (author, fork, count) => {
  finds(["src/cart.ts", 2, "The cart is shared."]);
  const at = await open();
  const files = {
    "src/cart.ts": "// kodiai-ignore lint/R1, other/@x/y.z: one cart is meant\nexport const cart = carts.of(all);\n",
  };
  const pull = await flow.world.pullRequest(at, { title: "feat", author, files, ...(fork === "" ? {} : { fork }) });
  await flow.settled(pull);
  expect(inline(pull)).toHaveLength(count);
  if (count === 0) expect(summary(pull)).toContain("kodiai-ignore: one cart is meant");
});
