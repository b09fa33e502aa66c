// kodiai VERB [options]: parses the command line and runs one verb.

import manifest from "../../package.json" with { type: "json" };
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../config/usage-error.ts";
import { helpOf, overview } from "./help.ts";
import { terminalText } from "./terminal-text.ts";
import { type ExitCode, verb } from "./usage.ts";
import type { VerbName } from "./verbs.ts";

type Run = (words: readonly string[]) => Promise<ExitCode>;

/** Loaded on demand, so that help and usage errors answer at once. */
const RUN: Readonly<Record<VerbName, () => Promise<Run>>> = {
  review: async () => (await import("./review/review.ts")).review,
  explain: async () => (await import("./review/explain.ts")).explain,
  memory: async () => (await import("./memory/memory.ts")).memory,
  import: async () => (await import("./memory/import-history.ts")).importPast,
  index: async () => (await import("./memory/index-repository.ts")).index,
  search: async () => (await import("./memory/search.ts")).search,
  replay: async () => (await import("./memory/replay.ts")).replay,
  stats: async () => (await import("./data/stats.ts")).stats,
  setup: async () => (await import("./setup/setup.ts")).setup,
  init: async () => (await import("./setup/init.ts")).init,
  config: async () => (await import("./setup/config.ts")).config,
  serve: async () => serve,
  doctor: async () => (await import("./setup/doctor.ts")).doctor,
  jobs: async () => (await import("./data/jobs.ts")).jobs,
  backup: async () => (await import("./data/store-verbs.ts")).backup,
  restore: async () => (await import("./data/store-verbs.ts")).restore,
  migrate: async () => (await import("./data/store-verbs.ts")).migrate,
  "export-data": async () => (await import("./data/store-verbs.ts")).exportData,
  erase: async () => (await import("./data/store-verbs.ts")).erase,
  mcp: async () => (await import("./mcp.ts")).mcp,
};

/** The server runs until a signal ends it; for a wrong environment it says why, and ends with 2. */
const serve = verb("serve", 0, async () => {
  await import("../main.ts");
  return process.exitCode === 2 ? 2 : 0;
});

/**
 * `kodiai review | head`: a reader that closes the pipe early is not a failure, and changes neither
 * what a verb does nor how it ends. A server without a reader has nothing left to do. Once for each
 * process.
 */
export function outliveReaders([verb]: readonly string[]): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (code !== "EPIPE" && code !== "ERR_STREAM_DESTROYED") process.exit(3);
      else if (verb === "mcp" || verb === "serve") process.exit(0);
    });
}

/** Runs the verb that the first word names, and prints why it could not finish. Never rejects. */
export async function runVerb([verb = "help", ...words]: readonly string[]): Promise<ExitCode> {
  if (verb === "help" || verb === "--help" || verb === "-h") return help(words[0]);
  if (verb === "version" || verb === "--version")
    return say(`kodiai ${manifest.version}, Node ${process.versions.node}`);
  if (!isVerb(verb)) return unknownVerb(verb);
  if (words.includes("--help") || words.includes("-h")) return help(verb);
  try {
    const run = await RUN[verb]();
    // Only the words: some verbs take more from other callers.
    return await run(words);
  } catch (error) {
    return complain(verb, error);
  }
}

function isVerb(word: string): word is VerbName {
  return Object.hasOwn(RUN, word);
}

function help(word: string | undefined): ExitCode {
  if (word === undefined) return say(overview());
  const page = helpOf(word);
  return page === null ? unknownVerb(word) : say(page);
}

function unknownVerb(word: string): ExitCode {
  const near = didYouMean(word, Object.keys(RUN));
  const fix = near === null ? "run kodiai help" : `did you mean ${near}?`;
  console.error(`kodiai: unknown command ${terminalText(JSON.stringify(word))}; ${fix}`);
  return 2;
}

function say(text: string): ExitCode {
  console.log(text);
  return 0;
}

/** The message may quote a file name or git's output. */
function complain(verb: string, error: unknown): ExitCode {
  const message = terminalText(error instanceof Error ? error.message : String(error));
  if (error instanceof UsageError) {
    console.error(`kodiai ${verb}: ${message}`);
    return 2;
  }
  console.error(`kodiai ${verb}: could not finish: ${message}`);
  if (process.env.KODIAI_DEBUG !== undefined) console.error(error);
  return 3;
}
