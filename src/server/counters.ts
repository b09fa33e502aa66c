// What the public port did, in numbers that hold no text of anybody.

/** Upper ends of the ranges in which answers are counted, in milliseconds. */
export const ACK_RANGES_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

/** Different events and outcomes that are told apart; GitHub has about seventy events. */
const MOST_KINDS = 500;

export interface Counters {
  /** A request to the webhook's path was answered. */
  answered(status: number, ms: number): void;
  /** A delivery was kept: its event, and what it became (`review`, `ignored`, `seen before`, …). */
  took(event: string, outcome: string): void;
  /** Answers by status. */
  readonly answers: ReadonlyMap<number, number>;
  /** Deliveries by `EVENT OUTCOME`. */
  readonly deliveries: ReadonlyMap<string, number>;
  /** Accepted deliveries by how long the answer took: as ACK_RANGES_MS, and one more for what took longer. */
  readonly acks: readonly number[];
  /** Of all accepted deliveries together. */
  ackMs(): number;
}

export function counters(): Counters {
  const answers = new Map<number, number>();
  const deliveries = new Map<string, number>();
  const acks = new Array<number>(ACK_RANGES_MS.length + 1).fill(0);
  let ackMs = 0;
  return {
    answered(status, ms) {
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (status !== 202) return;
      const at = ACK_RANGES_MS.findIndex((end) => ms <= end);
      const range = at === -1 ? ACK_RANGES_MS.length : at;
      acks[range] = (acks[range] ?? 0) + 1;
      ackMs += ms;
    },
    took(event, outcome) {
      const kind = `${event} ${outcome}`;
      const known = deliveries.has(kind) || deliveries.size < MOST_KINDS ? kind : `other ${outcome}`;
      deliveries.set(known, (deliveries.get(known) ?? 0) + 1);
    },
    answers,
    deliveries,
    acks,
    ackMs: () => ackMs,
  };
}
