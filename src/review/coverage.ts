// What the model really read: the plan without the questions that got no valid answer.
import type { Finding } from "../domain/finding.ts";
import type { Coverage, FileCoverage } from "../domain/review.ts";
import type { Reading, ReadingPlan } from "./reading/plan-reading.ts";

const FAILURES: Readonly<Record<string, string>> = {
  refused: "the model refused to answer",
  truncated: "the model's answer was cut off",
  "too-long": "it did not fit the model's context",
  malformed: "the model's answer did not have the requested form",
  "rate-limited": "the model's server is rate limited",
  overloaded: "the model's server is overloaded",
  timeout: "the model did not answer in time",
  unreachable: "the model's server could not be reached",
  denied: "the model's server refused our key",
  rejected: "the model's server refused the question",
  "circuit-open": "the model's server failed several times in a row and is not asked for a while",
  stopped: "the review was stopped",
  budget: "the budget of this review was used up",
};

/** A failure as text for people. */
export function failureText(failure: string): string {
  return FAILURES[failure] ?? "the model gave no answer";
}

/**
 * The coverage of each reviewed file.
 *
 * @param failures for each reading of the plan why it got no answer, or null
 * @param findings the model's, for how their places were established
 */
export function coverageOf(
  model: string,
  plan: ReadingPlan,
  failures: readonly (string | null)[],
  { cut, hidden }: Pick<Coverage, "cut" | "hidden">,
  findings: readonly Finding[],
): Coverage {
  const located = { anchor: 0, quote: 0, none: 0 };
  for (const { locMethod = "none" } of findings) located[locMethod === "rule" ? "none" : locMethod]++;
  return {
    model,
    questions: failures.length,
    unanswered: failures.filter((failure) => failure !== null).length,
    files: plan.coverage.map((file) => lessUnanswered(file, plan.readings, failures)),
    cut,
    hidden,
    located,
  };
}

function lessUnanswered(
  file: FileCoverage,
  readings: readonly Reading[],
  failures: readonly (string | null)[],
): FileCoverage {
  const here = readings.flatMap(({ paths }, at) => (paths.includes(file.path) ? [failures[at] ?? null] : []));
  const failed = here.filter((failure) => failure !== null);
  const [first] = failed;
  if (first === undefined || file.state === "not-read" || file.state === "earlier") return file;
  return { path: file.path, state: failed.length === here.length ? "not-read" : "partial", reason: failureText(first) };
}
