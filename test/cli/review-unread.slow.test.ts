// kodiai review where it cannot read something: it says what, in every format.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cloneToReview, reviewIn } from "./clone-to-review.ts";
import { ReviewJson, Sarif } from "./contract.ts";
import { type Clone, kodiai, newClone } from "./kodiai.ts";

let clone: Clone;
let run: ReturnType<typeof reviewIn>;
beforeAll(() => {
  clone = cloneToReview();
  run = reviewIn(clone);
});
afterAll(() => clone.remove());

describe("what could not be read is said", () => {
  test.each([
    ["a text that is no diff", "# Shop\n\nBuy things.\n"],
    ["a file of the diff that cannot be read", "diff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n"],
  ])("%s was not reviewed: exit 3, in every format", async (_what, text) => {
    const diff = ["--diff", "-", "--fail-on", "minor"];
    const [pretty, json, md, log] = await Promise.all(
      ["pretty", "json", "md", "sarif"].map((format) => run([...diff, "--format", format], { stdin: text })),
    );
    for (const ended of [pretty, json, md, log]) {
      expect(ended).toMatchObject({ code: 3, err: expect.stringMatching(/^kodiai review: not reviewed: .*diff/) });
    }
    expect(pretty?.out).toContain("Nothing was reviewed: the diff could not be read");
    expect(md?.out).toMatch(/^\*\*Nothing was reviewed\*\*: the diff could not be read\./);
    expect(ReviewJson.parse(JSON.parse(json?.out ?? ""))).toMatchObject({
      verdict: "Nothing was reviewed: the diff could not be read",
      degraded: [{ part: "diff" }],
    });
    const { runs } = Sarif.parse(JSON.parse(log?.out ?? ""));
    expect(runs[0].invocations[0]).toMatchObject({
      executionSuccessful: false,
      toolExecutionNotifications: [{ level: "error" }, { level: "note" }],
    });
  });

  test("a store that cannot be opened is degraded, in the output and on standard error", async () => {
    const file = join(clone.path, ".git", "HEAD");
    const words = ["--base", "HEAD~1", "--data-dir", file];
    const [json, md, search] = await Promise.all([
      run([...words, "--json"]),
      run([...words, "--format", "md"]),
      kodiai(["search", "prices", "--data-dir", file], { cwd: clone.path }),
    ]);
    const fix = "set KODIAI_DATA_DIR or --data-dir to a folder that can";
    const degraded = { part: "memory", reason: `the data folder HEAD cannot be read (ENOTDIR); ${fix}` };
    expect(ReviewJson.parse(JSON.parse(json.out)).degraded).toContainEqual(degraded);
    expect(json).toMatchObject({ code: 0, err: `kodiai review: degraded: memory: ${degraded.reason}\n` });
    expect(md.out).not.toContain("nothing remembered yet");
    expect(search).toMatchObject({ code: 3, err: expect.stringContaining(`${file} cannot be read (ENOTDIR); ${fix}`) });
  });

  test("a diff of another repository says once what is missing, and names no commit of the folder it is read in", async () => {
    const diff = clone.git("diff", "HEAD~1", "--", "src");
    const other = newClone();
    try {
      other.write({ "README.md": "# Till\n", ".kodiai.yml": "review:\n  maxComents: 3\n" });
      other.commit("Another project");
      const read = (format: string) =>
        kodiai(["review", "--diff", "-", "--format", format], { cwd: other.path, stdin: diff });
      const [json, md] = await Promise.all([read("json"), read("md")]);
      const { degraded, configProblems } = ReviewJson.parse(JSON.parse(json.out));
      expect(degraded).toEqual([
        { part: "head-text", reason: expect.stringMatching(/^the diff applies to no clone here/) },
      ]);
      expect(configProblems).toEqual([]);
      expect(md.out).not.toContain(other.git("rev-parse", "HEAD").slice(0, 7));
      expect(md.out).not.toMatch(/`f{7}`|`0{7}`/);
      expect(md.out).toContain("Reviewed a change that is not committed.");
    } finally {
      other.remove();
    }
  });

  test("without a model and without a finding, every format says that no model read it [005-09]", async () => {
    const words = ["--base", "HEAD~1", "--model", "off"];
    const quiet = newClone();
    try {
      quiet.write({ "a.md": "# A\n" });
      quiet.commit("One");
      quiet.write({ "a.md": "# A\n\nMore.\n" });
      quiet.commit("docs: more");
      const outs = await Promise.all(
        ["pretty", "json", "md", "sarif"].map(async (format) => {
          const { out } = await kodiai(["review", ...words, "--format", format], { cwd: quiet.path });
          return out.replaceAll("**", "");
        }),
      );
      for (const out of outs) {
        expect(out).toContain("No rule fired in 1 file; no model read it");
        expect(out).not.toMatch(/no findings/i);
      }
    } finally {
      quiet.remove();
    }
  });
});
