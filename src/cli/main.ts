#!/usr/bin/env node
// kodiai VERB [options]: reads the words, runs one verb, ends with its exit code.
import manifest from "../../package.json" with { type: "json" };
import { didYouMean } from "../config/did-you-mean.ts";
import { terminalText } from "./terminal-text.ts";
import { type ExitCode, UsageError } from "./usage.ts";

const HELP = `kodiai: reviews changes, and remembers what your reviewers said

usage: kodiai VERB [options]

  review   review a range of commits, the index, a diff file or a pull request
             --base REV --head REV     commits of HEAD since it left REV (head: HEAD)
             --staged                  what is staged
             --diff FILE               a unified diff; - reads standard input
             https://…/pull/N          a pull request, read with GITHUB_TOKEN; nothing is posted
             --config FILE             instead of .kodiai.yml as it stands at the base
             --fail-on SEVERITY        exit 1 on findings at least this severe (critical, major, medium, minor)
  explain  the same, and print what each room hands on
  setup    make the GitHub App, keep its secrets, check webhook and rights; run again, it goes on where it was
             --webhook-url URL         where GitHub reaches the server: https://YOUR-HOST/api/github/webhooks
             --org ORG, --host HOST    an organisation's App; GitHub Enterprise Server, with --private-network in your own
             --app-id N --private-key-file FILE   an App that is there; --webhook-secret-file FILE its secret, else a new one
             --client-id ID --client-secret-file FILE   its client, for logins to the dashboard; a new App's is kept by itself
             --dashboard-url URL       where people reach the dashboard, if not on this machine
             --import OWNER/NAME       read what was said there, with an estimate first; may be given more than once
             --port N, --name NAME, --env-file FILE, --timeout SECONDS, --new; --yes asks nothing
  serve    start the server here, with the .env of this folder
  init     write a .kodiai.yml that fits --repo (here): its languages, what is generated, what it documents
             --preset PRESET           start from quiet, balanced or thorough; --force writes over a file; --stdout only prints
  hook     install | uninstall | status   a pre-push hook that reviews what is about to be pushed
             --fail-on SEVERITY        what stops a push (major); --model auto also asks the model
  config   show                        every key of --repo with its value and who said it: a file, a preset, the default
           explain KEY                 what a key means and takes, and what it is here
           check FILE                  problems of a .kodiai.yml, with line and column
           schema                      its JSON Schema
  memory   import FILE                 remember rows of a JSONL file (our export, or a corpus); with --repo as its own
           export FILE                 all of --repo, or of all repositories with --all, as JSONL; - standard output
             --pairs                   pairs of situation and code instead, to tune an embedder with
           ls | show ID | stats        what is remembered of --repo
           why ID                      what people did about a finding, and what each act did to its outcome
           forget ID                   take one memory of --repo out
           backfill                    give rows without a language the one that their path tells
           describe [REPO]             what having the model write situation, lesson and tags of reviews' memories would
                                       cost; with --yes it does: at most --limit N, and within --budget USD a month
  import   OWNER/NAME                  remember what was said in its past reviews, read with GITHUB_TOKEN; run again, it goes on
             --limit N                 the newest N comments of each kind, and the reviews of N pull requests (1000)
             --since DATE              only what was said or changed since, such as 2026-01-31
             --dry-run                 count, and remember nothing
  index    remember the documents and code of --repo at --rev (HEAD); run again, only what changed
             --wiki PATH               the pages of its wiki, from a clone of it
  search   TEXT …                      what memory says about it, as a review would find it; several texts, one list
             --method METHOD           semantic, keyword or hybrid (hybrid)
             --language, --type, --path, --corpus   only such memories: C++, function or security, src/auth/ or a glob,
                                       finding, review_comment, doc, wiki or code; each may be given more than once
             --top N, --threshold S    at most N memories (10), at least S alike (0–1)
  conventions                          what reviewers of --repo keep asking for, proposed as pathInstructions; writes nothing
             --min N, --since DATE     on at least N pull requests (3), since a day such as 2026-03-01
  replay   does memory help --repo? its last pull requests once more: memory on, off, another repository's
             --last N                  the newest N pull requests (200)
  stats    what retrieval did: --window 24h, 7d; of all repositories, or of --repo
  retract  URL of a review, or OWNER/NAME#N   take a review back: hide its comments, say so, forget it
             --review ID               which review (the newest); --dry-run changes nothing
  jobs     ls                          what waits, runs and was parked: --state STATE for one of them, also done
           show ID                     one job, with its reason
           retry ID | drop ID          have it tried again, or take it out; with --all everything that was parked
  backup   DIR                         copy the store beside a running server, verified, into a new folder
  restore  DIR                         a store from such a copy, in a folder that has none; forgets again what was forgotten
  migrate  sqlite://DIR postgres://…   move a store into an empty PostgreSQL, compared row for row; goes on where it was stopped
  export-data --user LOGIN|ID          everything that is kept about a person, as JSON lines; --output FILE
  erase    --user LOGIN|ID             have it no longer tell who it was; --texts removes what they wrote; --dry-run counts
  mcp      memory and review as tools for coding agents (Model Context Protocol), on standard input and output
             --http PORT               over HTTP on loopback, with the token in KODIAI_MCP_TOKEN
             --allow-write             may remember notes; --all may be asked about every repository that memory knows
  doctor   what is configured, reachable and degraded
  version  of Kodiai and of Node
  help     this page

  --repo REPO       the repository: a folder (here), for memory also the OWNER/NAME of one that it knows
  --data-dir DIR    where Kodiai keeps its files
  --format FORMAT   pretty, md, json or sarif; --json for short
  --model off       rules and memory only, whatever the environment names
  --show-prompt     print what a model would be asked, and ask nobody

environment: ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL name a model that reads the change, KODIAI_MODEL which one;
GITHUB_TOKEN reads pull requests and their past; GITHUB_API_URL with GITHUB_SERVER_URL name another GitHub, as in Actions;
NO_COLOR and FORCE_COLOR decide about colours
environment: GITHUB_TOKEN reads pull requests (retract acts as the App where APP_ID is set); GITHUB_API_URL with GITHUB_SERVER_URL name another GitHub, as in
Actions; NO_COLOR and FORCE_COLOR decide about colours

exit: 0 done, 1 findings at or above --fail-on, 2 usage or configuration, 3 could not review`;

type Verb = (words: readonly string[]) => Promise<ExitCode>;

/** Loaded when they are wanted: help and mistakes are answered at once. */
const VERBS: ReadonlyMap<string, () => Promise<Verb>> = new Map([
  ["review", async () => (await import("./review.ts")).review],
  ["explain", async () => (await import("./explain.ts")).explain],
  [
    "memory",
    async () => withPorts((await import("./memory.ts")).memory, (await import("../wire/cli.ts")).memoryVerbPorts),
  ],
  [
    "import",
    async () =>
      withPorts((await import("./import-history.ts")).importPast, (await import("../wire/import.ts")).historyVerbPorts),
  ],
  [
    "index",
    async () =>
      withPorts((await import("./index-repository.ts")).index, (await import("../wire/cli.ts")).indexVerbPorts),
  ],
  [
    "search",
    async () => withPorts((await import("./search.ts")).search, (await import("../wire/cli.ts")).searchVerbPorts),
  ],
  [
    "conventions",
    async () =>
      withPorts(
        (await import("./conventions.ts")).conventions,
        (await import("../wire/conventions.ts")).conventionsVerbPorts,
      ),
  ],
  [
    "replay",
    async () => withPorts((await import("./replay.ts")).replay, (await import("../wire/cli.ts")).memoryVerbPorts),
  ],
  ["stats", async () => withPorts((await import("./stats.ts")).stats, (await import("../wire/cli.ts")).statsVerbPorts)],
  ["jobs", async () => withPorts((await import("./jobs.ts")).jobs, (await import("../wire/jobs.ts")).jobsVerbPorts)],
  [
    "retract",
    async () =>
      withPorts((await import("./retract.ts")).retract, (await import("../wire/retract.ts")).retractVerbPorts),
  ],
  [
    "backup",
    async () => withPorts((await import("./backup.ts")).backup, (await import("../wire/upkeep.ts")).backupPorts),
  ],
  [
    "restore",
    async () => withPorts((await import("./backup.ts")).restore, (await import("../wire/upkeep.ts")).backupPorts),
  ],
  [
    "migrate",
    async () => withPorts((await import("./migrate.ts")).migrate, (await import("../wire/migrate.ts")).openMigration),
  ],
  [
    "export-data",
    async () => withPorts((await import("./person.ts")).exportData, (await import("../wire/upkeep.ts")).personPorts),
  ],
  [
    "erase",
    async () => withPorts((await import("./person.ts")).erase, (await import("../wire/upkeep.ts")).personPorts),
  ],
  ["hook", async () => withPorts((await import("./hook.ts")).hook, (await import("../wire/hook.ts")).hookPorts)],
  [
    "setup",
    async () => withPorts((await import("./setup.ts")).setup, (await import("../wire/setup.ts")).setupVerbPorts),
  ],
  ["serve", async () => (await import("./serve.ts")).serve],
  ["mcp", async () => withPorts((await import("./mcp.ts")).mcp, (await import("../wire/mcp.ts")).mcpPorts)],
  ["init", async () => withPorts((await import("./init.ts")).init, (await import("../wire/init.ts")).checkoutIn)],
  [
    "config",
    async () => withPorts((await import("./config.ts")).config, (await import("../wire/config.ts")).configVerbPorts),
  ],
  ["doctor", async () => (await import("./doctor.ts")).doctor],
]);

// `kodiai review | head`: whoever read enough went away, which is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 3);
});
process.exitCode = await main(process.argv.slice(2));

async function main([verb = "help", ...words]: readonly string[]): Promise<ExitCode> {
  const all = [verb, ...words];
  if (verb === "help" || all.includes("--help") || all.includes("-h")) return say(HELP);
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
