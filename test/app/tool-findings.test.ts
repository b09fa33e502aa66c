// What other tools found, from SARIF to posted comments, the check and memory. Ports answer from a
// plain world.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
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
      body.includes(`Found by \`${tool}\``) ||
      body.includes(`Also reported by \`${tool}: `) ||
      body.includes(`, \`${tool}: `)
        ? [place]
        : [],
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

/** What tools say of line 2 of `src/shop.py`, each with the tags of its rule. */
type Saying = readonly [tool: string, rule: string, text: string, level?: string, tags?: readonly string[]];
const SHELL: readonly Saying[] = [
  ["Semgrep OSS", "python.lang.subprocess-shell", "Starts a process with a shell."],
  ["Bandit", "B602", "subprocess call with shell=True identified."],
];
const BY_CWE: readonly Saying[] = [
  ["Scan", "Q1", "This call is not safe.", "warning", ["external/cwe/cwe-078"]],
  ["Watch", "W9", "Input reaches a program.", "error", ["CWE-78: OS Command Injection"]],
];
const NAMED_ALIKE: readonly Saying[] = [
  ["oxlint", "eslint(no-var)", "Names leak from here."],
  ["ESLint", "no-var", "Unexpected keyword."],
];
const UNUSED: readonly Saying[] = [
  ["Biome", "lint/correctness/noUnusedImports", "This import is unused."],
  ["ruff", "F401", "`name` imported but unused"],
];
const TEMPLATE: readonly Saying[] = [
  ["CodeQL", "py/template-injection", "This template comes from input."],
  ["Semgrep OSS", "python.flask.ssti", "Rendered from a string."],
];
const SHOP = "def list_of(name):\n    return ask_the_shelf_for(name, everything=True)\n";

function say(sayings: readonly Saying[], startLine = 2, uri = "src/shop.py") {
  const runs = sayings.map(([name, id, text, level = "warning", tags = []]) => ({
    tool: { driver: { name, rules: [{ id, properties: { tags } }] } },
    results: [
      {
        ruleId: id,
        level,
        message: { text },
        locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine } } }],
      },
    ],
  }));
  writeFileSync(FILE, JSON.stringify({ version: "2.1.0", runs }));
}

describe("what a second tool says of the same is the finding that was posted", () => {
  test.each([
    ["shell", SHELL],
    ["only their CWEs tell", BY_CWE],
    ["template injection", TEMPLATE],
    ["one rule in two spellings", NAMED_ALIKE],
    ["unused", UNUSED],
  ] as const)(
    "%s: after a push, with the first tool, without it, and on an edited line",
    async (_, [first, second]) => {
      say([first as Saying]);
      const at = await open();
      const pull = await flow.world.pullRequest(at, { title: "feat", author: "mona", files: { "src/shop.py": SHOP } });
      await flow.settled(pull);
      expect(inline(pull)).toHaveLength(1);
      const pushes: readonly (readonly [readonly Saying[], string, number])[] = [
        [[first as Saying, second as Saying], SHOP, 2],
        [[second as Saying], SHOP, 2],
        [[second as Saying, first as Saying], `# Shop\n${SHOP}`, 3],
        [[second as Saying], `# Shop\n${SHOP.replace("name, everything", "name, or_else, everything")}`, 3],
      ];
      for (const [count, [said, code, line]] of pushes.entries()) {
        say(said, line);
        await flow.world.push(pull, { "src/shop.py": code, "src/other.txt": `push ${count}\n` });
        await flow.settled(pull);
        expect(inline(pull)).toHaveLength(1);
        expect(summary(pull)).toContain("Posted earlier.");
        expect(summary(pull)).not.toContain("May be addressed");
      }
      await flow.world.closePull(pull, { merged: false });
      say([first as Saying, second as Saying]);
      const next = await flow.world.pullRequest(at, { title: "feat", author: "mona", files: { "src/shop.py": SHOP } });
      await flow.settled(next);
      expect(inline(next).map(({ body }) => body)).toEqual([expect.stringContaining("Also reported by")]);
    },
  );

  test("one that says worse counts for the check, and a decline holds back all of them", async () => {
    const [first, [tool, rule, text]] = SHELL as readonly [Saying, Saying];
    const second: Saying = [tool, rule, text, "error"];
    say([first]);
    const at = await open(GATE);
    const pull = await flow.world.pullRequest(at, { title: "feat", author: "mona", files: { "src/shop.py": SHOP } });
    await flow.settled(pull);
    expect(flow.world.checkRuns.at(-1)).toMatchObject({ conclusion: "success" });
    say([first, second]);
    await flow.world.push(pull, { "src/other.txt": "more\n" });
    await flow.settled(pull);
    expect(flow.world.checkRuns.at(-1)).toMatchObject({ conclusion: "failure" });
    await flow.world.reply(pull, "wren", pull.comments[0]?.id ?? 0, "/kodiai ignore the shelf is ours");
    await flow.answered();
    await flow.world.closePull(pull, { merged: false });
    for (const said of [[second], [second, first]]) {
      say(said);
      const next = await flow.world.pullRequest(at, { title: "feat", author: "mona", files: { "src/shop.py": SHOP } });
      await flow.settled(next);
      expect(inline(next)).toEqual([]);
      expect(summary(next)).toMatch(/declined on `?#1`? by `@wren` on [\d-]{10}: the shelf is ours/);
      await flow.world.closePull(next, { merged: false });
    }
  });

  test("another matter on the same line, and the same on another line, are findings of their own", async () => {
    const [first, second] = SHELL as readonly [Saying, Saying];
    say([first]);
    const at = await open();
    const pull = await flow.world.pullRequest(at, { title: "feat", author: "mona", files: { "src/shop.py": SHOP } });
    await flow.settled(pull);
    say([first, ["Lint", "E1", "The line is too long."]]);
    await flow.world.push(pull, { "src/other.txt": "more\n" });
    await flow.settled(pull);
    expect(inline(pull)).toHaveLength(2);
    say([second], 1);
    await flow.world.push(pull, { "src/other.txt": "and more\n" });
    await flow.settled(pull);
    expect(inline(pull).map(({ line }) => line)).toEqual([2, 2, 1]);
  });
});

/**
 * Two tools, or ours and one, about line 2: as they word it, and the names of each comment that it
 * makes.
 */
const NAMED: readonly (readonly [string, Saying, Saying, readonly string[]])[] = [
  [
    "quoted",
    ["ESLint", "no-unused-vars", "'a' is assigned a value but never used."],
    ["Biome", "lint/correctness/noUnusedVariables", "This variable b is unused."],
    ["a", "b"],
  ],
  [
    "quoted the same",
    ["ESLint", "no-unused-vars", "'b' is assigned a value but never used."],
    ["Biome", "lint/correctness/noUnusedVariables", "This variable b is unused."],
    ["b"],
  ],
  [
    "one rule of two tools",
    ["ESLint", "no-unused-vars", "'a' is defined but never used."],
    ["oxlint", "eslint(no-unused-vars)", "Variable 'b' is declared but never used."],
    ["a", "b"],
  ],
  [
    "members of a module",
    ["ruff", "F401", "`typing.List` imported but unused"],
    ["Pylint", "W0611", "Unused Dict imported from typing"],
    ["List", "Dict"],
  ],
  [
    "the same member of a module",
    ["ruff", "F401", "`typing.Dict` imported but unused"],
    ["Pylint", "W0611", "Unused Dict imported from typing"],
    ["Dict"],
  ],
  [
    "a module and its part",
    ["ruff", "F401", "`os.path` imported but unused"],
    ["CodeQL", "py/unused-import", "Import of 'os' is not used."],
    ["os"],
  ],
  [
    "compared",
    ["Lint", "eqeqeq", "'a' is compared with ==."],
    ["Biome", "lint/suspicious/noDoubleEquals", "Compare 'b' with ===."],
    ["a", "b"],
  ],
  [
    "compared, only operators quoted",
    ["ESLint", "eqeqeq", "Expected '===' and instead saw '=='."],
    ["Biome", "lint/suspicious/noDoubleEquals", "Using == may be unsafe, use '===' for 'b'."],
    ["b"],
  ],
  [
    "one of them names none",
    ["TypeScript", "TS6133", "'a' is declared but its value is never read; unused."],
    ["Biome", "lint/correctness/noUnusedImports", "This import is unused."],
    ["a"],
  ],
  [
    "names of other kinds, about one place",
    ["Semgrep OSS", "python.sql-injection", "`query` is built from `name`."],
    ["Bandit", "B608", "Possible SQL injection vector through 'ask'."],
    ["name"],
  ],
];

test.each(NAMED)("what names another variable is another finding: %s", async (_, first, second, names) => {
  say([first, second]);
  const at = await open();
  const pull = await flow.world.pullRequest(at, { title: "feat", author: "mona", files: { "src/shop.py": SHOP } });
  await flow.settled(pull);
  expect(inline(pull)).toHaveLength(names.length);
  const [one] = inline(pull).map(({ body }) => body);
  expect(one?.includes("Also reported by")).toBe(names.length === 1);
  for (const said of [[second, first], [second]]) {
    say(said);
    await flow.world.push(pull, { "src/other.txt": `${said.length}\n` });
    await flow.settled(pull);
    expect(inline(pull)).toHaveLength(names.length);
  }
});

test("a claim that names nothing joins neither of two that name others", async () => {
  say([
    ["Biome", "lint/correctness/noUnusedImports", "This import is unused."],
    ["ESLint", "no-unused-vars", "'a' is defined but never used."],
    ["oxlint", "eslint(no-unused-vars)", "Identifier 'b' is imported but never used."],
  ]);
  const at = await open();
  const pull = await flow.world.pullRequest(at, { title: "feat", author: "mona", files: { "src/shop.py": SHOP } });
  await flow.settled(pull);
  expect(inline(pull)).toHaveLength(2);
});

const SHELLS =
  "import { execSync } from 'node:child_process';\n\nexport function both(first: string, second: string) {\n  execSync('ls ' + first); prepared(second);\n}\n";

test.each([
  ["`first` reaches a shell.", 1],
  ["Command injection through `second`.", 2],
  ["Command injection in 'execSync', found 'shell=true'.", 1],
  ["Command injection.", 1],
])("our own rule about `first`, and a tool: %s", async (text, count) => {
  say([["Semgrep OSS", "javascript.command-injection", text]], 4, "src/shop.ts");
  const at = await open();
  const pull = await flow.world.pullRequest(at, { title: "feat", author: "mona", files: { "src/shop.ts": SHELLS } });
  await flow.settled(pull);
  expect(inline(pull)[0]?.body).toContain("This is about `first` in `both`.");
  expect(inline(pull)).toHaveLength(count);
});

test("a comment names tool and rule once", async () => {
  finds(["src/cart.txt", 1, "The cart is shared."]);
  const at = await open();
  const pull = await flow.world.pullRequest(at, { title: "feat", author: "mona", files: CODE });
  await flow.settled(pull);
  const said = inline(pull)[0]?.body.replace(/<details>[\s\S]*<\/details>/, "");
  expect(said?.match(/\bR1\b/g)).toHaveLength(1);
  expect(said).toContain("Found by `lint`, rule `R1`");
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
