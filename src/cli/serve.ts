// kodiai serve: the server, for whoever installed the package and has no clone of it.
import { type ExitCode, noMore } from "./usage.ts";

/**
 * Starts it; the process then lives until a signal ends it. What is wrong with the environment is told by the server
 * itself, which then ends with 2.
 *
 * @throws UsageError
 */
export async function serve(words: readonly string[]): Promise<ExitCode> {
  noMore(words);
  await import("../main.ts");
  return process.exitCode === 2 ? 2 : 0;
}
