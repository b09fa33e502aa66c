#!/usr/bin/env node
// kodiai VERB [options]: reads the words, runs one verb, ends with its exit code.
import manifest from "../../package.json" with { type: "json" };
import { didYouMean } from "../config/did-you-mean.ts";
import { keepCompiled } from "../server/keep-compiled.ts";
import { HELP, helpOf } from "./help.ts";
import { terminalText } from "./terminal-text.ts";
import { type ExitCode, UsageError } from "./usage.ts";

type Verb = (words: readonly string[]) => Promise<ExitCode>;

/** Loaded when they are wanted: help and mistakes are answered at once. */
const VERBS: ReadonlyMap<string, () => Promise<Verb>> = new Map([
  ["review", async () => (await import("./review.ts")).review],
  ["explain", async () => (await import("./explain.ts")).explain],
  [
    "memory",
    async () =>
      withPorts((await import("./memory.ts")).memory, (await import("../wire/cli/memory.ts")).memoryVerbPorts),
  ],
  [
    "import",
    async () =>
      withPorts(
        (await import("./import-history.ts")).importPast,
        (await import("../wire/cli/memory.ts")).historyVerbPorts,
      ),
  ],
  [
    "index",
    async () =>
      withPorts((await import("./index-repository.ts")).index, (await import("../wire/cli/memory.ts")).indexVerbPorts),
  ],
  [
    "search",
    async () =>
      withPorts((await import("./search.ts")).search, (await import("../wire/cli/memory.ts")).searchVerbPorts),
  ],
  [
    "conventions",
    async () =>
      withPorts(
        (await import("./conventions.ts")).conventions,
        (await import("../wire/cli/memory.ts")).conventionsVerbPorts,
      ),
  ],
  [
    "replay",
    async () =>
      withPorts((await import("./replay.ts")).replay, (await import("../wire/cli/memory.ts")).memoryVerbPorts),
  ],
  [
    "stats",
    async () => withPorts((await import("./stats.ts")).stats, (await import("../wire/cli/memory.ts")).statsVerbPorts),
  ],
  [
    "jobs",
    async () => withPorts((await import("./jobs.ts")).jobs, (await import("../wire/cli/store.ts")).jobsVerbPorts),
  ],
  [
    "retract",
    async () =>
      withPorts((await import("./retract.ts")).retract, (await import("../wire/cli/retract.ts")).retractVerbPorts),
  ],
  [
    "backup",
    async () => withPorts((await import("./backup.ts")).backup, (await import("../wire/cli/store.ts")).backupPorts),
  ],
  [
    "restore",
    async () => withPorts((await import("./backup.ts")).restore, (await import("../wire/cli/store.ts")).backupPorts),
  ],
  [
    "migrate",
    async () => withPorts((await import("./migrate.ts")).migrate, (await import("../wire/cli/store.ts")).openMigration),
  ],
  [
    "export-data",
    async () => withPorts((await import("./person.ts")).exportData, (await import("../wire/cli/store.ts")).personPorts),
  ],
  [
    "erase",
    async () => withPorts((await import("./person.ts")).erase, (await import("../wire/cli/store.ts")).personPorts),
  ],
  ["hook", async () => withPorts((await import("./hook.ts")).hook, (await import("../wire/cli/git.ts")).hookPorts)],
  [
    "setup",
    async () => withPorts((await import("./setup.ts")).setup, (await import("../wire/cli/setup.ts")).setupVerbPorts),
  ],
  ["serve", async () => (await import("./serve.ts")).serve],
  ["mcp", async () => withPorts((await import("./mcp.ts")).mcp, (await import("../wire/cli/mcp.ts")).mcpPorts)],
  ["init", async () => withPorts((await import("./init.ts")).init, (await import("../wire/cli/git.ts")).checkoutIn)],
  [
    "config",
    async () =>
      withPorts((await import("./config.ts")).config, (await import("../wire/cli/config.ts")).configVerbPorts),
  ],
  [
    "doctor",
    async () => {
      const { doctor } = await import("./doctor.ts");
      return (words) => doctor(words);
    },
  ],
]);

keepCompiled();
// `kodiai review | head`: whoever read enough went away, which is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 3);
});
process.exitCode = await main(process.argv.slice(2));

async function main([verb = "help", ...words]: readonly string[]): Promise<ExitCode> {
  const all = [verb, ...words];
  if (verb === "help") return say(helpOf(words[0] ?? "") ?? HELP);
  if (all.includes("--help") || all.includes("-h")) return say(helpOf(verb) ?? HELP);
  if (verb === "version" || verb === "--version") {
    return say(`kodiai ${manifest.version}, Node ${process.versions.node}`);
  }
  const load = VERBS.get(verb);
  if (load === undefined) {
    const near = didYouMean(verb, VERBS.keys());
    const mend = near === null ? "kodiai help lists them" : `did you mean ${near}?`;
    console.error(`kodiai: ${JSON.stringify(verb)} is not a verb of mine; ${mend}`);
    return 2;
  }
  try {
    const run = await load();
    return await run(words);
  } catch (error) {
    return complain(verb, error);
  }
}

function say(text: string): ExitCode {
  console.log(text);
  return 0;
}

/** The message may quote a file name or what git said about it. */
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

/** A verb that is given its ports by a function of the words it reads. */
function withPorts<Open>(verb: (words: readonly string[], open: Open) => Promise<ExitCode>, open: Open): Verb {
  return (words) => verb(words, open);
}
