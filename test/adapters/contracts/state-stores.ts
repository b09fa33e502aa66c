import { answerStoreContract } from "./answer-store.ts";
import { checkStoreContract } from "./check-store.ts";
import { decisionsContract } from "./decisions.ts";
import { expireContract } from "./expire.ts";
import { feedbackStoreContract } from "./feedback-store.ts";
import { fenceContract } from "./fences.ts";
import { missedEventsContract } from "./missed-events.ts";
import { tracesContract } from "./repository-data.ts";
import { smallStoresContract } from "./small-stores.ts";
import { spendingContract } from "./spending.ts";
import type { OpenStateStores } from "./store-harness.ts";

/** What every store promises of its books; those of reviews and writes have suites of their own. */
export function stateStoreContracts(name: string, open: OpenStateStores): void {
  fenceContract(name, open);
  decisionsContract(name, open);
  answerStoreContract(name, open);
  checkStoreContract(name, open);
  feedbackStoreContract(name, open);
  smallStoresContract(name, open);
  spendingContract(name, open);
  missedEventsContract(name, open);
  tracesContract(name, open);
  expireContract(name, open);
}
