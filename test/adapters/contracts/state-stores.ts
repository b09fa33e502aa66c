import { answerBookContract } from "./answer-store.ts";
import { checkBookContract } from "./check-store.ts";
import { decisionsContract } from "./decisions.ts";
import { expireContract } from "./expire.ts";
import { feedbackBookContract } from "./feedback-store.ts";
import { fenceContract } from "./fences.ts";
import { missedEventsContract } from "./missed-events.ts";
import { tracesContract } from "./repository-data.ts";
import { smallBooksContract } from "./small-stores.ts";
import { spendingContract } from "./spending.ts";
import type { OpenBooks } from "./store-harness.ts";

/** What every store promises of its books; those of reviews and writes have suites of their own. */
export function bookContracts(name: string, open: OpenBooks): void {
  fenceContract(name, open);
  decisionsContract(name, open);
  answerBookContract(name, open);
  checkBookContract(name, open);
  feedbackBookContract(name, open);
  smallBooksContract(name, open);
  spendingContract(name, open);
  missedEventsContract(name, open);
  tracesContract(name, open);
  expireContract(name, open);
}
