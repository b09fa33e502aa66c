// Runs the comparison of ways to search with the eleven texts of a review, each size in a process
// of its own, and makes its table.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { ElevenTexts } from "./eleven-texts.ts";
import { machineNow } from "./machine.ts";
import { intoPage } from "./update-readme-tables.ts";

const SIZES = "5000,20000,100000";
const PLACE = "eleven texts";

/** @param words of the command line */
export function searchBench(words: readonly string[]): void {
  const { values } = parseArgs({
    args: [...words],
    options: {
      rows: { type: "string", default: SIZES },
      keep: { type: "string" },
      page: { type: "string" },
      json: { type: "string" },
    },
  });
  const before = machineNow();
  const program = fileURLToPath(new URL("eleven-texts.ts", import.meta.url));
  const sizes = values.rows.split(",").map((rows): ElevenTexts => {
    const keep = values.keep === undefined ? [] : ["--keep", join(values.keep, rows)];
    const options = ["--expose-gc", "--max-old-space-size=8000", program, "--rows", rows, ...keep];
    const output = execFileSync(process.execPath, options, {
      encoding: "utf8",
      maxBuffer: 2 ** 24,
      stdio: ["ignore", "pipe", "inherit"],
    });
    return JSON.parse(output) as ElevenTexts;
  });
  const machine = { ...before, loadAfter: machineNow().load };
  const markdown = searchMarkdown(sizes, machine);
  console.log(markdown);
  if (values.page !== undefined) intoPage(values.page, PLACE, markdown);
  const json = JSON.stringify({ bench: "search", machine, sizes });
  if (values.json === undefined) console.log(json);
  else writeFileSync(values.json, `${json}\n`);
}

/** A row for each way, a column of processor time for each size, and recall among the most rows. */
export function searchMarkdown(
  sizes: readonly ElevenTexts[],
  machine: ReturnType<typeof machineNow> & { readonly loadAfter: number },
): string {
  const names = [...new Set(sizes.flatMap(({ seen }) => Object.keys(seen)))];
  const recall = (name: string) => sizes.map(({ seen }) => seen[name]?.recallAt20?.toFixed(3) ?? "–").join(" / ");
  const table = [
    ["CPU ms of eleven texts", ...sizes.map(({ rows }) => `${rows.toLocaleString("en")} rows`), "recall@20"],
    ...names.map((name) => [
      name,
      ...sizes.map(({ seen }) => seen[name]?.cpuMs.toFixed(1) ?? "–"),
      sizes.some(({ seen }) => seen[name]?.recallAt20 != null) ? recall(name) : "",
    ]),
  ];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(" | ")} |`;
  const rule = `| ${widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  const { cpu, cores, node, load, loadAfter } = machine;
  return [
    ...table.slice(0, 1).map(line),
    rule,
    ...table.slice(1).map(line),
    "",
    `${cores} cores of an ${cpu}, Node ${node}, load ${load} before and ${loadAfter} after.`,
  ].join("\n");
}
