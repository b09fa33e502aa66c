// Whoever opens a pull request writes what redaction meets: it must not blank the review, hide code
// from the model unseen, or turn text that was made inert into something that acts.
import { afterEach, describe, expect, test } from "vitest";
import { says } from "../fakes/anthropic/replies.ts";
import { expectSentInert, sentMarkdown } from "../publish/sent-markdown.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, LOGIN, said, summaryOf } from "./change-builders.ts";
import { answered, repliesIn } from "./conversation-helpers.ts";
import { anHourPasses } from "./memory-assertions.ts";
import { openModelHarness } from "./model-harness.ts";

const HEADER = "-----BEGIN PRIVATE KEY-----";
// Put together here, so that no scanner takes this file for a leak.
const [HALF, OTHER] = [["ghp", "b7Qk2ZpXv9Lr4TnWs8"].join("_"), "Yc1HdJ6mGfA3eUo5iK"];
/** A finding as a model drafts it, and what it says to the question whether it holds. */
const DRAFTED = {
  ...{ anchor: "", endAnchor: null, severity: "major", category: "correctness", body: "An empty name is taken." },
  ...{ true: 1, wanted: 1, suggestion: null, precedents: [] },
};
const UPHELD = { verdict: "holds", severity: "major", confidence: 1, reason: "It is so." };
const GATE = "review: {checks: {enabled: true, failOn: major}}\n";

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

async function play(files: Readonly<Record<string, string>> = { ".kodiai.yml": GATE }) {
  harness = await openHarness();
  const repository = await harness.world.repository("acme", "shop", { files: { "README.md": "# Shop\n", ...files } });
  return { harness, world: harness.world, repository };
}

describe("an outsider's pull request", () => {
  test("cannot erase its review with the header of a key in its title: the finding is posted and the check fails [R31]", async () => {
    const { harness: at, world, repository } = await play();
    const pull = await world.pullRequest(repository, {
      title: `fix: ${HEADER} abcdefghijklmnopqrstuvwxyz0123456789ABCD`,
      author: world.person("mallory").login,
      fork: "mallory",
      files: { "ops/backup.py": BACKUP.replace("def backup", "# ------------\ndef backup") },
    });
    expect(await at.settled(pull)).toMatchObject({ state: "done", outcome: expect.stringMatching(/^posted /) });
    expect(said(world, pull)).toEqual(["ops/backup.py:4 shell-from-strings"]);
    expect(summaryOf(world, pull).body).toMatch(/^\*\*1 major finding open\*\*/);
    const [check] = await world.checks(pull);
    expect(check).toMatchObject({ conclusion: "failure", title: "1 major finding open" });
    expect(check?.annotations).toEqual(["ops/backup.py:4 failure Shell command is built from strings"]);
    expect(expectSentInert(world)).toBeGreaterThan(3);
  });

  test("cannot empty the comments with a key of dashes in the configuration that it proposes [R31]", async () => {
    const { harness: at, world, repository } = await play();
    const pull = await world.pullRequest(repository, {
      title: `fix: ${HEADER} abcdefghijklmnopqrstuvwxyz0123456789ABCD`,
      author: world.person("mallory").login,
      fork: "mallory",
      files: { "ops/backup.py": BACKUP, ".kodiai.yml": `${GATE}'-----': 1\n` },
    });
    expect(await at.settled(pull)).toMatchObject({ state: "done" });
    expect(said(world, pull)).toEqual(["ops/backup.py:3 shell-from-strings"]);
    expect(summaryOf(world, pull).body).toMatch(/^\*\*1 major finding open\*\*/);
    expect((await world.checks(pull))[0]?.conclusion).toBe("failure");
  });

  test("hides no code from the model behind the header of a key [R16]", async () => {
    const code = Array.from({ length: 100 }, (_, at) => `export const price${at} = base + ${at};`);
    const at = await openModelHarness({}, () => says({ findings: [], ruleFindings: [], walkthrough: "Prices." }));
    try {
      const text = [`// ${HEADER} abcdefghijklmnopqrstuvwxyz0123456789ABCD`, ...code, "// -----", ""].join("\n");
      const { asked, summary } = await at.review("feat: prices", { "src/prices.ts": text });
      for (const line of code) expect(asked[0]?.prompt).toContain(`:+${line}\n`);
      // The line of the header itself holds what looks like a key.
      expect(summary).toContain("a line that may hold a secret was hidden from the model");
    } finally {
      await at.close();
    }
  });

  test("with a real key gets a summary that says how many lines the model did not read [R16]", async () => {
    const body = Array.from(
      { length: 3 },
      (_, at) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8c${at}/`,
    );
    const key = [HEADER, ...body, "-----END PRIVATE KEY-----"];
    const at = await openModelHarness({}, () => says({ findings: [], ruleFindings: [], walkthrough: "A key." }));
    try {
      const { asked, summary } = await at.review("feat: key", {
        "src/key.ts": ["export const key = `", ...key, "`;", "export const after = 1;", ""].join("\n"),
        "src/login.ts": LOGIN,
      });
      expect(asked[0]?.prompt).not.toContain("MIIEvQIBADANBgkqhkiG9w0");
      expect(asked[0]?.prompt).toContain("export const after = 1;");
      expect(summary).toContain("1 file not read, or not wholly, by the model");
      expect(summary).toContain("`src/key.ts`: in part, 5 lines that may hold a secret were hidden from the model");
      expect(summary).toContain("the model read 1 of 2 files wholly");
      expect(summary).not.toContain("`src/login.ts`: in part");
    } finally {
      await at.close();
    }
  });
});

describe("what is sent does nothing, after redaction too", () => {
  /** Where redaction takes away the end of a code span, what stood in the span would act. */
  const SPLIT = [
    `!${HALF}[${OTHER}(//evil.example/p.png)](https://x.y/z)`,
    `Rotate ${HALF}\n\`${OTHER} @octocat ![x](//evil.example/p.png)\``,
    `Rotate ${HALF}'+\`${OTHER} @octocat #1\``,
    `\`${HALF}\`+\`${OTHER}\`, \`@octocat ![x](//evil.example/p.png)\``,
    `[${HALF}\n](//evil.example)`,
  ].join("\n\n");

  test("a model's words that hold tokens in halves, in reviews, replies and checks [T10]", async () => {
    const finding = {
      ...DRAFTED,
      path: "src/login.ts",
      quote: "export function etag(content: string): string {",
      title: `Say !${HALF}[${OTHER}(//evil.example/p.png)](https://x.y/z)`,
      body: SPLIT,
    };
    const at = await openModelHarness({}, ({ system, prompt }) => {
      if (system.includes("You answer one question")) return says({ answer: SPLIT });
      const ids = [...prompt.matchAll(/^\[(fnd_\w+)\]/gm)].map(([, id]) => id);
      if (ids.length > 0) return says({ findings: ids.map((id) => ({ ...UPHELD, id })) });
      return says({ findings: [finding], ruleFindings: [], walkthrough: SPLIT });
    });
    harness = at.harness;
    const { world } = at.harness;
    try {
      world.person("wren", { permission: "write", association: "MEMBER" });
      const repository = await world.repository("acme", "said", {
        files: { "README.md": "# Said\n", ".kodiai.yml": GATE },
      });
      const pull = await world.pullRequest(repository, { title: "feat: login", files: { "src/login.ts": LOGIN } });
      await at.harness.settled(pull);
      const [root] = world.comments(pull).inline;
      await world.reply(pull, "wren", root?.id ?? 0, "@kodiai why?");
      await answered(at.harness);
      expect(repliesIn(world, pull, root?.id ?? 0)).toHaveLength(1);
      expect((await world.checks(pull))[0]?.text).toMatch(/^\*\*1 \w+ finding open\*\*/);
      expect(expectSentInert(world)).toBeGreaterThan(4);
      expect(sentMarkdown(world).join("\n")).not.toMatch(new RegExp(`${HALF}[^\\w]{0,4}${OTHER}`));
    } finally {
      harness = undefined;
      await at.close();
    }
  });
});

test("the reason of a decline makes no link of ours lead elsewhere [T10]", async () => {
  const at = await openModelHarness({}, ({ prompt }) => {
    const ids = [...prompt.matchAll(/^\[(fnd_\w+)\]/gm)].map(([, id]) => id);
    if (ids.length > 0) return says({ findings: ids.map((id) => ({ ...UPHELD, id })) });
    const precedents = [...new Set(prompt.match(/mem_[0-9a-f]{12}/g) ?? [])];
    const path = /### FILE (\S+)/.exec(prompt)?.[1] ?? "";
    const finding = {
      ...DRAFTED,
      path,
      quote: "def backup(name: str) -> None:",
      title: "No check of the name",
      precedents,
    };
    return says({ findings: precedents.length === 0 ? [] : [finding], ruleFindings: [], walkthrough: "Backs up." });
  });
  harness = at.harness;
  const { world } = at.harness;
  try {
    world.person("wren", { permission: "write", association: "MEMBER" });
    const repository = await world.repository("acme", "declined", { files: { "README.md": "# Shop\n" } });
    const first = await world.pullRequest(repository, { title: "feat: back up", files: { "ops/backup.py": BACKUP } });
    await at.harness.settled(first);
    const [root] = world.comments(first).inline;
    await world.reply(first, "wren", root?.id ?? 0, "/kodiai ignore by design](//evil.example/login)[so");
    await answered(at.harness);
    await anHourPasses(at.harness);
    const second = await world.pullRequest(repository, { title: "feat: back up", files: { "ops/nightly.py": BACKUP } });
    await at.harness.settled(second);
    const reported = world.comments(second).inline.map(({ body }) => body);
    expect(reported.join("\n")).toMatch(/declined [^\n]*by design&#93;\(\/\/evil\.example\/login\)&#91;so\)/);
    expectSentInert(world);
  } finally {
    harness = undefined;
    await at.close();
  }
});
