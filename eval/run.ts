// npm run eval -- SUITE --data DIR [--json FILE] [--FLAG VALUE …]: measure, print a table, write
// the figures.
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { baselineOf, fallenBelow, readBaselines, writeBaselines } from "./baseline.ts";
import type { Row, Suite, SuiteResult } from "./suite.ts";
import { unansweredRows } from "./unanswered.ts";

const SUITES = join(dirname(fileURLToPath(import.meta.url)), "suites");

const [name, ...rest] = process.argv.slice(2);
const known = readdirSync(SUITES).map((file) => file.replace(/\.ts$/, ""));
const flags = readFlags(rest);
const data = flags.get("data");
if (name === undefined || !known.includes(name) || data === undefined) {
  console.error(`usage: npm run eval -- SUITE --data DIR [--json FILE]\nsuites: ${known.join(", ")}`);
  process.exit(2);
}

const { suite } = (await import(join(SUITES, `${name}.ts`))) as { suite: Suite };
const result = await suite({ data, flags });
const missing = unansweredRows();
console.log(table(name, result));
if (missing.length > 0) {
  console.log(`unanswered: ${missing.length} rows of another shape`);
  for (const { id, reason } of missing) console.log(`  ${id}: ${reason}`);
}
const json = flags.get("json");
if (json !== undefined) {
  const { data: measured, config, task, rows } = result;
  await writeFile(
    json,
    `${JSON.stringify({ suite: name, task, data: measured, config, rows, unanswered: missing }, null, 2)}\n`,
  );
}
if (flags.has("write-baseline")) await writeBaselines([baselineOf(name, result)]);
if (flags.has("baseline")) {
  const fallen = fallenBelow(name, result, await readBaselines());
  console.log(fallen.length === 0 ? "not below the baseline" : fallen.join("\n"));
  if (fallen.length > 0) process.exitCode = 1;
}

function readFlags(words: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    if (!word.startsWith("--")) continue;
    const next = words[i + 1];
    const hasValue = next !== undefined && !next.startsWith("--");
    found.set(word.slice(2), hasValue ? next : "true");
    if (hasValue) i++;
  }
  return found;
}

function table(title: string, { data: measured, config, rows, notes, printIntervals }: SuiteResult): string {
  const metrics = [...new Set(rows.flatMap((row) => Object.keys(row.metrics)))];
  const head = ["row", "n", ...metrics];
  const body = rows.map((row) => [
    row.name,
    String(row.n),
    ...metrics.map((metric) => cell(row, metric, printIntervals)),
  ]);
  const remarks = rows.map((row) => (row.remark === undefined ? "" : `  ${row.remark}`));
  const widths = head.map((text, i) => Math.max(text.length, ...body.map((line) => (line[i] ?? "").length)));
  const line = (cells: readonly string[]) =>
    cells.map((text, i) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))).join("  ");
  return [
    `${title}: ${measured.n} items, data ${measured.fingerprint}, config ${config.fingerprint}`,
    line(head),
    line(widths.map((width) => "-".repeat(width))),
    ...body.map((cells, at) => line(cells) + (remarks[at] ?? "")),
    ...(notes ?? []),
  ].join("\n");
}

function cell(row: Row, metric: string, intervals: SuiteResult["printIntervals"]): string {
  const value = row.metrics[metric];
  if (value === undefined) return "";
  const text = Number.isInteger(value) ? String(value) : value.toFixed(4);
  const interval = intervals?.includes(metric) === false ? undefined : row.ci?.[metric];
  return interval === undefined ? text : `${text} [${interval[0].toFixed(3)}, ${interval[1].toFixed(3)}]`;
}
