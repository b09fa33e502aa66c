// Runs the retrieval benchmark, each size in a process of its own, and prints what it saw beside
// the goals.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { machineNow } from "./machine.ts";
import type { Built, RetrievalFigures } from "./retrieval.ts";
import { retrievalMarkdown } from "./retrieval-markdown.ts";
import { intoPage } from "./update-readme-tables.ts";

/**
 * What is measured, and how long a whole search with its ranking may take there, in milliseconds at
 * the 95th percentile.
 */
const SIZES = [
  { rows: "1000", repositories: "1", goalMs: 40 },
  { rows: "20000", repositories: "1", goalMs: 30 },
  { rows: "100000", repositories: "1", goalMs: 100 },
  { rows: "1000000", repositories: "50", goalMs: 30 },
];
/** Of the first search of a process, among 20,000 memories. */
const GOAL_FIRST_MS = 400;
const GOAL_RECALL = 0.98;

/** @param words of the command line */
export function retrievalBench(words: readonly string[]): void {
  const { values } = parseArgs({
    args: [...words],
    options: {
      rows: { type: "string" },
      repositories: { type: "string", default: "1" },
      turns: { type: "string" },
      engines: { type: "string" },
      keep: { type: "string" },
      megabytes: { type: "string" },
      table: { type: "string" },
      page: { type: "string" },
      json: { type: "string" },
    },
  });
  const sizes: readonly { readonly rows: string; readonly repositories: string }[] =
    values.rows === undefined ? SIZES : [{ rows: values.rows, repositories: values.repositories }];
  const { turns, engines, keep, megabytes } = values;
  const handed = Object.entries({ turns, engines, keep, megabytes }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const path = fileURLToPath(new URL("retrieval.ts", import.meta.url));
  const runs = sizes.map(({ rows, repositories }) => {
    const before = machineNow();
    const args = ["--rows", rows, "--repositories", repositories, ...handed];
    const output = execFileSync(process.execPath, ["--expose-gc", "--max-old-space-size=8000", path, ...args], {
      encoding: "utf8",
      maxBuffer: 2 ** 24,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const figures = JSON.parse(output) as RetrievalFigures;
    const machine = { ...before, loadAfter: machineNow().load };
    console.log(`\n${machine.cpu}, ${machine.cores} cores, load ${machine.load} before and ${machine.loadAfter} after`);
    print(figures);
    const run = { machine, ...figures };
    if (values.page !== undefined) intoPage(values.page, `${rows} in ${repositories}`, retrievalMarkdown(run));
    return run;
  });
  if (values.table !== undefined) writeFileSync(values.table, runs.map(retrievalMarkdown).join("\n"));
  const json = JSON.stringify({ bench: "retrieval", runs });
  if (values.json === undefined) console.log(`\n${json}`);
  else writeFileSync(values.json, `${json}\n`);
}

export function print(figures: RetrievalFigures): void {
  const { rows, repositories, rowsEach, timings, mustRead, gigabytesASecond, recallAt20, loopLate, once } = figures;
  console.log(`${rows} memories, ${repositories} repositories, ${rowsEach} in the one that is searched`);
  console.log(`one thread reads ${gigabytesASecond.toFixed(1)} GB/s\n`);
  const floor = (bytes: number) => bytes / 1e6 / gigabytesASecond;
  line(["", "p50 ms", "p25–p75", "p95 ms", "cpu ms", "floor ms", "cpu × floor", "recall@20", "runs"]);
  for (const [name, { p50, p25, p75, p95, cpu, runs }] of Object.entries(timings)) {
    const own = floor(mustRead[name] ?? 0);
    const ratios = own === 0 ? ["", ""] : [own.toFixed(2), (cpu / own).toFixed(1)];
    const recall = recallAt20[name]?.toFixed(4) ?? "";
    const spread = `${p25.toFixed(1)}–${p75.toFixed(1)}`;
    line([name, p50.toFixed(2), spread, p95.toFixed(2), cpu.toFixed(2), ...ratios, recall, String(runs)]);
  }
  printBuilt(figures);
  console.log("");
  for (const [name, late] of Object.entries(loopLate)) {
    const [p50, p99, worst] = late.map((ms) => ms.toFixed(2));
    console.log(`main loop late during ${name}: p50 ${p50} ms, p99 ${p99} ms, at most ${worst} ms`);
  }
  for (const [name, value] of Object.entries(once)) console.log(`${name}: ${value.toFixed(1)}`);
  console.log("");
  const whole = timings["alone, whole search: with ranking"]?.p95 ?? Number.NaN;
  const size = SIZES.find((one) => one.rows === String(rows) && one.repositories === String(repositories));
  if (size !== undefined)
    held(`a whole search within ${size.goalMs} ms at p95: ${whole.toFixed(1)}`, whole <= size.goalMs);
  if (rowsEach === 20_000) {
    const first = once["ms of the first whole search"] ?? Number.NaN;
    held(`the first search within ${GOAL_FIRST_MS} ms: ${first.toFixed(0)}`, first <= GOAL_FIRST_MS);
  }
  const recall = recallAt20["nearest, one text"] ?? 0;
  held(`recall@20 at least ${GOAL_RECALL}: ${recall.toFixed(3)}`, recall >= GOAL_RECALL);
}

function printBuilt({ built, ourFilter }: RetrievalFigures): void {
  console.log("");
  line(["", "seconds to build", "MB in memory", "MB on disk", "recall filtered", "wrong language"]);
  const filtered = (filter: Built["filter"]) =>
    filter === null ? ["cannot", ""] : [filter.recall.toFixed(4), String(filter.violations)];
  line(["ours", "", "", "", ...filtered(ourFilter)]);
  for (const [name, { seconds, memoryMb, diskMb, filter }] of Object.entries(built))
    line([name, seconds.toFixed(1), memoryMb?.toFixed(0) ?? "", diskMb?.toFixed(0) ?? "", ...filtered(filter)]);
}

function held(goal: string, isHeld: boolean): void {
  console.log(`${isHeld ? "held  " : "MISSED"} ${goal}`);
}

function line(cells: readonly string[]): void {
  console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(40) : cell.padStart(17))).join(""));
}
