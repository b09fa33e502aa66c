// The documents: links lead somewhere, commands do what they say, figures are those that were
// measured.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BACKUP } from "./app/change-builders.ts";
import { type Clone, type Ended, newClone, verb } from "./cli/kodiai.ts";
import { ELSEWHERE, NOT_RUN } from "./docs/commands.ts";
import { anchorsOf, commandsOf, PAGES, relativeLinks, textOf } from "./docs/markdown.ts";
import { type GitHubWorld, startGitHub } from "./fakes/github/github.ts";

test.each(PAGES)("every link of %s leads to a file and a heading that are there", (page) => {
  const broken = relativeLinks(page).filter((target) => {
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? page : normalize(join(dirname(page), path));
    if (!existsSync(file)) return true;
    return anchor !== undefined && anchor !== "" && file.endsWith(".md") && !anchorsOf(file).has(anchor);
  });
  expect(broken).toEqual([]);
});

test("the index names every page of docs/", () => {
  const named = new Set(relativeLinks("docs/README.md").map((target) => join("docs", target)));
  expect(PAGES.filter((page) => page.startsWith("docs/") && page !== "docs/README.md" && !named.has(page))).toEqual([]);
});

test("the page about memory has the figures that eval/README.md measured", () => {
  const measured = textOf("eval/README.md");
  const page = textOf("docs/memory.md");
  const said = [...page.matchAll(/(?<![\d.])\.\d{3}\b/g)].map(([figure]) => figure);
  expect(said.length).toBeGreaterThanOrEqual(10);
  expect(said.filter((figure) => !measured.includes(figure))).toEqual([]);
  const shares = [...page.matchAll(/(\d+\.\d) %/g)].map(([, share]) =>
    (Number(share) / 100).toFixed(3).replace(/^0/, ""),
  );
  expect(shares.filter((share) => !measured.includes(share))).toEqual([]);
  for (const count of ["247", "661", "3,217"])
    expect([page.includes(count), measured.includes(count)]).toEqual([true, true]);
});

/**
 * Pages whose `sh` blocks are what a rule is about, and the script that test/docs/pre-push.test.ts
 * runs.
 */
const NOT_COMMANDS = ["docs/rules.md", "docs/walkthrough.md", "docs/pre-push.md"];
const commands = [
  ...new Set(
    ["README.md", ...PAGES.filter((page) => page.startsWith("docs/") && !NOT_COMMANDS.includes(page))]
      .flatMap(commandsOf)
      .flatMap((line) => line.split(" && ")),
  ),
];
const OURS = /^(?:GITHUB_TOKEN=\S+ )?(?:npm run -s kodiai -- |kodiai )(.+)$/;
const runHere = commands.filter((line) => OURS.test(line) && !ELSEWHERE.has(line));

test("every command of README.md and docs/ is run here or by a named test, or is listed with the reason why not", () => {
  const orphans = commands.filter((line) => {
    const ways = [
      OURS.test(line) && !ELSEWHERE.has(line),
      ELSEWHERE.has(line),
      NOT_RUN.some(({ command }) => command.test(line)),
    ];
    return ways.filter(Boolean).length !== 1;
  });
  expect(orphans).toEqual([]);
  expect([...ELSEWHERE.keys()].filter((line) => !commands.includes(line))).toEqual([]);
  expect(NOT_RUN.filter(({ command }) => !commands.some((line) => command.test(line)))).toEqual([]);
  const absent = [...ELSEWHERE.values()].filter(
    ({ test: file, says }) => !existsSync(file) || !readFileSync(file, "utf8").includes(says),
  );
  expect(absent).toEqual([]);
});

describe("run as written", () => {
  let world: GitHubWorld;
  let clone: Clone;
  let folder: string;
  let ended: ReadonlyMap<string, Ended>;
  beforeAll(async () => {
    world = await startGitHub();
    folder = mkdtempSync(join(tmpdir(), "kodiai-docs-"));
    const shop = await world.repository("acme", "shop", { files: { "src/charge.py": "def charge():\n    pass\n" } });
    world.person("rae", { permission: "write", association: "MEMBER" });
    const pull = await world.pullRequest(shop, { title: "feat: retry", files: { "src/retry.py": "RETRIES = 3\n" } });
    await world.comment(
      pull,
      "rae",
      "Please retry a charge with the same idempotency key, else the customer pays twice.",
    );
    await world.closePull(pull, { merged: true });
    clone = newClone();
    clone.write({ "README.md": "# Shop\n\nRetry a charge with the same idempotency key.\n" });
    clone.commit("Lay the ground");
    clone.git("switch", "--quiet", "--create", "back-up");
    clone.write({ "ops/backup.py": BACKUP });
    clone.commit("feat(ops): back up");
    writeFileSync(join(folder, "change.diff"), clone.git("diff", "main", "back-up"));
    clone.write({ "ops/restore.py": BACKUP });
    clone.git("add", "--all");
    writeFileSync(join(folder, "checked.yml"), "preset: quiet\n");
    ended = await runAll();
  });
  afterAll(async () => {
    clone.remove();
    rmSync(folder, { recursive: true, force: true });
    await world.close();
  });

  /** What stands for the capital words of a command. */
  function wordsOf(line: string): readonly string[] {
    const file = line.includes("--diff")
      ? "change.diff"
      : line.includes("config check")
        ? "checked.yml"
        : "export.jsonl";
    const text = OURS.exec(line)?.[1] ?? "";
    return [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare = ""]) => {
      const given = new Map([
        ["PATH", clone.path],
        ["FILE", join(folder, file)],
        ["DIR", join(folder, "copy")],
        ["OWNER/NAME", "acme/shop"],
      ]);
      return quoted ?? given.get(bare) ?? bare;
    });
  }

  async function run(line: string): Promise<readonly [string, Ended]> {
    const env = {
      KODIAI_DATA_DIR: join(folder, "data"),
      ...(line.startsWith("GITHUB_TOKEN=")
        ? { GITHUB_TOKEN: world.personalToken("lena"), GITHUB_API_URL: world.apiUrl }
        : {}),
    };
    return [line, await verb(wordsOf(line), { cwd: folder, env })];
  }

  /** What becomes memory first, since others look at it; then two at a time. */
  async function runAll(): Promise<ReadonlyMap<string, Ended>> {
    const isFirst = (line: string) => / (?:import OWNER\/NAME|index --repo PATH)$/.test(line);
    const done = [];
    for (const line of runHere.filter(isFirst)) done.push(await run(line));
    const rest = runHere.filter((line) => !isFirst(line));
    const next = async () => {
      for (let line = rest.shift(); line !== undefined; line = rest.shift()) done.push(await run(line));
    };
    await Promise.all([next(), next()]);
    return new Map(done);
  }

  test("commands are many, and each ends as it should, with nothing on standard error that it does not explain", () => {
    expect(ended.size).toBeGreaterThan(15);
    const wrong = [...ended].filter(([line, { code }]) => code !== (line.includes("--fail-on") ? 1 : 0));
    expect(wrong).toEqual([]);
  });

  test("what they print is about what they say", () => {
    const out = (part: string) => [...ended].find(([line]) => line.includes(part))?.[1].out ?? "";
    expect(out("review HEAD~1 --repo PATH")).toContain("shell-from-strings");
    expect(out("config show --repo PATH")).toMatch(/\d+ keys at the default/);
    expect(out("config check FILE")).toContain("no problems");
    expect(out('search "retry a charge" --repo OWNER/NAME')).toContain("idempotency key");
    expect(out("replay")).toMatch(/pull request/);
    expect(readFileSync(join(clone.path, ".kodiai.yml"), "utf8")).toContain("preset: quiet");
    expect(existsSync(join(folder, "copy"))).toBe(true);
  });
});
