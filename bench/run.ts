// npm run bench -- review | repository | retrieval | search | ack | queue | import: measures in
// processes of their own, and prints one line of JSON and a table.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ackBench } from "./ack.ts";
import { importBench } from "./import.ts";
import { machineNow } from "./machine.ts";
import { benchmarkSubject, FILES } from "./pull-request.ts";
import { queueBench } from "./queue.ts";
import { repositoryBench } from "./repository.ts";
import { retrievalBench } from "./retrieval-tables.ts";
import { searchBench } from "./search-table.ts";
import type { Measured } from "./time-runs.ts";

const GOAL = { medianMs: 300, peakMiB: 300 };

const [name, ...words] = process.argv.slice(2);
if (name === "retrieval") {
  retrievalBench(words);
  process.exit(0);
}
if (name === "search") {
  searchBench(words);
  process.exit(0);
}
if (name === "ack") {
  await ackBench(words);
  process.exit(0);
}
if (name === "queue") {
  await queueBench(words);
  process.exit(0);
}
if (name === "import") {
  await importBench(words);
  process.exit(0);
}
if (name === "repository") {
  await repositoryBench(words);
  process.exit(0);
}
if (name !== "review") {
  console.error(
    "usage: npm run bench -- review [--files 1,20,100] | repository [--json FILE] | retrieval [--rows N [--repositories R]] [--turns T] [--json FILE] | search [--rows N,N] [--keep DIR] [--page FILE] [--json FILE] | ack [--seconds N] [--json FILE] | queue [--store URL] [--jobs N] [--json FILE] | import [--rows N] [--store URL] [--json FILE]",
  );
  process.exit(2);
}

const sizes = words[0] === "--files" ? (words[1] ?? "").split(",").map(Number) : [FILES];
const reviews = sizes.map((size) => ({
  size,
  addedLines: benchmarkSubject(size).addedLines,
  seen: run("review", size),
}));
const rows: Record<string, Measured> = {
  floor: run("baseline"),
  ...Object.fromEntries(
    reviews.map(({ size, seen }) => [sizes.length === 1 ? "review" : `review of ${size}`, seen] as const),
  ),
};
const machine = machineNow();
const subjects = reviews.map(({ size, addedLines, seen }) => ({ files: size, addedLines, findings: seen.result }));
console.log(JSON.stringify({ bench: name, subjects, machine, ...rows, goal: GOAL }));
console.log(`\n${machine.cpu}, ${machine.cores} cores, load ${machine.load}, Node ${machine.node}`);
for (const { files, addedLines, findings } of subjects)
  console.log(`${files} files, ${addedLines} added lines, ${findings} findings, ${rows.floor?.runs} runs`);
console.log("");
const head = ["", "import ms", "first ms", "median ms", "p95 ms", "cpu ms", "peak MiB"];
const cells = Object.entries(rows).map(([row, seen]) => [
  row,
  ...[seen.importMs, seen.firstMs, seen.medianMs, seen.p95Ms, seen.cpuMs, seen.peakMiB].map((value) =>
    value.toFixed(1),
  ),
]);
for (const line of [head, ...cells])
  console.log(line.map((cell, at) => (at === 0 ? cell.padEnd(14) : cell.padStart(11))).join(""));

function run(file: string, ...args: readonly number[]): Measured {
  const path = fileURLToPath(new URL(`${file}.ts`, import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [path, ...args.map(String)], { encoding: "utf8" })) as Measured;
}
