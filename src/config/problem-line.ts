// A problem as compilers print it, so that terminals and editors can jump to it.
import type { ConfigProblem } from "./repo-config.ts";

/** `.kodiai.yml:3:12: error: review.maxComments: must be at most 20`; line and column only where they are known. */
export function problemLine(problem: ConfigProblem): string {
  const place = problem.line === null ? "" : `:${problem.line}:${problem.column ?? 1}`;
  const key = problem.key === "" ? "" : `${problem.key}: `;
  return `${problem.file}${place}: ${problem.severity}: ${key}${problem.message}`;
}
