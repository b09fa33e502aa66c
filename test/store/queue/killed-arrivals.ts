import type { Arrival } from "../../../src/ports/inbox.ts";
import { reviewJob } from "../../adapters/contracts/queue.ts";

/** Three deliveries of one batch, the same each time: three jobs of as many pull requests. */
export function arrivals(): readonly Arrival[] {
  return [1, 2, 3].map((number) => {
    const delivery = `delivery-${number}`;
    return {
      delivery: { id: delivery, event: "pull_request", receivedAt: 1, meaning: `github.com/42#${number}@${number}` },
      outcome: { ...reviewJob(number, "a"), delivery },
      beside: [],
    };
  });
}
