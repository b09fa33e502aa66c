import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

test("the dependency rules hold, and the tool that checks them saw every module of src [T1]", () => {
  const output = execFileSync(
    process.execPath,
    [
      "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs",
      "--config",
      ".dependency-cruiser.mjs",
      "--output-type",
      "json",
      "src",
    ],
    { encoding: "utf8", maxBuffer: 1 << 28 },
  );
  const { modules, summary } = JSON.parse(output) as {
    modules: { source: string }[];
    summary: { violations: { rule: { name: string }; from: string; to: string }[] };
  };
  expect(summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).toEqual([]);
  const seen = modules.map((module) => module.source).filter((source) => /^src\/.*[.]ts$/.test(source));
  expect(seen.length).toBe(sources.length);
  expect(seen.length).toBeGreaterThan(10);
});
