// What code scanning found on a pull request, said with memory.
import { afterEach, describe, expect, test } from "vitest";
import { says } from "../fakes/anthropic/replies.ts";
import { startAnthropic } from "../fakes/anthropic/server.ts";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { type Manifest, readManifest } from "../fakes/github/manifest.ts";
import { type Harness, type HarnessOptions, openHarness } from "./app-harness.ts";
import { answered } from "./conversation-helpers.ts";

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const ON = "review:\n  debounceSeconds: 0\n  tools:\n    codeScanning: true\n";
const SCANS: Manifest = { ...readManifest(), permissions: { ...readManifest().permissions, security_events: "read" } };
const MODEL = {
  apiKey: "sk-ant-0123456789abcdef",
  names: { main: "claude-sonnet-5-5", small: "claude-haiku-5-5" },
  structuredOutput: "on" as const,
  temperature: null,
  contextTokens: null,
};
const RENDER = "def page(name):\n    return Template(name).render()\n";
const SEMGREP = {
  rule: "python.lang.security.audit.template-from-input",
  path: "web/page.py",
  line: 2,
  message: "Template is built from input. Use a file instead.",
  tags: ["security"],
} as const;
const CONFIRMED = { permission: "write", association: "MEMBER" } as const;

async function play(manifest: Manifest = SCANS, config = ON, app: HarnessOptions["app"] = {}) {
  harness = await openHarness({ manifest, app });
  const { world } = harness;
  world.person("wren", CONFIRMED);
  const files = { "README.md": "# Shop\n", ".kodiai.yml": config };
  return { at: harness, world, repository: await world.repository("acme", "shop", { files }) };
}

/** Tools end after the pull request is opened; a person then asks for the review again. */
async function reviewed(
  at: Harness,
  repository: Repository,
  files: Record<string, string>,
  scan: (pull: Pull) => void,
) {
  const { world } = at;
  const pull = await world.pullRequest(repository, { title: "Add a page", author: "mona", draft: true, files });
  await at.settled(pull);
  scan(pull);
  await world.readyForReview(pull);
  expect(await at.settled(pull)).toMatchObject({ state: "done" });
  return pull;
}

const summaryOf = (at: Harness, pull: Pull) => at.world.comments(pull).summary[0]?.body ?? "";

describe("results of code scanning on changed lines", () => {
  test("are said once, closed when the tool stays silent, and held back after a decline, with reason and undo", async () => {
    const { at, world, repository } = await play();
    const first = await reviewed(at, repository, { "web/page.py": RENDER }, (pull) =>
      world.scanned(pull, "Semgrep OSS", [
        SEMGREP,
        { ...SEMGREP, rule: "python.dismissed", state: "dismissed" },
        { ...SEMGREP, rule: "python.elsewhere", path: "README.md", line: 1 },
      ]),
    );
    const said = world.comments(first).inline;
    expect(said.map(({ path, line }) => `${path}:${line}`)).toEqual(["web/page.py:2"]);
    expect(said[0]?.body).toContain("🟡 medium: **semgrep: Template is built from input**");
    expect(said[0]?.body).toContain("Found by `semgrep`, rule `python.lang.security.audit.template-from-input`");

    // A push that the tool has not scanned yet closes nothing and says nothing twice.
    await world.push(first, { "web/other.py": "x = 1\n" });
    await at.settled(first);
    expect(world.comments(first).inline).toHaveLength(1);
    expect(summaryOf(at, first)).toContain("semgrep has not scanned this head yet");
    expect(summaryOf(at, first)).not.toContain("May be addressed");

    const root = first.comments[0]?.id ?? 0;
    await world.reply(first, "wren", root, "/kodiai ignore templates come from our own folder");
    await answered(at);
    await world.closePull(first, { merged: false });

    const second = await reviewed(at, repository, { "web/page.py": RENDER }, (pull) =>
      world.scanned(pull, "Semgrep OSS", [
        SEMGREP,
        { ...SEMGREP, rule: "python.other", line: 1, message: "Another matter here" },
      ]),
    );
    expect(world.comments(second).inline.map(({ line }) => line)).toEqual([1]);
    const held = summaryOf(at, second);
    expect(held).toMatch(
      /web\/page\.py.*declined on `?#1`? by `@wren` on [\d-]{10}: templates come from our own folder/,
    );
    expect(held).toMatch(/`\/kodiai restore mem_[0-9a-f]{12}`/);

    // What a complete scan of the newest head no longer has is perhaps fixed.
    await world.push(second, { "web/page.py": `# Pages\n${RENDER.replace("def page", "def a_page")}` });
    world.scanned(second, "Semgrep OSS", []);
    await world.comment(second, "wren", "/kodiai review");
    await answered(at);
    await at.settled(second);
    expect(summaryOf(at, second)).toContain("its tool no longer reports it");
    expect(world.violations).toEqual([]);
    expect(world.unfaithful.filter((one) => one.includes("code-scanning"))).toEqual([]);
  });

  test("are not asked for where the setting is off", async () => {
    const { at, world, repository } = await play(SCANS, "");
    const pull = await reviewed(at, repository, { "web/page.py": RENDER }, (one) =>
      world.scanned(one, "semgrep", [SEMGREP]),
    );
    expect(world.comments(pull).inline).toEqual([]);
    expect(world.requests.filter(({ path }) => path.includes("code-scanning"))).toEqual([]);
  });

  test("that GitHub refuses to give are named with the fix, and the rest is reviewed", async () => {
    const { at, world, repository } = await play(readManifest());
    const pull = await reviewed(at, repository, { "web/page.py": RENDER }, (one) =>
      world.scanned(one, "semgrep", [SEMGREP]),
    );
    expect(summaryOf(at, pull)).toMatch(
      /code scanning could not be read \(GitHub answered 422\); grant the App .*security_events: read/,
    );
  });

  test("that do not exist yet are a named gap", async () => {
    const { at, repository } = await play();
    const pull = await reviewed(at, repository, { "web/page.py": RENDER }, () => {});
    expect(summaryOf(at, pull)).toContain("code scanning has no results of this pull request yet");
  });
});

describe("a scan that ends after the review", () => {
  /** Opened and reviewed before its tools have run; the setting is as in `config`. */
  async function opened(manifest = SCANS, config = ON, from: { readonly fork?: string } = {}) {
    const { at, world, repository } = await play(manifest, config);
    const files = { "web/page.py": RENDER };
    const pull = await world.pullRequest(repository, { title: "Add a page", author: "mona", files, ...from });
    expect(await at.settled(pull)).toMatchObject({ state: "done" });
    return { at, world, repository, pull };
  }
  const saidIn = (at: Harness, pull: Pull) => at.world.comments(pull).inline.map(({ path, line }) => `${path}:${line}`);
  const ended = async (at: Harness, pull: Pull, tool: string, sha?: string) => {
    await at.world.scanEnded(pull, tool, sha);
    return at.settled(pull);
  };

  test("brings its findings, once for each tool, and the summary names the tools", async () => {
    const { at, world, pull } = await opened();
    expect(summaryOf(at, pull)).toContain("code scanning has no results of this pull request yet");

    world.scanned(pull, "Semgrep OSS", [SEMGREP]);
    await ended(at, pull, "Semgrep OSS");
    expect(saidIn(at, pull)).toEqual(["web/page.py:2"]);
    expect(summaryOf(at, pull)).toContain("results of `semgrep`");
    expect(summaryOf(at, pull)).not.toContain("incomplete");

    world.scanned(pull, "CodeQL", [{ ...SEMGREP, rule: "py/name", line: 1, message: "Name is shadowed" }]);
    await ended(at, pull, "CodeQL");
    expect(saidIn(at, pull)).toEqual(["web/page.py:2", "web/page.py:1"]);
    expect(summaryOf(at, pull)).toContain("results of `codeql`, `semgrep`");
    expect(summaryOf(at, pull)).toMatch(/Configuration: `\.kodiai\.yml@[0-9a-f]{7}`\./);
    // A description that is only the rule's name is no text.
    expect(world.comments(pull).inline[1]?.body).not.toMatch(/^py\/name$/m);

    // The same tools again, and another event about the head: nothing to look at again.
    const reviews = at.world.comments(pull).reviews.length;
    await ended(at, pull, "CodeQL");
    expect(await ended(at, pull, "Semgrep OSS")).toMatchObject({ outcome: expect.stringContaining("before") });
    expect(at.world.comments(pull).reviews).toHaveLength(reviews);
    expect(world.comments(pull).summary).toHaveLength(1);
    expect(world.violations).toEqual([]);
  });

  test("starts nothing where the setting is off, on another commit, of another App, or where policy says no", async () => {
    const { at, world, pull } = await opened(SCANS, "review:\n  debounceSeconds: 0\n");
    world.scanned(pull, "semgrep", [SEMGREP]);
    const asked = world.requests.length;
    expect(await ended(at, pull, "semgrep")).toMatchObject({ outcome: expect.stringContaining("reviewed before") });
    expect(world.requests.slice(asked).filter(({ path }) => path.includes("code-scanning"))).toEqual([]);
    await harness?.close();

    const on = await opened();
    on.world.scanned(on.pull, "semgrep", [SEMGREP]);
    const jobs = on.at.jobs(on.pull).length;
    await on.world.scanEnded(on.pull, "semgrep", "a".repeat(40));
    await on.world.otherCheck(on.pull, "check_run", "completed");
    await on.world.otherCheck(on.pull, "check_suite", "completed");
    expect(on.at.jobs(on.pull)).toHaveLength(jobs);
    await on.world.toDraft(on.pull);
    expect(await ended(on.at, on.pull, "semgrep")).toMatchObject({ outcome: expect.stringContaining("draft") });
    expect(saidIn(on.at, on.pull)).toEqual([]);
  });

  test("of the head before a push changes nothing, and before the review has run gives one review", async () => {
    const { at, world, pull } = await opened();
    const before = pull.headSha;
    await world.push(pull, { "web/other.py": "x = 1\n" });
    await at.settled(pull);
    world.scanned(pull, "semgrep", [SEMGREP], { sha: before });
    expect(await ended(at, pull, "semgrep", before)).toMatchObject({ outcome: expect.stringContaining("before") });
    expect(saidIn(at, pull)).toEqual([]);

    world.scanned(pull, "semgrep", [SEMGREP]);
    await Promise.all([world.scanEnded(pull, "semgrep"), world.scanEnded(pull, "semgrep"), world.label(pull, "x")]);
    await at.settled(pull);
    expect(saidIn(at, pull)).toEqual(["web/page.py:2"]);
    expect(world.comments(pull).reviews).toHaveLength(1);
  });

  test("works for the pull request of a fork, and an App without checks is told nothing", async () => {
    const { at, world, pull } = await opened(SCANS, ON, { fork: "mona" });
    world.scanned(pull, "semgrep", [SEMGREP]);
    await ended(at, pull, "semgrep");
    expect(saidIn(at, pull)).toEqual(["web/page.py:2"]);
    await harness?.close();

    const { checks: _, ...permissions } = SCANS.permissions;
    const bare = await opened({ ...SCANS, permissions });
    expect(await bare.world.scanEnded(bare.pull, "semgrep")).toBeNull();
  });

  test("asks the model nothing again about a head that it has read, and ends with ten tools", async () => {
    const anthropic = await startAnthropic({
      replies: () => says({ findings: [], ruleFindings: [], walkthrough: "Adds it." }),
    });
    try {
      const { at, world, repository } = await play(SCANS, ON, { model: { ...MODEL, baseUrl: anthropic.url } });
      const pull = await world.pullRequest(repository, {
        title: "Add a page",
        author: "mona",
        fork: "mona",
        files: { "web/page.py": RENDER },
      });
      await at.settled(pull);
      const asked = anthropic.requests.length;
      expect(asked).toBeGreaterThan(0);
      for (let at = 0; at < 12; at += 1) world.scanned(pull, `tool-${at}`, []);
      await ended(at, pull, "tool-0");
      expect(await ended(at, pull, "tool-1")).toMatchObject({ outcome: expect.stringContaining("before") });
      world.scanned(pull, "semgrep", [SEMGREP]);
      expect(await ended(at, pull, "semgrep")).toMatchObject({ outcome: expect.stringContaining("before") });
      expect(anthropic.requests).toHaveLength(asked);
    } finally {
      await anthropic.close();
    }
  });
});
