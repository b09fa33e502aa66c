// docs/metrics.md from the one list of metrics.

import { METRICS, type MetricEntry } from "../src/server/metric-list.ts";
import { markdownTable } from "./markdown-table.ts";

const HEAD = `# Metrics, traces and logs

Generated from \`src/server/metric-list.ts\` by \`npm run generate\`.

## /metrics

\`GET /metrics\` on KODIAI_ADMIN_PORT answers in Prometheus' text format. No metric names a repository or person. Counters
begin at 0 when the process starts; \`kodiai stats\` reads those of searches from the store.

\`\`\`yaml
# prometheus.yml
scrape_configs:
  - job_name: kodiai
    static_configs:
      - targets: ["127.0.0.1:3001"]
rule_files:
  - deploy/prometheus/alerts.yml
\`\`\`

[deploy/prometheus/alerts.yml](../deploy/prometheus/alerts.yml) has the alerts, each with what to do, and
[deploy/grafana/kodiai.json](../deploy/grafana/kodiai.json) a dashboard for Grafana.
`;

const SPANS = markdownTable([
  ["span", "attributes"],
  [
    "`kodiai.job LANE`",
    "`kodiai.lane`, `kodiai.job.key` (`HOST/REPOSITORY_ID#NUMBER`), `kodiai.job.attempt`; `error.type` where it failed",
  ],
  [
    "`kodiai.stage STAGE`",
    "`kodiai.stage`, and counts of what it hands on: `kodiai.files`, `kodiai.precedents`, `kodiai.searches`, `kodiai.findings`, `kodiai.heldBack`",
  ],
]);

const TAIL = `
## Traces

Kodiai depends on the OpenTelemetry API alone: without an SDK it costs nothing. To have spans, install one beside Kodiai and load it
before Kodiai:

\`\`\`sh
npm install @opentelemetry/sdk-node @opentelemetry/auto-instrumentations-node
OTEL_SERVICE_NAME=kodiai OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 \\
  node --import @opentelemetry/auto-instrumentations-node/register src/main.ts
\`\`\`

${SPANS}
Attributes are ids, our own words and numbers; of an error only its class, never its message.

## One line a job

Each run of a job ends with one line \`job ended\` in the log: \`job\`, \`trigger\`, \`attempt\`, \`state\`, \`outcome\` (or \`reason\`), \`ms\`,
\`waitedMs\`, \`stages\` (milliseconds each), \`counts\`, \`gate\` (which rule decided about memory) and \`cost\` (tokens and US$).
LOG_FORMAT=json makes it JSON.
`;

export function metricsMarkdown(): string {
  const rows = (METRICS as readonly MetricEntry[]).map(({ name, type, labels, help }) => [
    `\`${name}\``,
    type,

    Object.entries(labels)
      .map(([label, values]) => `\`${label}\`: ${values}`)
      .join("; "),
    help,
  ]);
  return `${HEAD}\n${markdownTable([["metric", "type", "labels", "what it is"], ...rows])}${TAIL}`;
}
