// Published patterns that freeze a backtracking matcher, in every place where a repository writes
// patterns, against the texts that freeze them: all are linear with us, or refused with a word in
// the summary.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, test } from "vitest";
import { aPull } from "../fakes/pull-requests.ts";
import { addedFile, reviewed } from "./pipeline.ts";

const FILE = resolve(process.cwd(), "../shared/bad-inputs/redos/regexlib_redos.jsonl");
const isHere = existsSync(FILE);
if (!isHere) console.warn(`skipped: the corpus of patterns is not there (${FILE})`);
const NIGHTLY = process.env.NIGHTLY === "1";
if (!NIGHTLY)
  console.warn(
    "skipped: 13 of 14 groups of the patterns that freeze matchers, and 80 kB of each attack; NIGHTLY=1 runs all",
  );

const LENGTH = NIGHTLY ? 100_000 : 20_000;
const GROUP = 25;
/** Ten times the two seconds that all matching of a review may take. */
const WATCHDOG_MS = 20_000;

interface Row {
  readonly pattern: string;
  readonly attack: readonly (readonly [text: string, isRepeated: boolean])[];
}

/** The attack, its repeated piece as often as it takes to be this long. */
function attackOf({ attack }: Row): string {
  const fixed = attack.filter(([, isRepeated]) => !isRepeated).reduce((sum, [text]) => sum + text.length, 0);
  return attack
    .map(([text, isRepeated]) =>
      isRepeated ? text.repeat(Math.ceil((LENGTH - fixed) / Math.max(1, text.length))) : text,
    )
    .join("")
    .slice(0, LENGTH)
    .toWellFormed();
}

function configWith(patterns: readonly string[]): string {
  const short = patterns.filter((pattern) => pattern !== "" && pattern.length <= 480);
  return JSON.stringify({
    review: {
      profile: "thorough",
      baseBranches: ["main", ...short.slice(0, 20)],
      ignoreTitleKeywords: short.slice(0, 20).map((pattern) => `${pattern}never`),
      suppress: [
        ...short.map((pattern) => ({ pattern: `regex:${pattern}` })),
        ...short.slice(0, 40).map((pattern) => ({ pattern: `glob:${pattern}`, paths: [pattern] })),
      ].slice(0, 100),
    },
    pathFilters: short.map((pattern) => `!${pattern}`),
    pathInstructions: short.slice(0, 50).map((path) => ({ path, instructions: "Look." })),
    fileKinds: { test: short, docs: short },
    knowledge: { retrieval: { gate: { skipPatterns: short, retrievePatterns: short } } },
  });
}

describe.runIf(isHere)("patterns that freeze matchers", () => {
  const rows = isHere
    ? readFileSync(FILE, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Row)
    : [];
  const groups = Array.from({ length: Math.ceil(rows.length / GROUP) }, (_, at) =>
    rows.slice(at * GROUP, (at + 1) * GROUP),
  );

  test.each(groups.filter((_, at) => NIGHTLY || at === 3).map((group, at) => [at, group] as const))(
    "group %i appears in every list of the configuration, and its attacks in title, paths and lines [T21]",
    async (_, group) => {
      const files = group.map((row, at) => {
        const attack = attackOf(row).replace(/[\0\n\r]/g, "_");
        return { ...addedFile(`src/${at}-${attack}`, `${attack}\neval(input)\n`) };
      });
      const loop = monitorEventLoopDelay({ resolution: 10 });
      loop.enable();
      const plainStart = performance.now();
      const world = (config?: string) => ({
        ...(config === undefined ? {} : { config }),
        world: {
          changes: { kind: "listing", files, total: files.length },
          pull: aPull({ title: attackOf(group[0] as Row).slice(0, 256) }),
        } as const,
        job: { explicit: true },
      });
      await reviewed(world());
      const plain = performance.now() - plainStart;
      const started = performance.now();
      const review = await reviewed(world(configWith(group.map(({ pattern }) => pattern))));
      const took = performance.now() - started - plain;
      loop.disable();
      console.log(
        `matching took ${Math.round(took)} ms beside ${Math.round(plain)} ms; loop at most ${Math.round(loop.max / 1e6)} ms`,
      );
      expect(took).toBeLessThan(WATCHDOG_MS);
      expect(review.reviewed.length + review.leftOut.length).toBe(files.length);
    },
  );
});
