import { expect, test } from "vitest";
import { retrievalChart } from "../../bench/retrieval-chart.ts";

test("each label of the chart has room to the left of its bar, however long it is", () => {
  const timing = { p25: 1, p50: 20, p75: 40, p95: 80, cpu: 20, runs: 60 };
  const names = [
    "nearest, one text",
    "on PostgreSQL, whole search of one text: with the room's ranking",
    "FTS5: matching",
  ];
  const chart = retrievalChart({ rows: 1_000, timings: Object.fromEntries(names.map((name) => [name, timing])) });
  const labels = [...chart.matchAll(/<text x="([\d.]+)"[^>]*text-anchor="end"[^>]*>([^<]+)</g)];
  expect(labels.map(([, , label]) => label).sort()).toEqual(
    ["FTS5: matching", ...names.slice(0, 2).map((name) => `Kodiai, ${name}`)].sort(),
  );
  for (const [, end, label = ""] of labels) expect(Number(end)).toBeGreaterThan(label.length * 7);
});
