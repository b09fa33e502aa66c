#!/usr/bin/env node
// kodiai VERB [options]: parses the command line, runs one verb, ends with its exit code.
import manifest from "../../package.json" with { type: "json" };
import { didYouMean } from "../config/did-you-mean.ts";
import { keepCompiled } from "../server/keep-compiled.ts";
import { helpOf, overview } from "./help.ts";
import { terminalText } from "./terminal-text.ts";
import { type ExitCode, UsageError } from "./usage.ts";
import type { VerbName } from "./verbs.ts";

type Run = (words: readonly string[]) => Promise<ExitCode>;

const memoryPorts = () => import("../wire/cli/memory.ts");
const storePorts = () => import("../wire/cli/store.ts");
const gitPorts = () => import("../wire/cli/git.ts");

/** Loaded on demand, so that help and usage errors answer at once. */
const RUN: Readonly<Record<VerbName, () => Promise<Run>>> = {
  review: async () => (await import("./review.ts")).review,
  explain: async () => (await import("./explain.ts")).explain,
  hook: async () => withPorts((await import("./hook.ts")).hook, (await gitPorts()).hookPorts),
  memory: async () => withPorts((await import("./memory.ts")).memory, (await memoryPorts()).memoryVerbPorts),
  import: async () =>
    withPorts((await import("./import-history.ts")).importPast, (await memoryPorts()).historyVerbPorts),
  index: async () => withPorts((await import("./index-repository.ts")).index, (await memoryPorts()).indexVerbPorts),
  search: async () => withPorts((await import("./search.ts")).search, (await memoryPorts()).searchVerbPorts),
  conventions: async () =>
    withPorts((await import("./conventions.ts")).conventions, (await memoryPorts()).conventionsVerbPorts),
  replay: async () => withPorts((await import("./replay.ts")).replay, (await memoryPorts()).memoryVerbPorts),
  stats: async () => withPorts((await import("./stats.ts")).stats, (await memoryPorts()).statsVerbPorts),
  setup: async () =>
    withPorts((await import("./setup.ts")).setup, (await import("../wire/cli/setup.ts")).setupVerbPorts),
  init: async () => withPorts((await import("./fit-config.ts")).init, (await gitPorts()).checkoutIn),
  config: async () =>
    withPorts((await import("./config.ts")).config, (await import("../wire/cli/config.ts")).configVerbPorts),
  serve: async () => (await import("./serve.ts")).serve,
  doctor: async () => {
    const { doctor } = await import("./doctor.ts");
    return (words) => doctor(words);
  },
  jobs: async () => withPorts((await import("./jobs.ts")).jobs, (await storePorts()).jobsVerbPorts),
  retract: async () =>
    withPorts((await import("./retract.ts")).retract, (await import("../wire/cli/retract.ts")).retractVerbPorts),
  backup: async () => withPorts((await import("./backup.ts")).backup, (await storePorts()).backupPorts),
  restore: async () => withPorts((await import("./backup.ts")).restore, (await storePorts()).backupPorts),
  migrate: async () => withPorts((await import("./migrate.ts")).migrate, (await storePorts()).openMigration),
  "export-data": async () => withPorts((await import("./person.ts")).exportData, (await storePorts()).personPorts),
  erase: async () => withPorts((await import("./person.ts")).erase, (await storePorts()).personPorts),
  mcp: async () => withPorts((await import("./mcp.ts")).mcp, (await import("../wire/cli/mcp.ts")).mcpPorts),
};

keepCompiled();
// `kodiai review | head`: a reader that closes the pipe early is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 3);
});
process.exitCode = await main(process.argv.slice(2));

async function main([verb = "help", ...words]: readonly string[]): Promise<ExitCode> {
  if (verb === "help" || verb === "--help" || verb === "-h") return help(words[0]);
  if (verb === "version" || verb === "--version")
    return say(`kodiai ${manifest.version}, Node ${process.versions.node}`);
  if (!isVerb(verb)) return unknownVerb(verb);
  if (words.includes("--help") || words.includes("-h")) return help(verb);
  try {
    const run = await RUN[verb]();
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
  console.error(`kodiai: unknown command ${JSON.stringify(word)}; ${fix}`);
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

/** A verb whose ports come from a function of the parsed options. */
function withPorts<Open>(verb: (words: readonly string[], open: Open) => Promise<ExitCode>, open: Open): Run {
  return (words) => verb(words, open);
}
