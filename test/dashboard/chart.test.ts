import { expect, test } from "vitest";
import { chart } from "../../src/dashboard/charts.ts";

const DAY_MS = 86_400_000;
const drawn = (values: readonly (number | null)[], kind: "stack" | "line" = "stack") =>
  String(
    chart({
      ...{ title: "Reviews a day", says: "Reviews", kind, unit: "count" },
      times: values.map((_, at) => at * DAY_MS),
      series: [{ name: "posted", tone: 1, values }],
    }),
  );
const rows = (page: string) => page.split("<tr><td").length - 1;

test("a chart of five points is drawn from the table of all days", () => {
  const page = drawn([1, 0, 2, 3, 0, 4, 5]);
  expect(page).toContain('data-kind="stack"');
  expect(rows(page)).toBe(7);
});

test("of fewer points the numbers are shown alone: no day without one, and no picture", () => {
  const page = drawn([1, 0, 2, 0, 0, 4, 5]);
  expect(page).not.toContain("data-kind");
  expect(page).not.toContain("plot");
  expect(rows(page)).toBe(4);
});

test("on a line nought is a point, and nothing is none", () => {
  expect(rows(drawn([0, null, 0.5], "line"))).toBe(2);
});
