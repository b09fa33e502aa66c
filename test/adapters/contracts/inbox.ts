import { beforeEach, describe, expect, test } from "vitest";
import type { Arrival, Inbox } from "../../../src/ports/inbox.ts";
import type { TimedQueue as Queue } from "../../builders/timed-queue.ts";
import { reviewJob } from "./queue.ts";

export function arrival(over: Partial<Arrival["delivery"]> = {}, number = 1): Arrival {
  const job = { ...reviewJob(number, "a"), ...(over.id === undefined ? {} : { delivery: over.id }) };
  return {
    delivery: { id: job.delivery, event: "pull_request", receivedAt: 1, meaning: null, ...over },
    outcome: job,
    beside: [],
  };
}

export interface OpenInbox {
  /** Two processes on one store. */
  readonly inboxes: readonly [Inbox, Inbox];
  readonly queue: Queue;
  /** Id, outcome and reason of every delivery that is kept, in the order of ids. */
  readonly rows: () => Promise<readonly unknown[]>;
}

const MEANING = "github.com/42#1@0123456789abcdef0123456789abcdef";

/** What every Inbox promises. */
export function inboxContract(name: string, open: () => Promise<OpenInbox>): void {
  describe(`${name} keeps the promises of an inbox`, () => {
    let opened: OpenInbox;
    let inbox: Inbox;
    beforeEach(async () => {
      opened = await open();
      [inbox] = opened.inboxes;
    });

    test("a delivery is taken once, also within one batch, and its job comes with it", async () => {
      const [one, two] = [arrival({ id: "one" }), arrival({ id: "two" }, 2)];
      expect(await inbox.take([one, two, one])).toEqual([true, true, false]);
      expect(await inbox.take([two])).toEqual([false]);
      expect(await opened.queue.counts()).toEqual({ waiting: 2, running: 0, parked: 0 });
    });

    test("an event delivered again under another id has one effect, and its id is stored too [R3]", async () => {
      const reported = (id: string) => arrival({ id, meaning: MEANING });
      expect(await inbox.take([reported("one"), reported("three")])).toEqual([true, false]);
      expect(await inbox.take([reported("three"), reported("two")])).toEqual([false, false]);
      expect((await opened.queue.counts()).waiting).toBe(1);
      expect(await opened.rows()).toEqual([
        ["one", "review", "synchronize"],
        ["three", "ignored", "says the same as one"],
        ["two", "ignored", "says the same as one"],
      ]);
    });

    test("two processes that receive the same delivery at the same time store it once", async () => {
      const batch = Array.from({ length: 10 }, (_, at) =>
        arrival({ id: `d${at}`, meaning: `${MEANING}${at}` }, at + 1),
      );
      const twins = batch.map((one) => arrival({ ...one.delivery, id: `${one.delivery.id}-twin` }, 1));
      const [first, second] = opened.inboxes;
      // The other way round: whoever waits for whom, nobody waits for ever.
      const [taken, same, twin] = await Promise.all([
        first.take(batch),
        second.take(batch.toReversed()),
        second.take(twins.toReversed()),
      ]);
      const times = (at: number) => [taken[at], same.toReversed()[at], twin.toReversed()[at]].filter(Boolean).length;
      expect(batch.map((_, at) => times(at))).toEqual(batch.map(() => 1));
    });

    test("after a pull request was closed, the same may be said of it again", async () => {
      const other = "github.com/42#11@0123456789abcdef0123456789abcdef";
      const closed: Arrival = {
        delivery: { id: "closed", event: "pull_request", receivedAt: 2, meaning: null },
        outcome: { kind: "cancel", key: "github.com/42#1", delivery: "closed", reason: "closed", others: null },
        beside: [],
      };
      await inbox.take([arrival({ meaning: MEANING }), arrival({ meaning: other }, 11), closed]);
      expect(await inbox.take([arrival({ meaning: MEANING }), arrival({ meaning: other }, 11)])).toEqual([true, false]);
    });

    test("none of a batch is kept when one cannot be", async () => {
      const broken = {
        ...arrival(),
        delivery: { id: "b", event: null as unknown as string, receivedAt: 1, meaning: null },
      };
      await expect(inbox.take([arrival(), broken])).rejects.toThrow(/not.null/i);
      expect(await opened.rows()).toEqual([]);
      expect((await opened.queue.counts()).waiting).toBe(0);
    });

    test("whether anything can be kept is tried with a write, as often as one likes", async () => {
      for (const at of [1, 2, 1]) await inbox.probe(at);
      expect(await opened.rows()).toEqual([]);
    });
  });
}
