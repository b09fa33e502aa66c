#!/usr/bin/env node
// kodiai VERB [options]: reads the words, runs one verb, ends with its exit code.
import { config } from "./config.ts";
import { doctor } from "./doctor.ts";
import { explain } from "./explain.ts";
import { review } from "./review.ts";
import { type ExitCode, UsageError } from "./usage.ts";

const HELP = `kodiai: reviews changes, and remembers what your reviewers said

usage: kodiai VERB [options]

  review   review a range of commits, the index, a diff file or a pull request
             --base REV --head REV     commits of HEAD since it left REV (head: HEAD)
             --staged                  what is staged
             --diff FILE               a unified diff; - reads standard input
             https://…/pull/N          a pull request, read with GITHUB_TOKEN; nothing is posted
             --fail-on SEVERITY        exit 1 on findings at least this severe (critical, major, medium, minor)
  explain  the same, and print what each room hands on
  config   check FILE                  problems of a .kodiai.yml, with line and column
           schema                      its JSON Schema
  doctor   what is configured, reachable and degraded
  help     this page

  --repo PATH       the repository (here)
  --data-dir DIR    where Kodiai keeps its files
  --format FORMAT   pretty, md, json or sarif; --json for short

exit: 0 done, 1 findings at or above --fail-on, 2 usage or configuration, 3 could not review`;

const VERBS: ReadonlyMap<string, (words: readonly string[]) => Promise<ExitCode>> = new Map([
  ["review", review],
  ["explain", explain],
  ["config", config],
  ["doctor", doctor],
]);

process.exitCode = await main(process.argv.slice(2));

async function main([verb = "help", ...words]: readonly string[]): Promise<ExitCode> {
  if (["help", "--help", "-h"].includes(verb) || words.includes("--help") || words.includes("-h")) {
    console.log(HELP);
    return 0;
  }
  const run = VERBS.get(verb);
  if (run === undefined) {
    console.error(`kodiai: ${JSON.stringify(verb)} is not a verb of mine; kodiai help lists them`);
    return 2;
  }
  try {
    return await run(words);
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`kodiai ${verb}: ${error.message}`);
      return 2;
    }
    console.error(`kodiai ${verb}: could not finish: ${error instanceof Error ? error.message : String(error)}`);
    if (process.env.KODIAI_DEBUG !== undefined) console.error(error);
    return 3;
  }
}
