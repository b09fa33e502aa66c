// What code scanning found on a pull request, said with memory.
import { afterEach, describe, expect, test } from "vitest";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { type Manifest, readManifest } from "../fakes/github/manifest.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { answered } from "./conversation-helpers.ts";

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const ON = "review:\n  debounceSeconds: 0\n  tools:\n    codeScanning: true\n";
const SCANS = { ...readManifest(), permissions: { ...readManifest().permissions, security_events: "read" as const } };
const RENDER = "def page(name):\n    return Template(name).render()\n";
const SEMGREP = {
  rule: "python.lang.security.audit.template-from-input",
  path: "web/page.py",
  line: 2,
  message: "Template is built from input. Use a file instead.",
  tags: ["security"],
} as const;
const CONFIRMED = { permission: "write", association: "MEMBER" } as const;

async function play(manifest: Manifest = SCANS, config = ON) {
  harness = await openHarness({ manifest });
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
    expect(said[0]?.body).toContain("Reported by `semgrep: python.lang.security.audit.template-from-input`");

    // A push that the tool has not scanned yet closes nothing and says nothing twice.
    await world.push(first, { "web/other.py": "x = 1\n" });
    await at.settled(first);
    expect(world.comments(first).inline).toHaveLength(1);
    expect(summaryOf(at, first)).toContain("semgrep has not scanned this head yet");
    expect(summaryOf(at, first)).not.toContain("may be addressed");

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
