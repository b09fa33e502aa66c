// Alerts over made-up series: the rule tests have promtool's form, and promtool runs them where
// there is one (Debian: `prometheus`).
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { METRICS } from "../../src/server/metric-list.ts";
import { readPromql } from "./promql.ts";

const TESTS = "deploy/prometheus/alerts.test.yml";
const PROMTOOL = process.env.PROMTOOL ?? "promtool";

/** https://prometheus.io/docs/prometheus/latest/configuration/unit_testing_rules/, as far as it is used here. */
const RuleTests = z.strictObject({
  rule_files: z.tuple([z.literal("alerts.yml")]),
  evaluation_interval: z.literal("1m"),
  tests: z.array(
    z.strictObject({
      name: z.string(),
      interval: z.literal("1m"),
      input_series: z.array(
        z.strictObject({
          series: z.string(),
          values: z.string().regex(/^\d+(?:\+\d+)?(?:x\d+)?(?: \d+(?:\+\d+)?(?:x\d+)?)*$/),
        }),
      ),
      alert_rule_test: z.array(
        z.strictObject({
          eval_time: z.string().regex(/^\d+[mh]$/),
          alertname: z.string(),
          exp_alerts: z.array(
            z.strictObject({
              exp_labels: z.record(z.string(), z.string()),
              exp_annotations: z.record(z.string(), z.string()),
            }),
          ),
        }),
      ),
    }),
  ),
});

const { tests } = RuleTests.parse(parse(readFileSync(TESTS, "utf8")));
const rules: readonly { alert: string }[] = parse(readFileSync("deploy/prometheus/alerts.yml", "utf8")).groups.flatMap(
  ({ rules }: { rules: readonly { alert: string }[] }) => rules,
);

test.each(["KodiaiReviewsStopped", "KodiaiJobsRetried", "KodiaiJobsParked"])(
  "the alert %s is tested with series that raise it and with series that do not",
  (name) => {
    expect(rules.filter(({ alert }) => alert === name)).toHaveLength(1);
    const cases = tests.flatMap(({ alert_rule_test }) => alert_rule_test).filter(({ alertname }) => alertname === name);
    expect(new Set(cases.map(({ exp_alerts }) => exp_alerts.length))).toEqual(new Set([0, 1]));
  },
);

test("rule tests name alerts and series that there are", () => {
  const alerts = new Set(rules.map(({ alert }) => alert));
  const series = new Set<string>(METRICS.map(({ name }) => name));
  for (const { input_series, alert_rule_test } of tests) {
    for (const { alertname } of alert_rule_test) expect(alerts).toContain(alertname);
    for (const { metric } of input_series.flatMap((one) => readPromql(one.series))) expect(series).toContain(metric);
  }
});

test("promtool takes the alerts and finds each raised when it should be", (context) => {
  if (spawnSync(PROMTOOL, ["--version"]).error !== undefined) {
    console.warn(
      `SKIPPED: no promtool here to run ${TESTS} with (set PROMTOOL, or install Debian's package prometheus)`,
    );
    return context.skip("no promtool");
  }
  for (const words of [
    ["check", "rules", "deploy/prometheus/alerts.yml"],
    ["test", "rules", TESTS],
  ]) {
    const { status, stdout, stderr } = spawnSync(PROMTOOL, words, { encoding: "utf8" });
    expect([status, status === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
  }
});
