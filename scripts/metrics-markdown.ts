// docs/metrics.md from the one list of metrics.

import { METRICS, type MetricEntry } from "../src/server/metric-list.ts";
import { markdownTable } from "./markdown-table.ts";

const HEAD = `# Metrics, traces and logs

Generated from \`src/server/metric-list.ts\` by \`npm run generate\`.

## /metrics

\`GET /metrics\` on KODIAI_ADMIN_PORT answers in Prometheus' text format. No metric names a repository or person. Counters begin at 0 when the
process starts.

\`\`\`yaml
# prometheus.yml
scrape_configs:
  - job_name: kodiai
    static_configs:
      - targets: ["127.0.0.1:3001"]
rule_files:
  - deploy/prometheus/alerts.yml
\`\`\`

[deploy/prometheus/alerts.yml](../deploy/prometheus/alerts.yml) has alerts, each with what to do,
[deploy/grafana/kodiai.json](../deploy/grafana/kodiai.json) a dashboard for Grafana. \`lane\` is \`review\`, \`command\` or \`upkeep\`.
`;

const TAIL = `
## One line a job

Each run of a job logs one line \`job ended\`: \`job\`, \`trigger\`, \`attempt\`, \`state\`, \`outcome\` (or \`reason\`), \`ms\`,
\`waitedMs\`, \`stages\` (milliseconds each), \`counts\`, \`gate\` (which rule decided about memory) and \`cost\` (tokens and US$).
LOG_FORMAT=json makes it JSON.
`;

export function metricsMarkdown(): string {
  const rows = (METRICS as readonly MetricEntry[]).map(({ name, type, labels, help }) => [
    `\`${name}\``,
    Object.entries(labels)
      .map(([label, values]) => (label === "lane" ? "`lane`" : `\`${label}\`: ${values}`))
      .join("; "),
    type === "histogram" ? `${help} Histogram.` : help,
  ]);
  return `${HEAD}\n${markdownTable([["metric", "labels", "what it is"], ...rows])}${TAIL}`;
}
