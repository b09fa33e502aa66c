import { answerBookContract } from "./answer-book.ts";
import type { OpenBooks } from "./book-stage.ts";
import { checkBookContract } from "./check-book.ts";
import { decisionsContract } from "./decisions.ts";
import { expireContract } from "./expire.ts";
import { feedbackBookContract } from "./feedback-book.ts";
import { fenceContract } from "./fences.ts";
import { missedEventsContract } from "./missed-events.ts";
import { smallBooksContract } from "./small-books.ts";
import { spendingContract } from "./spending.ts";
import { tracesContract } from "./traces.ts";

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
