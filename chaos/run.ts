// npm run chaos -- --deliveries N --kills K --seeds S [--seed X] [--faults …] [--store
// sqlite|postgres|URL [--processes N]] …  See README.md in this folder.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Broken, INVARIANTS, type InvariantId } from "./checker.ts";
import { clockMeans } from "./clock.ts";
import { failureTrace } from "./failure-trace.ts";
import { FAULTS, readFaults, USUAL_FAULTS } from "./faults.ts";
import { runSeed, type SeedResult } from "./run-seed.ts";

const { values } = parseArgs({
  options: {
    deliveries: { type: "string", default: "100" },
    kills: { type: "string", default: "10" },
    seeds: { type: "string", default: "1" },
    seed: { type: "string" },
    faults: { type: "string" },
    lost: { type: "string", default: "0.1" },
    owners: { type: "string" },
    workers: { type: "string", default: "8" },
    settle: { type: "string", default: "900" },
    store: { type: "string", default: "sqlite" },
    processes: { type: "string", default: "1" },
    "small-disk": { type: "string" },
    stories: { type: "string", default: "3" },
    json: { type: "string" },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) help();
else await main();

function help(): void {
  const faults = Object.entries(FAULTS).map(
    ([name, what]) => `  ${name.padEnd(10)} ${USUAL_FAULTS.has(name as never) ? " " : "(off) "}${what}`,
  );
  console.log(
    [
      "npm run chaos -- --deliveries N --kills K --seeds S [--seed X]",
      "npm run chaos -- --store postgres --processes 4 …   several servers on a PostgreSQL of its own; or the URL of one",
      "",
      "--faults takes names, or +name and -name:",
      ...faults,
    ].join("\n"),
  );
}

async function main(): Promise<void> {
  const unwanted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => unwanted.abort(new Error(`${signal}: the run was ended before its end`)));
  const deliveries = whole("deliveries");
  const faults = readFaults(values.faults ?? [...USUAL_FAULTS].join(","));
  const first = values.seed ?? "1";
  const seeds = Array.from({ length: whole("seeds") }, (_, index) =>
    index === 0 ? first : `${Number(first) + index || `${first}${index}`}`,
  );
  const results: { readonly seed: string; readonly result: SeedResult }[] = [];
  for (const seed of seeds) {
    console.log(
      `seed ${seed}: ${deliveries} deliveries, ${values.kills} kills, ${[...faults].join(" ") || "no faults"}`,
    );
    const result = await runSeed({
      seed,
      deliveries,
      kills: whole("kills"),
      faults,
      lostShare: Number(values.lost),
      owners: values.owners === undefined ? Math.max(3, Math.min(10, Math.round(deliveries / 60))) : whole("owners"),
      repositoriesEach: 2,
      pulls: Math.max(4, Math.round(deliveries / 5)),
      workers: whole("workers"),
      settleMs: whole("settle") * 1000,
      store: values.store,
      processes: whole("processes"),
      keep: values.keep,
      smallDisk: values["small-disk"],
      say: (line) => console.log(line),
      unwanted: unwanted.signal,
    });
    report(seed, result);
    results.push({ seed, result });
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results.map(toldAsJson), null, 2)}\n`);
  process.exitCode = results.some(({ result }) => result.broken.length > 0) ? 1 : 0;
}

function whole(
  name: "deliveries" | "kills" | "seeds" | "owners" | "workers" | "settle" | "stories" | "processes",
): number {
  const number = Number(values[name]);
  if (!Number.isInteger(number) || number < 0) throw new Error(`--${name} takes a whole number`);
  return number;
}

function report(seed: string, result: SeedResult): void {
  const { broken, figures } = result;
  const rounded = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value * 10) / 10}`);
  console.log(`  ${rounded.join(", ")}`);
  console.log(
    `  recovery of interrupted jobs: median ${figures.recoveryMedianSeconds?.toFixed(1)} s, max ${figures.recoveryMaxSeconds?.toFixed(1)} s; of that while a server was up: median ${figures.recoveryUpMedianSeconds?.toFixed(1)} s, max ${figures.recoveryUpMaxSeconds?.toFixed(1)} s; since the server came up that took it: median ${figures.recoverySinceUpMedianSeconds?.toFixed(1)} s, max ${figures.recoverySinceUpMaxSeconds?.toFixed(1)} s`,
  );
  console.log(
    `  ${figures.recovered} interrupted jobs${figures.recovered === 0 ? ": WEAK, no fault hit a job that ran" : ""}; clocks by ${clockMeans()}`,
  );
  for (const id of Object.keys(INVARIANTS) as InvariantId[]) {
    const own = broken.filter(({ invariant }) => invariant === id);
    console.log(
      `  ${own.length === 0 ? "held  " : "BROKEN"} ${id.padEnd(3)} ${INVARIANTS[id]}${own.length === 0 ? "" : ` — ${own.length} times`}`,
    );
    for (const one of own.slice(0, whole("stories"))) tellOne(seed, one, result);
  }
  if (broken.length > 0) console.log(`  again: npm run chaos -- ${again(seed)}`);
  if (values.keep) console.log(`  kept: ${result.folder}`);
}

function tellOne(_seed: string, one: Broken, { history, started }: SeedResult): void {
  console.log(`    - ${one.pull === null ? "" : `${one.pull}: `}${one.what}`);
  for (const line of failureTrace(one, history, started)) console.log(`    ${line}`);
}

function again(seed: string): string {
  const { deliveries, kills, faults, lost, workers, store, processes } = values;
  const more = [
    faults === undefined ? "" : ` --faults=${faults}`,
    lost === "0.1" ? "" : ` --lost ${lost}`,
    workers === "8" ? "" : ` --workers ${workers}`,
    store === "sqlite" ? "" : ` --store ${store} --processes ${processes}`,
  ];
  return `--deliveries ${deliveries} --kills ${kills} --seed ${seed}${more.join("")} --keep`;
}

function toldAsJson({ seed, result }: { readonly seed: string; readonly result: SeedResult }): object {
  const { broken, figures, breakpoints } = result;
  return { seed, figures, broken, breakpoints: Object.fromEntries(breakpoints) };
}
