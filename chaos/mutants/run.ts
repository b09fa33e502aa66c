// npm run mutants -- [--only TEXT] [--part N/M] [--jobs N] [--check] [--json FILE]
//
// Breaks a copy of the source in one place, runs the one test that must notice, and says how long
// that took. A mutant that survives, a patch that no longer applies and a test that is not there
// are errors.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { MUTANTS, type Mutant } from "./mutants.ts";
import { patched } from "./patched.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const COPIED = [
  "src",
  "test",
  "eval",
  "scripts",
  "demo",
  "bench",
  "chaos",
  "docs",
  "deploy",
  "Dockerfile",
  "package.json",
  "tsconfig.json",
  "vitest.config.ts",
  "biome.json",
  ".dependency-cruiser.mjs",
  "app.yml",
  ".env.example",
  ".kodiai.yml.example",
  "action.yml",
  "README.md",
];
/** Ten times the slowest. */
const WATCHDOG_MS = 300_000;

type Verdict = "red" | "SURVIVED" | "no such test" | "did not run";

interface Tried {
  readonly id: string;
  readonly loses: string;
  readonly test: string;
  readonly verdict: Verdict;
  readonly seconds: number;
}

const { values } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    only: { type: "string" },
    part: { type: "string", default: "1/1" },
    jobs: { type: "string", default: "2" },
    json: { type: "string" },
  },
});

const [part = 1, parts = 1] = values.part.split("/").map(Number);
const chosen = MUTANTS.filter(({ id }) => values.only === undefined || id.includes(values.only)).filter(
  (_, at) => at % parts === part - 1,
);
const problems = chosen.flatMap(
  (mutant) => patched(mutant, readFileSync(join(ROOT, mutant.file), "utf8")).problem ?? [],
);
for (const problem of problems) console.error(problem);
if (problems.length > 0 || values.check) process.exitCode = problems.length > 0 ? 1 : 0;
else await tryAll();

async function tryAll(): Promise<void> {
  const waiting = [...chosen];
  const tried: Tried[] = [];
  const lane = async () => {
    const copy = copyOfTree();
    try {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const one = await tryOne(mutant, copy);
        tried.push(one);
        console.log(`${one.verdict.padEnd(8)} ${one.seconds.toFixed(1).padStart(6)} s  ${one.id}`);
      }
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs)) }, lane));
  console.log(`\n${table(tried)}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(tried, null, 2)}\n`);
  const alive = tried.filter(({ verdict }) => verdict !== "red");
  console.log(`${tried.length - alive.length} of ${tried.length} mutants were noticed by their tests`);
  process.exitCode = alive.length > 0 ? 1 : 0;
}

/** Without node_modules, which is linked, and without history. */
function copyOfTree(): string {
  const copy = mkdtempSync(join(tmpdir(), "kodiai-mutant-"));
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

async function tryOne(mutant: Mutant, copy: string): Promise<Tried> {
  const path = join(copy, mutant.file);
  const source = readFileSync(path, "utf8");
  const started = performance.now();
  writeFileSync(path, patched(mutant, source).text);
  try {
    const verdict = await runTest(mutant, copy);
    const seconds = (performance.now() - started) / 1000;
    return { id: mutant.id, loses: mutant.loses, test: mutant.test.join(": "), verdict, seconds };
  } finally {
    writeFileSync(path, source);
  }
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

async function runTest({ test: [file, title] }: Mutant, cwd: string): Promise<Verdict> {
  const report = join(cwd, "mutant-report.json");
  rmSync(report, { force: true });
  const name = title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const args = ["run", file, "-t", name, "--reporter=json", `--outputFile=${report}`, "--bail=1"];
  const child = spawn(process.execPath, [join(ROOT, "node_modules/vitest/vitest.mjs"), ...args], {
    cwd,
    stdio: "ignore",
  });
  let hung = false;
  const watchdog = setTimeout(() => {
    hung = true;
    child.kill("SIGKILL");
  }, WATCHDOG_MS);
  await new Promise((resolve) => child.once("exit", resolve));
  clearTimeout(watchdog);
  if (hung) return "did not run";
  try {
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
    const own = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ fullName }) => fullName.includes(title));
    if (own.length === 0) return testResults.length > 0 && file !== "" ? "no such test" : "did not run";
    return own.some(({ status }) => status === "failed") ? "red" : "SURVIVED";
  } catch {
    return "did not run";
  }
}

function table(tried: readonly Tried[]): string {
  const rows = tried
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(
      ({ id, loses, verdict, seconds, test }) => `| ${id} | ${loses} | ${verdict} | ${seconds.toFixed(1)} | ${test} |`,
    );
  return ["| mutant | what is lost | verdict | seconds | test |", "| --- | --- | --- | --: | --- |", ...rows].join(
    "\n",
  );
}
