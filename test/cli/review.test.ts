// `kodiai review` of a real repository: what it reads, how it prints it, and how it ends.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { review } from "../../src/cli/review/review.ts";
import { UsageError } from "../../src/config/usage-error.ts";

import type { Finding } from "../../src/domain/finding.ts";
import { BACKUP, BALANCE } from "../app/change-builders.ts";
import sarifSchema from "../fixtures/sarif-2.1.0.json" with { type: "json" };
import { cloneToReview, reviewIn } from "./clone-to-review.ts";
import { ReviewJson, Sarif } from "./contract.ts";
import { type Clone, kodiai, newClone, verb } from "./kodiai.ts";

/** One major finding, and nothing else. */
const TLS_OFF = 'requests.get("https://x", verify=False, timeout=9)\n';

// Put together here, so that no scanner takes this file for a leak.
const TOKEN = ["ghp", "b7Qk2ZpXv9Lr4TnWs8Yc1HdJ6mGfA3eUo5iK"].join("_");

let clone: Clone;
let run: ReturnType<typeof reviewIn>;
beforeAll(() => {
  clone = cloneToReview();
  run = reviewIn(clone);
});
afterAll(() => clone.remove());

describe("what is read", () => {
  test("commits of HEAD since it left another revision, as JSON that keeps its contract", async () => {
    const { code, out, err } = await run(["--base", "HEAD~1", "--json"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const review = ReviewJson.parse(JSON.parse(out));
    expect(review.findings.map(({ path, line, rule, place }) => `${path}:${line} ${rule} ${place}`).toSorted()).toEqual(
      [
        "src/balance.py:5 tls-verify-disabled inline",
        "src/größe mit leerzeichen.py:3 shell-from-strings inline",
        "src/login.ts:8 weak-password-hash inline",
      ],
    );
    expect(review.heldBack.map(({ finding, reason }) => `${finding.rule}: ${reason}`)).toEqual([
      "missing-timeout: kodiai-ignore: a batch job",
    ]);
    expect(review.leftOut).toEqual([{ path: "package-lock.json", reason: "lock file" }]);
    expect(review.signals.intent).toMatchObject({ type: "feat", scope: "login" });
    expect(review.configProblems).toMatchObject([{ file: ".kodiai.yml", line: 3, column: 3, severity: "error" }]);
    expect(review.degraded).toEqual([]);
    // The same again, but for the time it took.
    const again = ReviewJson.parse(JSON.parse((await run(["--base", "HEAD~1", "--head", "HEAD", "--json"])).out));
    expect({ ...again, cost: review.cost }).toEqual(review);
  });

  test("the configuration that was used is named with its commit, and how to use that of the working tree", async () => {
    const own = newClone();
    own.write({ "a.py": "a = 1\n" });
    own.commit("Lay the ground");
    own.write({ "b.py": BALANCE });
    const used = async (...more: readonly string[]) => {
      const { configUsed } = ReviewJson.parse(JSON.parse((await reviewIn(own)(["--json", ...more])).out));
      expect((await reviewIn(own)(more)).out.split("\n")).toContain(`configuration: ${configUsed}`);
      return configUsed;
    };
    const file = ".kodiai.yml";
    expect(await used()).toBe("none found");
    own.write({ ".kodiai.yml": "rules: {tls-verify-disabled: off}\n" });
    expect(await used()).toBe(`none found; the working tree has one, which --config ${file} would use`);
    expect(await used("--config", file)).toBe(`.kodiai.yml (--config ${file})`);
    own.git("add", ".kodiai.yml");
    own.git("commit", "--quiet", "--message", "Configure");
    const place = `.kodiai.yml@${own.git("rev-parse", "HEAD").slice(0, 7)}`;
    expect(await used()).toBe(place);
    own.write({ ".kodiai.yml": "{}\n" });
    expect(await used()).toBe(`${place}; the working tree has another one, which --config ${file} would use`);
    own.remove();
  });

  test("a path that a shell would split is quoted in the command that is shown", async () => {
    const own = newClone();
    own.write({ "a.py": "a = 1\n" });
    own.commit("Lay the ground");
    const there = mkdtempSync(join(tmpdir(), "it's a "));
    execFileSync("git", ["clone", "--quiet", own.path, there]);
    writeFileSync(join(there, ".kodiai.yml"), "rules: {tls-verify-disabled: off}\n");
    const { out } = await verb(["review", "--repo", there], { cwd: own.path });
    const shown = /the working tree has one, which --config (.*) would use/.exec(out)?.[1] ?? "";
    expect(execFileSync("sh", ["-c", `cat ${shown}`], { cwd: own.path, encoding: "utf8" })).toContain("off");
    for (const path of [own.path, there]) rmSync(path, { recursive: true, force: true });
  });

  test("a file that became a link, a link that became a file, and a Git LFS pointer", async () => {
    const own = newClone();
    own.write({ "a.py": "a = 1\n", "c.py": "c = 1\n" });
    symlinkSync("a.py", join(own.path, "b.py"));
    own.commit("Lay the ground");
    for (const path of ["a.py", "b.py"]) rmSync(join(own.path, path));
    symlinkSync("c.py", join(own.path, "a.py"));
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0a".repeat(32)}\nsize 9\n`;
    own.write({ "b.py": BACKUP, "logo.png": pointer });
    const { code, out } = await reviewIn(own)(["--json", "--fail-on", "critical"]);
    const { leftOut, findings, degraded } = ReviewJson.parse(JSON.parse(out));
    expect(leftOut).toEqual([
      { path: "a.py", reason: "symbolic link" },
      { path: "logo.png", reason: "Git LFS pointer" },
    ]);
    expect([code, findings.map(({ path }) => path), degraded]).toEqual([0, ["b.py"], []]);
    own.remove();
  });

  test("a file of more than 10 MB is left out by name and not read, new, changed or committed", async () => {
    const own = newClone();
    own.write({ "a.py": "a = 1\n", "b.py": "b = 1\n" });
    own.commit("Lay the ground");
    own.write({ "b.py": "b = 1\n".repeat(2_000_000) });
    own.commit("Grow");
    // Sparse, so that it takes no disk.
    for (const path of ["a.py", "dump.py"]) {
      own.write({ [path]: "" });
      truncateSync(join(own.path, path), 1e9);
    }
    const leftOut = async (...words: readonly string[]) => {
      const { out, err } = await reviewIn(own)([...words, "--json"]);
      expect(err).toBe("");
      return ReviewJson.parse(JSON.parse(out)).leftOut;
    };
    const reason = "larger than 10 MB";
    expect(await leftOut()).toEqual([
      { path: "dump.py", reason },
      { path: "a.py", reason },
    ]);
    expect(await leftOut("--base", "HEAD~1")).toEqual([{ path: "b.py", reason: "binary" }]);
    own.remove();
  });

  test("what .gitattributes of the base marks is left out, and what only looks generated is read", async () => {
    const own = newClone();
    own.write({ ".gitattributes": "third/** linguist-vendored\n" });
    own.commit("Lay the ground");
    own.write({ ".gitattributes": "* linguist-generated\n", "third/a.py": BACKUP, "generated/b.py": BACKUP });
    own.commit("Add");
    const { out } = await verb(["review", "--base", "HEAD~1", "--json"], { cwd: own.path });
    const { findings, leftOut } = ReviewJson.parse(JSON.parse(out));
    expect(findings.map(({ path }) => path)).toEqual(["generated/b.py"]);
    expect(leftOut).toContainEqual({ path: "third/a.py", reason: "vendored (.gitattributes)" });
    own.remove();
  });

  test("what is staged, and nothing that is not", async () => {
    clone.write({ "src/staged.py": BACKUP, "src/unstaged.py": BALANCE });
    clone.git("add", "src/staged.py");
    const { code, out } = await run(["--staged", "--json"]);
    clone.git("reset", "--quiet");
    clone.write({ "src/staged.py": null, "src/unstaged.py": null });
    expect(code).toBe(0);
    expect(ReviewJson.parse(JSON.parse(out)).findings.map(({ path }) => path)).toEqual(["src/staged.py"]);
  });

  test("without arguments: uncommitted work with new files, else what HEAD adds to the default branch", async () => {
    const other = newClone();
    try {
      const at = (...words: string[]) => verb(["review", "--json", ...words], { cwd: other.path });
      const places = ({ out }: { out: string }) =>
        JSON.parse(out).findings.map(({ path, line }: Finding) => `${path}:${line}`);
      other.write({ ".gitignore": "ignored.py\n", "a.py": "import requests\n" });
      // Before the first commit everything is new.
      other.write({ "first.py": TLS_OFF });
      expect(places(await at())).toEqual(["first.py:1"]);
      other.write({ "first.py": null });
      other.commit("One");
      other.git("checkout", "--quiet", "-b", "topic");
      other.write({ "a.py": `import requests\n${TLS_OFF}`, "new.py": TLS_OFF, "ignored.py": TLS_OFF });
      const status = other.git("status", "--porcelain");
      expect(places(await at())).toEqual(["a.py:2", "new.py:1"]);
      expect(other.git("status", "--porcelain")).toBe(status);
      other.git("add", "new.py");
      const staged = await at("--staged");
      expect(places(staged)).toEqual(["new.py:1"]);
      expect(staged.err).toContain("not reviewed: unstaged changes of 1 file");
      other.commit("Two");
      expect(places(await at())).toEqual(["a.py:2", "new.py:1"]);
      expect(places(await at("main"))).toEqual(["a.py:2", "new.py:1"]);
      expect(places(await at("main..topic"))).toEqual(["a.py:2", "new.py:1"]);
      expect(places(await at("topic..main"))).toEqual([]);
    } finally {
      other.remove();
    }
  });

  test("uncommitted work starts no filter program of the configuration", async () => {
    const other = newClone();
    try {
      other.write({ "a.py": "x = 1\n", ".gitattributes": "*.py filter=mine\n" });
      other.commit("One");
      other.git("config", "filter.mine.clean", `touch ${other.path}/started`);
      other.git("config", "filter.mine.required", "true");
      other.write({ "a.py": TLS_OFF, "new.py": TLS_OFF });
      const { out } = await verb(["review", "--json"], { cwd: other.path });
      expect(JSON.parse(out).findings).toHaveLength(2);
      expect(existsSync(`${other.path}/started`)).toBe(false);
    } finally {
      other.remove();
    }
  });

  test("a range in a repository whose HEAD has no commit, and a sentence where no change is named", async () => {
    const other = newClone();
    try {
      other.write({ "a.py": "x = 1\n" });
      other.commit("One");
      other.write({ "a.py": TLS_OFF });
      other.commit("Two");
      other.git("update-ref", "refs/pull/1/head", "HEAD");
      other.git("symbolic-ref", "HEAD", "refs/heads/unborn");
      const range = ["--base", "refs/pull/1/head~1", "--head", "refs/pull/1/head"];
      const { out } = await verb(["review", "--json", ...range], { cwd: other.path });
      expect(JSON.parse(out).findings).toHaveLength(1);
      other.git("rm", "--quiet", "--cached", "a.py");
      other.write({ "a.py": null });
      other.git("update-ref", "-d", "refs/heads/main");
      expect(await verb(["review"], { cwd: other.path })).toMatchObject({
        code: 2,
        err: expect.stringContaining("no uncommitted work, and no default branch"),
      });
    } finally {
      other.remove();
    }
  });

  test("no limit of comments: every finding is shown where it is, worst first", async () => {
    const lines = Array.from({ length: 14 }, (_, at) => `requests.get("https://x${at}", verify=False)\n`).join("");
    const diff = `--- /dev/null\n+++ b/many.py\n@@ -0,0 +1,14 @@\n${lines.replaceAll(/^(?=.)/gm, "+")}`;
    const { out } = await verb(["review", "--diff", "-"], { cwd: "/", stdin: diff });
    const severities = [...out.matchAll(/^(major|medium) /gm)].map(([, severity]) => severity);
    expect(severities).toEqual([...Array(14).fill("major"), ...Array(14).fill("medium")]);
    expect(out).not.toContain("over the limit");
  });

  test("a diff from a file or from standard input, with frames from its hunks", async () => {
    const diff = clone.git("diff", "HEAD~1", "--", "src/login.ts");
    clone.write({ "change.diff": diff });
    // As PowerShell writes `git diff > windows.diff`.
    const windows = Buffer.from(`\ufeff${diff.replaceAll("\n", "\r\n")}`, "utf16le");
    clone.write({ "windows.diff": windows, "zip.diff": Buffer.from("PK\0\0") });
    const [file, piped, wide, binary] = await Promise.all([
      run(["--diff", "change.diff"]),
      run(["--diff", "-"], { stdin: diff }),
      run(["--diff", "windows.diff"]),
      run(["--diff", "zip.diff"]),
    ]);
    clone.write({ "change.diff": null, "windows.diff": null, "zip.diff": null });
    expect(wide.out).toContain("weak-password-hash\n  src/login.ts:8");
    expect(binary).toMatchObject({
      code: 2,
      err: expect.stringContaining("zip.diff holds no text; write it as UTF-8"),
    });
    const timeless = (text: string) => text.replace(/\d+ ms/, "N ms");
    expect(timeless(piped.out)).toBe(timeless(file.out));
    expect(piped.out).toContain('> 8 |   return createHash("md5").update(password).digest("hex");');
    // The clone holds the file as the diff leaves it.
    expect(piped.out).not.toContain("degraded");
  });

  test("an empty range and an empty diff", async () => {
    const [range, diff] = await Promise.all([run(["--base", "HEAD"]), run(["--diff", "-"])]);
    expect(range).toMatchObject({
      code: 0,
      out: expect.stringContaining("Nothing to review: no file was changed; 0 left out"),
      err: '"HEAD" has no commit that "HEAD" lacks; there is no uncommitted work either: name the commit that the work began at\n',
    });
    expect(diff).toMatchObject({
      code: 0,
      out: expect.stringContaining("Nothing to review: no file was changed; 0 left out"),
      err: "",
    });
  });

  test("a range that misses what was meant says so: uncommitted work, and the default branch's own name", async () => {
    const other = newClone();
    try {
      other.write({ "a.py": "import requests\n" });
      other.commit("One");
      other.git("branch", "--quiet", "--move", "main", "master");
      other.write({ "a.py": `import requests\n${TLS_OFF}` });
      const at = (...words: string[]) => verb(["review", ...words], { cwd: other.path });
      const [missing, remote, empty, explained, none, unknown] = await Promise.all([
        at("--base", "main"),
        at("origin/main..HEAD"),
        at("--base", "master"),
        verb(["explain", "master"], { cwd: other.path }),
        at(),
        at("topic"),
      ]);
      const said = '"main" is not a commit of this repository; its default branch is "master"\n';
      expect(missing).toMatchObject({ code: 3, err: expect.stringContaining(said) });
      expect(remote.err).toContain(said.replace("main", "origin/main"));
      const hint =
        '"HEAD" has no commit that "master" lacks; uncommitted work is no part of this range: name no base to review it';
      expect(empty).toMatchObject({ code: 0, err: `${hint}\n` });
      expect(explained.err).toContain(hint);
      expect(none).toMatchObject({ code: 0, out: expect.stringContaining("a.py:2"), err: "" });
      expect(unknown.err).toMatch(/"topic" is not a commit of this repository\n$/);
    } finally {
      other.remove();
    }
  });
});

describe("how it is printed", () => {
  test("pretty: code frames, then what was left unsaid", async () => {
    const { out } = await run(["--base", "HEAD~1"]);
    expect(out).toContain(
      [
        "major Password is hashed with a fast hash weak-password-hash",
        "  src/login.ts:8",
        "    7 | export function hashPassword(password: string): string {",
        '  > 8 |   return createHash("md5").update(password).digest("hex");',
        "    9 | }",
      ].join("\n"),
    );
    expect(out).toContain("held back (1)\n  src/done.py:2 missing-timeout: kodiai-ignore: a batch job");
    expect(out).toContain("left out (1)\n  package-lock.json: lock file");
    expect(out).toContain("configuration (1)\n  .kodiai.yml:3:3: error: review.maxComents: unknown key");
    expect(out).toMatch(/\n3 major findings open\. 4 files reviewed, 1 left out; \d+ ms, no model\n$/);
    expect(out.split("\n").filter((line) => line !== line.trimEnd())).toEqual([]);
  });

  test("colours where they are wanted, none where NO_COLOR is set", async () => {
    const words = ["review", "--base", "HEAD~1"];
    const [forced, none] = await Promise.all([
      kodiai(words, { cwd: clone.path, env: { FORCE_COLOR: "1" } }),
      kodiai(words, { cwd: clone.path, env: { NO_COLOR: "1" } }),
    ]);
    expect(forced.out).toContain("\u001b[31m");
    expect(none.out).not.toContain("\u001b");
  });

  test("md: the summary and the comments as they would be on GitHub [005-09]", async () => {
    const { out } = await run(["--base", "HEAD~1", "--format", "md"]);
    expect(out).toMatch(/^\*\*3 major findings open\*\*\n\nAll inline\.\n/);
    expect(out).toContain("### `src/login.ts:8`");
    expect(out).toContain("<sub>Cost: no model used");
    expect(out).not.toContain("<!--");
  });

  test("sarif: what SARIF 2.1.0 requires, held-back findings as suppressed results", async () => {
    const { out } = await run(["--base", "HEAD~1", "--format", "sarif"]);
    const ajv = new Ajv({ strict: false, unicodeRegExp: false });
    (formats as unknown as { default: (ajv: Ajv) => void }).default(ajv);
    const valid = ajv.compile(sarifSchema);
    expect(valid(JSON.parse(out)), JSON.stringify(valid.errors)).toBe(true);
    const { runs } = Sarif.parse(JSON.parse(out));
    const { results, tool } = runs[0];
    expect(results.map(({ ruleId }) => ruleId).toSorted()).toEqual([
      "missing-timeout",
      "shell-from-strings",
      "tls-verify-disabled",
      "weak-password-hash",
    ]);
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    expect(results.filter(({ suppressions }) => suppressions !== undefined).map(({ ruleId }) => ruleId)).toEqual([
      "missing-timeout",
    ]);
    const uris = results.map(({ locations }) => decodeURIComponent(locations[0].physicalLocation.artifactLocation.uri));
    expect(uris).toContain("src/größe mit leerzeichen.py");
  });

  test("a suggestion is a small diff in pretty and a fix in SARIF, and --apply writes it where its lines still stand", async () => {
    const own = newClone();
    const edit = (...lines: readonly string[]) => `${lines.join("\n")}\n`;
    try {
      own.write({ "README.md": "# Shop\n" });
      own.commit("Lay the ground");
      const asked = 'reply = requests.get("https://a.example.com")';
      own.write({ "a.py": edit("import requests", asked, "print(reply)"), "b.py": edit("import requests", asked) });
      own.commit("feat: ask");
      const again = reviewIn(own);
      const words = ["--base", "HEAD~1"];
      const pretty = await again(words);
      expect(pretty.out).toMatch(/\n {4}- reply = requests\.get\(.*\)\n {4}\+ reply = requests\.get\(.*, timeout=10\)/);
      const { runs } = Sarif.parse(JSON.parse((await again([...words, "--format", "sarif"])).out));
      expect(runs[0].results[0]).toMatchObject({
        fixes: [
          {
            artifactChanges: [
              {
                artifactLocation: { uri: "a.py" },
                replacements: [
                  {
                    deletedRegion: { startLine: 2, endLine: 2 },
                    insertedContent: { text: 'reply = requests.get("https://a.example.com", timeout=10)' },
                  },
                ],
              },
            ],
          },
        ],
      });
      expect(runs[0].tool.driver.rules.map(({ helpUri }) => helpUri)).toEqual([
        expect.stringMatching(/docs\/rules\.md#missing-timeout$/),
      ]);

      expect(await again([...words, "--apply"])).toMatchObject({ code: 2, err: expect.stringContaining("add --yes") });
      own.write({ "b.py": edit("import requests", "reply = None") });
      const { code, err } = await again([...words, "--apply", "--yes"]);
      expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("applied 1 suggestion to a.py") });
      expect(err).toContain("not applied: b.py:2: the working tree has other lines there than those reviewed");
      const changed = 'reply = requests.get("https://a.example.com", timeout=10)';
      expect(readFileSync(join(own.path, "a.py"), "utf8")).toBe(edit("import requests", changed, "print(reply)"));
      expect(readFileSync(join(own.path, "b.py"), "utf8")).toBe(edit("import requests", "reply = None"));
    } finally {
      own.remove();
    }
  });

  test("--apply writes through no link, and not outside of the working tree", async () => {
    const own = newClone();
    const outside = newClone();
    try {
      const text = 'import requests\nreply = requests.get("https://a.example.com")\n';
      own.write({ "README.md": "# Shop\n" });
      own.commit("Lay the ground");
      own.write({ "deep/a.py": text });
      own.commit("feat: ask");
      outside.write({ "a.py": text });
      rmSync(join(own.path, "deep"), { recursive: true });
      symlinkSync(outside.path, join(own.path, "deep"));
      const { err } = await verb(["review", "--repo", own.path, "--base", "HEAD~1", "--apply", "--yes"], {
        cwd: "/",
      });
      expect(err).toContain("is a link, through which nothing is written");
      expect(readFileSync(join(outside.path, "a.py"), "utf8")).toBe(text);
    } finally {
      own.remove();
      outside.remove();
    }
  });

  test("no format shows a secret, nor does explain", async () => {
    const diff = [
      "diff --git a/src/client.py b/src/client.py",
      "new file mode 100644",
      "--- /dev/null",
      "+++ b/src/client.py",
      "@@ -0,0 +1,2 @@",
      `+TOKEN = "${TOKEN}"`,
      "+print(TOKEN)",
      "",
    ].join("\n");
    const all = [["review"], ["review", "--format", "sarif"], ["explain"], ["explain", "--json"]];
    for (const words of all) {
      const { out, err } = await verb([...words, "--diff", "-"], { cwd: clone.path, stdin: diff });
      expect(out).toContain(words[0] === "explain" ? "src/client.py" : "leaked-secret");
      expect(out + err).not.toContain(TOKEN);
      if (words.length === 1 && words[0] === "review") expect(out).toContain('> 1 | TOKEN = "‹redacted:github-token›"');
    }
  });
});

describe("how it ends", () => {
  const end = (...words: string[]) => kodiai(["review", ...words], { cwd: clone.path });

  test.each([
    ["critical", 0],
    ["major", 1],
  ])("with --fail-on %s: %i", async (severity, code) => {
    expect((await end("--base", "HEAD~1", "--fail-on", severity)).code).toBe(code);
  });

  test("with 2 and one line that says what to write", async () => {
    const { code, out, err } = await end("--stagd");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toBe("kodiai review: Unknown option '--stagd'; did you mean --staged?\n");
  });

  test.each<[string, readonly string[], RegExp]>([
    ["two changes", ["--staged", "--base", "HEAD~1"], /^--base and --staged exclude each other$/],
    ["a range and a diff", ["main", "--diff", "x.diff"], /^"main" and --diff exclude each other$/],
    ["more words than one", ["main", "topic"], /^unexpected argument "topic"$/],
    [
      "an unknown format",
      ["--base", "HEAD~1", "--format", "xml"],
      /--format takes one of pretty, md, json, sarif, not "xml"/,
    ],
    ["an unknown severity", ["--base", "HEAD~1", "--fail-on", "bad"], /--fail-on takes one of critical, major/],
    ["an option without its value", ["--base"], /--base/],
    ["a diff that is not there", ["--diff", "nowhere.diff"], /nowhere\.diff cannot be read/],
    ["a repository that is not there", ["--base", "HEAD", "--repo", "/nowhere"], /--repo \/nowhere is not a folder/],
    ["an address that is no pull request", ["https://github.com/acme"], /is not the URL of a pull request/],
    ["a pull request without a token", ["https://github.com/acme/shop/pull/1"], /set GITHUB_TOKEN/],
  ])("as a mistake of usage for %s", async (_name, words, says) => {
    delete process.env.GITHUB_TOKEN;
    const error = await review(words).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(says);
    expect((error as Error).message).not.toContain("\n");
  });

  test("with 3 for a revision that is not there, also when it looks like an option", async () => {
    const revision = `--output=${clone.path}/canary`;
    const { code, out, err } = await end(`--base=${revision}`);
    expect({ code, out }).toEqual({ code: 3, out: "" });
    expect(err).toBe(
      `kodiai review: could not finish: ${JSON.stringify(revision)} is not a commit of this repository\n`,
    );
    expect(existsSync(`${clone.path}/canary`)).toBe(false);
  });

  test("with 3 outside a repository, but a diff needs none", async () => {
    const diff = clone.git("diff", "HEAD~1", "--", "src/login.ts");
    const [range, staged, piped] = await Promise.all([
      verb(["review", "--base", "HEAD~1"], { cwd: "/" }),
      verb(["review", "--staged"], { cwd: "/" }),
      verb(["review", "--diff", "-"], { cwd: "/", stdin: diff }),
    ]);
    for (const { code, err } of [range, staged]) {
      expect(code).toBe(3);
      expect(err).toMatch(/could not finish: not a git repository/);
    }
    expect(piped).toMatchObject({ code: 0, out: expect.stringContaining("weak-password-hash") });
  });
});

test("a place that has nothing to read says what to do: no clone, a bare repository, no commit", async () => {
  const at = mkdtempSync(join(tmpdir(), "kodiai-places-"));
  try {
    for (const words of [["--bare", "store.git"], ["empty"]])
      execFileSync("git", ["init", "-q", ...words], { cwd: at });
    const said = async (folder: string, verb = "review") =>
      (await kodiai([verb, "--repo", join(at, folder)], { cwd: "/" })).err;
    const [none, bare, empty, index] = await Promise.all([
      ...["", "store.git", "empty"].map((one) => said(one)),
      said("empty", "index"),
    ]);
    expect(none).toContain("; run it in a clone, or name one: --repo PATH");
    expect(bare).toContain("; a bare repository has no files of its own: name a revision to compare with");
    expect(empty).toContain("name a base: kodiai review REV (without any commit: add a file first)");
    expect(index).toContain("; there is no commit yet: make one first");
  } finally {
    rmSync(at, { recursive: true });
  }
});

test("the example of docs/review-json.md is what the same change gives", async () => {
  const page = readFileSync(new URL("../../docs/review-json.md", import.meta.url), "utf8");
  const example = ReviewJson.parse(JSON.parse(/```json\n([\s\S]*?)\n```/.exec(page)?.[1] ?? ""));
  const other = newClone();
  try {
    other.write({ "client.py": "import requests\n" });
    other.commit("Lay the ground");
    other.write({ "client.py": BALANCE, "package-lock.json": '{"lockfileVersion": 3}\n' });
    other.commit("feat(bank): ask for the balance");
    const { out } = await verb(["review", "--base", "HEAD~1", "--json"], { cwd: other.path });
    expect({ ...ReviewJson.parse(JSON.parse(out)), cost: example.cost }).toEqual(example);
  } finally {
    other.remove();
  }
});
