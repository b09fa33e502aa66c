// Texts that nobody here wrote, in every place where a stranger can put text: reviewed or refused,
// never a crash or a hang.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { Review } from "../../src/domain/review.ts";
import { reviewMarkdown } from "../../src/publish/publish.ts";
import { aPull, HEAD } from "../fakes/pull-requests.ts";
import { openHarness } from "./app-harness.ts";
import { BACKUP, said, summaryOf } from "./change-builders.ts";
import { addedFile, type Change, reviewed, reviewOf } from "./pipeline.ts";

const SHARED = resolve(process.cwd(), "../shared/bad-inputs");
const isHere = existsSync(SHARED);
if (!isHere) console.warn(`skipped: the corpora of bad inputs are not there (${SHARED})`);

function linesOf(file: string): string[] {
  return readFileSync(join(SHARED, file), "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

function naughty(): string[] {
  return JSON.parse(readFileSync(join(SHARED, "naughty-strings/blns.json"), "utf8")) as string[];
}

/** What the rows of a list hold. */
function encoded(file: string): Buffer[] {
  return linesOf(file).map((line) => Buffer.from((JSON.parse(line) as { b64: string }).b64, "base64"));
}

/** Lines of every text file of the fuzzdb selection. */
function fuzz(): string[] {
  const files = readdirSync(join(SHARED, "fuzzdb"), { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".txt")).flatMap((file) => linesOf(join("fuzzdb", file)));
}

/**
 * The review can be written down and read back, and its comment is a text that GitHub would take.
 */
export function expectSound(review: Review): void {
  expect(JSON.parse(JSON.stringify(review))).toEqual(review);
  const markdown = reviewMarkdown(review);
  expect(markdown.isWellFormed()).toBe(true);
  expect(markdown).not.toMatch(/[\u202A-\u202E\u2066-\u2069\0]/);
}

/**
 * The suite.
 *
 * @param every how many texts go by for one that is tried
 */
export function badInputs(every: number): void {
  describe.runIf(isHere)("hostile texts from public corpora", () => {
    const some = <T>(all: readonly T[]): readonly T[] => all.filter((_, at) => at % every === 0);

    test("appear as title, body, branch, label and login of a pull request", async () => {
      const refs = linesOf("refs/branch_names.jsonl").map((line) => (JSON.parse(line) as { ref: string }).ref);
      for (const text of some([...naughty(), ...fuzz(), ...refs])) {
        const pull = aPull({
          title: text,
          body: `${text}\n\nFixes ${text}`,
          labels: [text],
          author: { login: text, id: 1, type: "User", association: text },
          head: { ref: text, sha: HEAD, repo: text },
          commits: [{ sha: HEAD, message: `${text}\n\n${text}` }],
        });
        const review = await reviewOf({ world: { pull }, job: { explicit: true } });
        if (typeof review !== "string") expectSound(review);
      }
    });

    test("appear as file names, each of which is reviewed or left out by that very name [T23]", async () => {
      const names = [...naughty(), ...linesOf("paths/pat_directory_traversal.txt"), ...fuzz()];
      const paths = some([...new Set(names.flatMap((name) => [name, `src/${name}/index.ts`]))]);
      for (let at = 0; at < paths.length; at += 500) {
        const part = paths.slice(at, at + 500);
        // Rules read every tenth; for the others the walk is the same, and quicker.
        const files = part.map((path, index) => ({
          ...addedFile("x", "eval(input)\n"),
          path,
          ...(index % 10 === 0
            ? {}
            : ({ status: "modified", patch: "@@ -1,2 +1 @@\n-eval(input)\n x", additions: 0, deletions: 1 } as const)),
        }));
        const world = { changes: { kind: "listing", files, total: files.length } } as const;
        const review = await reviewed({ world });
        const reported = [...review.reviewed, ...review.leftOut.map(({ path }) => path)];
        expect(reported.toSorted()).toEqual(part.toSorted());
        expectSound(review);
      }
    });

    test("appear in the lines of changed files in every language", async () => {
      const lines = some([...naughty(), ...fuzz()]);
      // A quarter each: every line is read by several grammars, and the slow ones do not decide how
      // long this takes.
      const quarter = (index: number) => lines.filter((_, at) => at % 4 === index % 4).join("\n");
      const endings = ["py", "ts", "tsx", "go", "java", "rb", "rs", "php", "sql", "yml", "sh", "md", "json", "tf"];
      const files = endings.map((ending, index) => [`src/a.${ending}`, quarter(index)] as const);
      expectSound(await reviewed({ files: Object.fromEntries([...files, ["Dockerfile", quarter(0)]]) }));
    });

    test("hidden characters in code are spoken about and shown", async () => {
      const samples = linesOf("trojan-source/samples.jsonl").map(
        (line) => JSON.parse(line) as { path: string; bidi_or_invisible: string[]; content: string },
      );
      const files = Object.fromEntries(samples.map(({ path, content }) => [path, content]));
      const review = await reviewed({ files, config: "review: {profile: thorough, maxComments: 20}" });
      expectSound(review);
      const spoken = new Set([...review.findings, ...review.heldBack].map(({ finding }) => finding.path));
      const bidi = samples.filter(({ content }) => /[\u202A-\u202E\u2066-\u2069]/.test(content));
      expect(bidi.filter(({ path }) => !spoken.has(path)).map(({ path }) => path)).toEqual([]);
    });

    test("appear as the configuration, whose mistakes are reported [T22]", async () => {
      const texts = ["yaml-bombs", "js-yaml-load-errors", "yaml-test-suite"].flatMap((name) =>
        encoded(`yaml/${name}.jsonl`).map((bytes) => bytes.toString()),
      );
      expect(texts.length).toBe(417);
      for (const config of some([...texts, ...naughty()])) {
        const review = await reviewOf({ config, job: { explicit: true } } satisfies Change);
        if (typeof review === "string") throw new Error(review);
        expectSound(review);
        // One place tells of the file, however much is wrong with it.
        expect(reviewMarkdown(review).split("**Problems in `.kodiai.yml`:**").length).toBeLessThanOrEqual(2);
      }
    });

    test("appear as the diff itself", async () => {
      const folder = join(SHARED, "diffs/unidiff");
      const known = readdirSync(folder).map((file) => readFileSync(join(folder, file), "latin1"));
      for (const text of some([...known, ...naughty(), ...known.map((diff) => diff.slice(0, diff.length / 2))])) {
        expectSound(await reviewed({ world: { changes: { kind: "unified", text } } }));
      }
    });

    test("go the whole way through the app", async () => {
      const harness = await openHarness();
      try {
        const files = { "README.md": "# Shop\n" };
        const repository = await harness.world.repository("acme", "shop", { files });
        const texts = naughty().filter((text) => text.trim().length > 3 && text.isWellFormed());
        // Every fortieth at most: the pipeline has seen them all.
        for (const [at, text] of texts.filter((_, index) => index % (40 * every) === 7).entries()) {
          const name = text.replace(/[/\0]/g, "_").slice(0, 60);
          const pull = await harness.world.pullRequest(repository, {
            title: text,
            body: text,
            branch: `naughty-${at}`,
            files: { [`src/${at}-${name}.py`]: BACKUP, "notes.md": `${text}\n` },
          });
          const job = await harness.settled(pull);
          expect(job).toMatchObject({ state: "done" });
          if (job.outcome?.startsWith("skipped") === true) continue;
          expect(said(harness.world, pull)).toHaveLength(1);
          expect(summaryOf(harness.world, pull).body).toMatch(/^\*\*1 \w+ finding open\*\*/);
        }
        // And as bodies of deliveries, signed as if they were GitHub's.
        const bodies = encoded("json/jsontestsuite.jsonl").map((bytes) => bytes.toString());
        expect(bodies.length).toBe(340);
        const statuses = new Set<number | null>();
        for (const body of [...some(bodies), "[".repeat(100_000), `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`]) {
          statuses.add((await harness.world.deliver("pull_request", body)).status);
        }
        expect([...statuses].filter((status) => status === null || status >= 500)).toEqual([]);
        expect((await fetch(`${harness.url()}/healthz`)).status).toBe(200);
        expect(harness.world.violations).toEqual([]);
      } finally {
        await harness.close();
      }
    });
  });
}
