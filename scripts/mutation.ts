// npm run mutation -- --part NAME [--file TEXT] [--json FILE]
//
// Breaks one part of the core in every way that StrykerJS knows, runs the unit tests of that part,
// and prints how many breaks they notice. A measurement, not a gate: a survivor is read, and
// becomes a test when it is a promise. StrykerJS is installed apart
// (`npm ci --prefix scripts/mutation`), because its 150 packages have no other use here.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const ROOT = resolve(import.meta.dirname, "..");
/** Sources of each part, and the tests that are to notice. */
const PARTS: Readonly<Record<string, { readonly sources: readonly string[]; readonly tests: readonly string[] }>> = {
  rank: { sources: ["src/retrieve/rank/*.ts"], tests: ["test/retrieve/rank/*.test.ts", "test/retrieve/by-*.test.ts"] },
  gate: { sources: ["src/retrieve/gate/*.ts"], tests: ["test/retrieve/gate/*.test.ts"] },
  scope: {
    sources: ["src/retrieve/query/scope.ts"],
    tests: ["test/retrieve/query/*.test.ts"],
  },
  publish: { sources: ["src/publish/*.ts"], tests: ["test/publish/*.test.ts"] },
  write: { sources: ["src/adapters/github/write/*.ts"], tests: ["test/adapters/github/*.test.ts"] },
  leases: { sources: ["src/store/queue/*.ts"], tests: ["test/store/queue/*.test.ts"] },
};
const PACKAGES = join(ROOT, "scripts/mutation/node_modules");

const { values } = parseArgs({
  options: {
    part: { type: "string", default: "" },
    file: { type: "string", default: "" },
    json: { type: "string", default: "mutation.json" },
  },
});
const part = PARTS[values.part];
if (part === undefined) {
  console.error(`--part is one of: ${Object.keys(PARTS).join(", ")}`);
  process.exit(2);
}
if (!existsSync(PACKAGES)) {
  console.error("StrykerJS is not installed: npm ci --prefix scripts/mutation");
  process.exit(2);
}
process.exit(run(part.sources, part.tests));

/** @returns the exit code */
function run(sources: readonly string[], tests: readonly string[]): number {
  // In the project's folder: StrykerJS copies it with everything else, and Vitest finds files from
  // there.
  const [vitest, stryker, copy] = [".mutation.vitest.mjs", ".mutation.stryker.json", ".mutation"];
  const test = { include: tests, exclude: ["test/**/*.slow.test.ts"], setupFiles: ["test/seed.ts"], pool: "forks" };
  writeFileSync(
    join(ROOT, vitest),
    `export default ${JSON.stringify({ test: { ...test, testTimeout: 60_000, hookTimeout: 60_000 } })};\n`,
  );
  const settings = {
    testRunner: "vitest",
    plugins: [join(PACKAGES, "@stryker-mutator/vitest-runner/dist/src/index.js")],
    vitest: { configFile: vitest },
    mutate: sources.flatMap((glob) => globSync(glob, { cwd: ROOT })).filter((path) => path.includes(values.file)),
    // Texts are words, and a test for each would repeat them. A constant of a module would be tried
    // with every test.
    mutator: { excludedMutations: ["StringLiteral"] },
    ignoreStatic: true,
    coverageAnalysis: "perTest",
    reporters: ["clear-text", "json"],
    clearTextReporter: { logTests: false },
    jsonReporter: { fileName: resolve(values.json) },
    tempDirName: copy,
  };
  writeFileSync(join(ROOT, stryker), JSON.stringify(settings));
  try {
    return spawnSync(join(PACKAGES, ".bin/stryker"), ["run", stryker], { cwd: ROOT, stdio: "inherit" }).status ?? 3;
  } finally {
    for (const path of [vitest, stryker, copy]) rmSync(join(ROOT, path), { recursive: true, force: true });
  }
}
