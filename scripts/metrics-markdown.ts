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

const SPANS = markdownTable([
  ["span", "attributes"],
  [
    "`kodiai.job LANE`",
    "`kodiai.lane`, `kodiai.job.key` (`HOST/REPOSITORY_ID#NUMBER`), `kodiai.job.attempt`; `error.type` where it failed",
  ],
  [
    "`kodiai.stage STAGE`",
    "`kodiai.stage`, and counts: `kodiai.files`, `kodiai.precedents`, `kodiai.searches`, `kodiai.findings`, `kodiai.heldBack`",
  ],
]);

const TAIL = `
## Traces

To have spans, install an OpenTelemetry SDK beside Kodiai and load it first:

\`\`\`sh
npm install @opentelemetry/sdk-node @opentelemetry/auto-instrumentations-node
OTEL_SERVICE_NAME=kodiai OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 \\
  node --import @opentelemetry/auto-instrumentations-node/register src/main.ts
\`\`\`

${SPANS}
Attributes are ids, our own words and numbers; of an error only its class.

## One line a job

Each run of a job logs one line \`job ended\`: \`job\`, \`trigger\`, \`attempt\`, \`state\`, \`outcome\` (or \`reason\`), \`ms\`,
\`waitedMs\`, \`stages\` (milliseconds each), \`counts\`, \`gate\` (which rule decided about memory) and \`cost\` (tokens and US$).
LOG_FORMAT=json makes it JSON.
`;

export function metricsMarkdown(): string {
  const lines = (METRICS as readonly MetricEntry[]).map(({ name, type, labels, help }) => {
    const told = Object.entries(labels).map(([label, values]) =>
      label === "lane" ? "`lane`" : `\`${label}\`: ${values}`,
    );
    const kind = type === "histogram" ? " Histogram." : "";
    const by = told.length === 0 ? "" : ` By ${told.join("; ")}.`;
    return `- \`${name}\`: ${help}${kind}${by}\n`;
  });
  return `${HEAD}\n${lines.join("")}${TAIL}`;
}
