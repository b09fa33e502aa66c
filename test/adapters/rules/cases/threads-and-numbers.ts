// More cases of rules about threads and numbers, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const THREADS_AND_NUMBERS: Cases = {
  "decimal-from-float": {
    bad: [example("app/price.py", "rate = Decimal(0.19)")],
    good: [example("app/price.py", 'rate = Decimal("0.19")'), example("app/price.py", "half = Decimal(0.5)")],
  },
  "thread-run": {
    bad: [example("app/work.py", "threading.Thread(target=job).run()")],
    good: [example("app/work.py", "threading.Thread(target=job).start()")],
  },
  "shared-date-format": {
    bad: [example("Dates.java", 'class Dates { static DateFormat day = new SimpleDateFormat("yyyy-MM-dd"); }')],
    good: [
      example(
        "Dates.java",
        'class Dates { void run() { SimpleDateFormat day = new SimpleDateFormat("yyyy-MM-dd"); } }',
      ),
    ],
  },
  "interrupt-swallowed": {
    bad: [
      example(
        "Poll.java",
        "class Poll { void run() { try { queue.take(); } catch (InterruptedException e) {",
        "  // go on",
        "} } }",
      ),
    ],
    good: [example("Poll.java", "class Poll { void run() throws InterruptedException { Thread.sleep(5); } }")],
  },
};
