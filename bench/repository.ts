// npm run bench -- repository [--json FILE]: keyless reviews of 20 files in a repository of 5,000
// by the real app, over loopback. The first finds nothing kept of the repository and nothing
// compiled; the later ones change other lines of the same files.
import { spawn } from "node:child_process";
import diagnostics from "node:diagnostics_channel";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startApp } from "../demo/start-app.ts";
import type { Review } from "../src/domain/review.ts";
import { machineNow } from "./machine.ts";

const RUNS = 4;
const GOAL = { coldMs: 4_000, warmMs: 600 };

interface Seen {
  /** Of all stages, by the clock. */
  readonly ms: number;
  /** Of that, milliseconds in which GitHub had been asked and had not begun to answer. */
  readonly waitedMs: number;
  readonly appMs: number;
  /** Processor time of the app's own process and of those that read code for it. */
  readonly cpuMs: number;
  readonly stages: Readonly<Record<string, number>>;
  readonly findings: number;
}

export async function repositoryBench(words: readonly string[]): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "kodiai-repository-"));
  const file = fileURLToPath(new URL("repository-fixture.ts", import.meta.url));
  const world = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "inherit"] });
  const measured = JSON.parse(
    String((await createInterface({ input: world.stdout })[Symbol.asyncIterator]().next()).value),
  );
  const waiting = waitingForHeaders();
  let steps: [string, number][] = [];
  let findings = 0;
  let published: () => void = () => {};
  const app = await startApp({
    ...measured,
    dataDir,
    onStep(_job, stage, value, ms) {
      steps.push([stage, ms]);
      if (stage === "review") findings = (value as Review).findings.length;
      if (stage === "publish") published();
    },
  });
  const seen: Seen[] = [];
  try {
    world.stdin.write(`${app.webhookUrl}\n`);
    for (let run = 0; run <= RUNS; run++) {
      steps = [];
      const [waited, cpu] = [waiting(), cpuMs(world.pid)];
      const done = new Promise<void>((resolve) => {
        published = resolve;
      });
      world.stdin.write("open\n");
      await done;
      const ms = steps.reduce((sum, [, one]) => sum + one, 0);
      const waitedMs = waiting() - waited;
      const stages = Object.fromEntries(steps);
      seen.push({ ms, waitedMs, appMs: ms - waitedMs, cpuMs: cpuMs(world.pid) - cpu, stages, findings });
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  } finally {
    await app.close();
    world.kill("SIGKILL");
    rmSync(dataDir, { recursive: true, force: true });
  }
  const [cold, ...warm] = seen as [Seen, ...Seen[]];
  const sorted = warm.slice(1).toSorted((a, b) => a.appMs - b.appMs);
  const rows = { cold, warm: sorted[Math.floor(sorted.length / 2)] ?? cold };
  const report = {
    bench: "repository",
    files: measured.files,
    bytes: measured.bytes,
    machine: machineNow(),
    rows,
    goal: GOAL,
  };
  console.log(JSON.stringify(report));
  if (words[0] === "--json") writeFileSync(words[1] ?? "repository.json", `${JSON.stringify(report, null, 2)}\n`);
  const { cpu, cores, load, node } = report.machine;
  console.log(`\n${cpu}, ${cores} cores, load ${load}, Node ${node}`);
  console.log(`${measured.files} files, ${(measured.bytes / 1e6).toFixed(1)} MB; warm: median of ${sorted.length}\n`);
  const head = ["", "app ms", "goal", "clock ms", "waited ms", "cpu ms", "findings", "stages"];
  for (const [name, one] of [
    ["cold", rows.cold],
    ["warm", rows.warm],
  ] as const) {
    const goal = name === "cold" ? GOAL.coldMs : GOAL.warmMs;
    const cells = [one.appMs, goal, one.ms, one.waitedMs, one.cpuMs, one.findings].map((value) => value.toFixed(0));
    const stages = Object.entries(one.stages)
      .map(([stage, ms]) => `${stage} ${ms}`)
      .join(", ");
    if (name === "cold") console.log(head.map((cell, at) => (at === 0 ? cell.padEnd(6) : cell.padStart(10))).join(""));
    console.log([name.padEnd(6), ...cells.map((cell) => cell.padStart(10)), `  ${stages}`].join(""));
  }
}

/** A tick of /proc is 10 ms. */
const TICK_MS = 10;

/** Of this process and of those that it started, except the world. */
function cpuMs(world: number | undefined): number {
  const { user, system } = process.cpuUsage();
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ");
  const ticks = children
    .filter((pid) => pid !== "" && pid !== String(world))
    .map((pid) => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [])
    .reduce((sum, fields) => sum + Number(fields[11]) + Number(fields[12]), 0);
  return (user + system) / 1_000 + ticks * TICK_MS;
}

/** Milliseconds so far in which a request was sent and nothing had come back. */
function waitingForHeaders(): () => number {
  let open = 0;
  let since = 0;
  let sum = 0;
  const end = () => {
    open -= 1;
    if (open === 0) sum += performance.now() - since;
  };
  diagnostics.subscribe("undici:request:create", () => {
    if (open === 0) since = performance.now();
    open += 1;
  });
  diagnostics.subscribe("undici:request:headers", end);
  diagnostics.subscribe("undici:request:error", end);
  return () => sum + (open > 0 ? performance.now() - since : 0);
}
