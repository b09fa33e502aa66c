// Figures, alerts and dashboard as promtool would look at them: names, units, labels, expressions,
// and that all name what exists.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { METRICS, type MetricEntry } from "../../src/server/metric-list.ts";
import { readPromql } from "./promql.ts";

const LIST: readonly MetricEntry[] = METRICS;
const BY_NAME = new Map(LIST.map((entry) => [entry.name, entry]));
/** Prometheus' own. */
const FOREIGN = new Map([["up", ["job", "instance"]]]);

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const RULES: readonly Rule[] = parse(readFileSync("deploy/prometheus/alerts.yml", "utf8")).groups.flatMap(
  ({ rules }: { rules: readonly Rule[] }) => rules,
);
interface Drawn {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const PANELS: readonly Drawn[] = JSON.parse(readFileSync("deploy/grafana/kodiai.json", "utf8")).panels;

/** What is wrong about a name, as `promtool check metrics` would say it. */
function nameProblems({ name, type, labels, help }: MetricEntry): readonly string[] {
  const ends = name.split("_");
  const isCounter = type === "counter";
  const before = isCounter ? ends.at(-2) : ends.at(-1);
  const units = ["seconds", "bytes", "usd", "tokens", "ratio"];
  const problems = [
    /^(?:kodiai|process)_[a-z0-9]+(?:_[a-z0-9]+)*$/.test(name) ? null : "is not lower_snake_case with our prefix",
    isCounter === name.endsWith("_total") ? null : "a counter, and nothing else, ends in _total",
    /_(?:milliseconds|ms|minutes|hours|percent|kb|mb|count|sum|bucket)(?:_|$)/.test(name)
      ? "no base unit, or reserved"
      : null,
    type === "histogram" && !units.includes(before ?? "") ? "a histogram has a unit" : null,
    help.endsWith(".") ? null : "the help is no sentence",
    ...Object.keys(labels).map((label) =>
      /^[a-z][a-z_]*$/.test(label) && label !== "le" && label !== "quantile" ? null : `the label ${label} is reserved`,
    ),
  ];
  return problems.filter((one) => one !== null).map((one) => `${name}: ${one}`);
}

/** What an expression names that does not exist. */
function unknownIn(expr: string): readonly string[] {
  return readPromql(expr).flatMap(({ metric, labels }) => {
    const foreign = FOREIGN.get(metric);
    const base = metric.replace(/_(?:bucket|sum|count)$/, "");
    const entry = BY_NAME.get(metric) ?? (BY_NAME.get(base)?.type === "histogram" ? BY_NAME.get(base) : undefined);
    if (entry === undefined && foreign === undefined) return [`no metric ${metric}`];
    if (entry?.type === "histogram" && base === metric)
      return [`${metric} is a histogram: name its _bucket, _sum or _count`];
    const known = new Set([
      ...(foreign ?? Object.keys(entry?.labels ?? {})),
      ...(metric.endsWith("_bucket") ? ["le"] : []),
    ]);
    return labels.filter((label) => !known.has(label)).map((label) => `${metric} has no label ${label}`);
  });
}

test("each name contains its unit, counters end in _total, and each name is unique", () => {
  expect(LIST.flatMap(nameProblems)).toEqual([]);
  expect(new Set(LIST.map(({ name }) => name)).size).toBe(LIST.length);
});

test("the lint of names sees what is wrong", () => {
  const wrong = (with_: Partial<MetricEntry>) =>
    nameProblems({ name: "kodiai_x_seconds", type: "gauge", labels: {}, help: "X.", ...with_ });
  expect(wrong({})).toEqual([]);
  expect(wrong({ type: "counter" })).not.toEqual([]);
  expect(wrong({ name: "kodiai_x_ms" })).not.toEqual([]);
  expect(wrong({ name: "kodiai_x", type: "histogram" })).not.toEqual([]);
  expect(wrong({ name: "kodiaiX" })).not.toEqual([]);
  expect(wrong({ labels: { le: "" } })).not.toEqual([]);
});

test("upper ends of histograms ascend", () => {
  for (const { buckets = [] } of LIST) expect(buckets.toSorted((a, b) => a - b)).toEqual(buckets);
  expect(LIST.filter(({ type, buckets }) => (type === "histogram") !== (buckets !== undefined))).toEqual([]);
});

test("alerts are about retrieval that is slow, uncached, poor or dear, and about what must not go unseen [003-33]", () => {
  expect(RULES.map(({ alert }) => alert)).toEqual(
    expect.arrayContaining([
      "KodiaiRetrievalSlow",
      "KodiaiEmbeddingCacheCold",
      "KodiaiRetrievalPoor",
      "KodiaiRetrievalDear",
      "KodiaiJobsParked",
      "KodiaiReviewsStopped",
      "KodiaiNotReady",
    ]),
  );
  const exprOf = (name: string) => RULES.find(({ alert }) => alert === name)?.expr ?? "";
  expect(exprOf("KodiaiRetrievalSlow")).toMatch(/^histogram_quantile\(0\.95, .+\) > 1 and/);
  expect(exprOf("KodiaiEmbeddingCacheCold")).toMatch(/ < 0\.5 and/);
  expect(exprOf("KodiaiRetrievalPoor")).toMatch(/< scalar\(max\(kodiai_retrieval_similarity_limit_ratio\)\)/);
  expect(exprOf("KodiaiRetrievalDear")).toMatch(/ > 0\.001 and/);
  // Parked jobs stay for 60 days; alerts.test.yml says when each of these is raised.
  expect(exprOf("KodiaiJobsParked")).toMatch(/^max\(delta\(.+\[1h\]\)\) > /);
});

test.each(RULES.map((rule) => [rule.alert, rule] as const))(
  "the alert %s names what exists and what to do",
  (name, rule) => {
    expect(name).toMatch(/^Kodiai[A-Z]\w+$/);
    expect(unknownIn(rule.expr)).toEqual([]);
    expect(rule.for ?? "1m").toMatch(/^\d+[smhd]$/);
    expect(["critical", "warning", "info"]).toContain(rule.labels.severity);
    expect(rule.annotations.summary).toMatch(/\.$|\)\.$/);
    expect(rule.annotations.fix?.length).toBeGreaterThan(20);
  },
);

test("the dashboard names what exists, each panel once, and every metric is drawn", () => {
  const drawn = PANELS.filter(({ type }) => type !== "row");
  const exprs = drawn.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(exprs.flatMap(unknownIn)).toEqual([]);
  expect(new Set(drawn.map(({ title }) => title)).size).toBe(drawn.length);
  const shown = new Set(exprs.flatMap((expr) => readPromql(expr).map(({ metric }) => metric)));
  const isShown = ({ name }: MetricEntry) => [name, `${name}_bucket`, `${name}_sum`].some((one) => shown.has(one));
  expect(LIST.filter((entry) => !isShown(entry)).map(({ name }) => name)).toEqual([]);
  for (const { legendFormat, expr } of drawn.flatMap(({ targets = [] }) => targets)) {
    const wanted = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label ?? "");
    const kept = new Set(readPromql(expr).flatMap(({ labels }) => labels));
    expect(wanted.filter((label) => !kept.has(label))).toEqual([]);
  }
});

test.each([
  ["sum(kodiai_jobs", ") expected"],
  ["sum(rate(kodiai_answers_total))", "a range expected"],
  ["kodiai_jobs{state=parked}", "a string expected"],
  ["kodiai_jobs >", "a value expected"],
  ["kodiai_jobs[5m]", "no range expected"],
  ["frobnicate(kodiai_jobs)", "a known function"],
  ["kodiai_jobs ; 1", "is no PromQL"],
  ["kodiai_jobs) > 0", "the end expected"],
  ["rate(kodiai_answers_total[5x])", "a duration expected"],
])("%s is no expression", (expr, says) => {
  expect(() => readPromql(expr)).toThrow(says);
});

test("what does not exist is seen", () => {
  expect(unknownIn("sum(kodiai_nothing) > 0")).toEqual(["no metric kodiai_nothing"]);
  expect(unknownIn("sum by (lane) (kodiai_jobs)")).toEqual(["kodiai_jobs has no label lane"]);
  expect(unknownIn("kodiai_ack_seconds > 1")).toEqual([
    "kodiai_ack_seconds is a histogram: name its _bucket, _sum or _count",
  ]);
});
