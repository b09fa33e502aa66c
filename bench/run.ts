// npm run bench -- review | retrieval | ack | queue: measures in processes of their own, and prints one line of JSON and a table.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ackBench } from "./ack.ts";
import { machineNow } from "./machine.ts";
import type { Measured } from "./measured.ts";
import { benchmarkSubject } from "./pull-request.ts";
import { queueBench } from "./queue.ts";
import { retrievalBench } from "./retrieval-tables.ts";

const GOAL = { medianMs: 300, peakMiB: 300 };

const [name, ...words] = process.argv.slice(2);
if (name === "retrieval") {
  retrievalBench(words);
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
if (name !== "review") {
  console.error(
    "usage: npm run bench -- review | retrieval [--rows N [--repositories R]] [--turns T] [--json FILE] | ack [--seconds N] [--json FILE] | queue [--store URL] [--jobs N] [--json FILE]",
  );
  process.exit(2);
}

const { files, addedLines } = benchmarkSubject();
const rows = { floor: run("floor"), review: run("review") };
const machine = machineNow();
console.log(JSON.stringify({ bench: name, files, addedLines, machine, ...rows, goal: GOAL }));
console.log(`\n${machine.cpu}, ${machine.cores} cores, load ${machine.load}, Node ${machine.node}`);
console.log(`${files} files, ${addedLines} added lines, ${rows.review.result} findings, ${rows.review.runs} runs\n`);
const head = ["", "import ms", "first ms", "median ms", "p95 ms", "cpu ms", "peak MiB"];
const cells = Object.entries(rows).map(([row, seen]) => [
  row,
  ...[seen.importMs, seen.firstMs, seen.medianMs, seen.p95Ms, seen.cpuMs, seen.peakMiB].map((value) =>
    value.toFixed(1),
  ),
]);
for (const line of [head, ...cells])
  console.log(line.map((cell, at) => (at === 0 ? cell.padEnd(8) : cell.padStart(11))).join(""));

function run(file: string): Measured {
  const path = fileURLToPath(new URL(`${file}.ts`, import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [path], { encoding: "utf8" })) as Measured;
}
