// Figures in the text format of Prometheus. Labels are GitHub's own words for events and ours for states: no name of a
// repository or person, and nothing that anybody wrote.
import { ACK_RANGES_MS, type Counters } from "./counters.ts";

export interface Figures {
  readonly counted: Counters;
  readonly jobs: Readonly<Record<string, number>>;
  readonly ready: boolean;
  readonly heldBytes: number;
  readonly rssBytes: number;
  /** Seconds by which the event loop was late, at the 99th percentile since the last look. */
  readonly lagSeconds: number;
  readonly uptimeSeconds: number;
}

export function metricsText(figures: Figures): string {
  const { counted, jobs } = figures;
  return [
    ...metric(
      "kodiai_deliveries_total",
      "counter",
      "Deliveries that were kept, by event and what they became.",
      [...counted.deliveries].map(([kind, count]) => {
        const [event = "", ...outcome] = kind.split(" ");
        return [`{event="${event}",outcome="${outcome.join(" ")}"}`, count];
      }),
    ),
    ...metric(
      "kodiai_answers_total",
      "counter",
      "Answers to deliveries, by status.",
      [...counted.answers].map(([status, count]) => [`{status="${status}"}`, count]),
    ),
    ...ackHistogram(counted),
    ...metric(
      "kodiai_jobs",
      "gauge",
      "Jobs in the queue, by state.",
      Object.entries(jobs).map(([state, count]) => [`{state="${state}"}`, count]),
    ),
    ...metric("kodiai_ready", "gauge", "1 when a delivery could be kept now.", [["", figures.ready ? 1 : 0]]),
    ...metric("kodiai_body_bytes", "gauge", "Bytes of deliveries that are coming in.", [["", figures.heldBytes]]),
    ...metric(
      "kodiai_event_loop_lag_seconds",
      "gauge",
      "How late the event loop was, 99th percentile since the last look.",
      [["", figures.lagSeconds]],
    ),
    ...metric("process_resident_memory_bytes", "gauge", "Memory in use.", [["", figures.rssBytes]]),
    ...metric("process_uptime_seconds", "gauge", "Seconds since the start.", [["", figures.uptimeSeconds]]),
    "",
  ].join("\n");
}

type Sample = readonly [labels: string, value: number];

function metric(name: string, type: "counter" | "gauge", help: string, samples: readonly Sample[]): readonly string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
  ];
}

/** Prometheus counts everything up to each end. */
function ackHistogram({ acks, ackMs }: Counters): readonly string[] {
  const name = "kodiai_ack_seconds";
  const upTo = (at: number) => acks.slice(0, at + 1).reduce((sum, count) => sum + count, 0);
  const all = upTo(acks.length);
  return [
    `# HELP ${name} Seconds until an accepted delivery was answered.`,
    `# TYPE ${name} histogram`,
    ...ACK_RANGES_MS.map((end, at) => `${name}_bucket{le="${end / 1_000}"} ${upTo(at)}`),
    `${name}_bucket{le="+Inf"} ${all}`,
    `${name}_sum ${ackMs() / 1_000}`,
    `${name}_count ${all}`,
  ];
}
