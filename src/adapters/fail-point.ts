// Places at which a test may end or stop the process: before and after everything that is committed
// or sent. A test harness names one in KODIAI_FAIL_AT; without it nothing here has an effect.
//
//   KODIAI_FAIL_AT=after-post-review     the process kills itself (SIGKILL) at the first time
//   KODIAI_FAIL_AT=after-post-review:3   the third time
//   KODIAI_FAIL_HOW=stop                 it stops itself (SIGSTOP) instead, until it gets SIGCONT
//
// The harness reads `fail point: NAME` on standard error first.
import { writeSync } from "node:fs";

/**
 * In the order of a review: a delivery is committed (accept), its job taken (lease), a check run
 * begun, the review stored (save), sent, remembered and settled, the job ended.
 *
 * Of what is created on GitHub once, `before-post-X` is between the commit of the intent and the
 * request, `after-post-X` before the commit of GitHub's answer, `after-record-X` after it.
 * `edit-summary` and `end-check` may be repeated.
 */
export type FailPoint =
  | `${"before" | "after"}-${"accept" | "lease" | "save" | "edit-summary" | "remember" | "end-check" | "settle" | "end"}`
  | "after-begun"
  | `${"before-post" | "after-post" | "after-record"}-${"review" | "file" | "summary" | "answer" | "check" | "reaction"}`;

const armed = arm(process.env.KODIAI_FAIL_AT, process.env.KODIAI_FAIL_HOW);

/** Marks a place. Returns at once unless the environment names it. */
export function failPoint(name: FailPoint): void {
  if (armed === null || armed.name !== name || --armed.left !== 0) return;
  writeSync(2, `fail point: ${name}\n`);
  process.kill(process.pid, armed.signal);
}

function arm(at: string | undefined, how: string | undefined) {
  if (at === undefined || at === "") return null;
  const [name, times = "1"] = at.split(":");
  return { name, left: Number(times), signal: how === "stop" ? ("SIGSTOP" as const) : ("SIGKILL" as const) };
}
