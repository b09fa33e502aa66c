// What the command line can do: one page, and what of it is about one verb.

/** Every verb with its options. Two spaces open a verb, more go on with it. */
export const HELP = `kodiai: reviews changes, and remembers what your reviewers said

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
             --without-checks          an App that makes no check runs: GitHub then shows no queued suite of it
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
           --rewrite                   in PostgreSQL, also alone: writes each table anew, locked, so that no file holds what went
  mcp      memory and review as tools for coding agents (Model Context Protocol), on standard input and output
             --http PORT               over HTTP on loopback, with the token in KODIAI_MCP_TOKEN
             --allow-write             may remember notes; --all may be asked about every repository that memory knows
  doctor   what is configured, reachable and degraded; in the server's folder, with --data-dir, it reads .env too
             --model                   asks the model one small question, which costs a little
             --live OWNER/NAME         instead try on GitHub what no document promises, in a repository made for it: asks first,
                                       opens a pull request with GITHUB_TOKEN or --token-file FILE, cleans up, prints a report
             --yes, --force            ask nothing; go on in a repository that is in use
             --outside-login yes|no    whether an outside collaborator could log in to the dashboard
  version  of Kodiai and of Node
  help     this page; kodiai VERB --help: what that verb takes

  --repo REPO       the repository: a folder (here), for memory also the OWNER/NAME of one that it knows
  --data-dir DIR    where Kodiai keeps its files
  --format FORMAT   pretty, md, json or sarif; --json for short
  --model off       rules and memory only, whatever the environment names
  --show-prompt     print what a model would be asked, and ask nobody

environment: ANTHROPIC_API_KEY, OPENAI_API_KEY or an address in ANTHROPIC_BASE_URL or OPENAI_BASE_URL names who reads the
change, KODIAI_MODEL the model;
GITHUB_TOKEN reads pull requests and their past (retract acts as the App where APP_ID is set); GITHUB_API_URL with
GITHUB_SERVER_URL name another GitHub, as in Actions; NO_COLOR and FORCE_COLOR decide about colours

exit: 0 done, 1 findings at or above --fail-on, 2 usage or configuration, 3 could not review`;

/** What {@link HELP} says of one verb and of the options that all take; null for a word that is no verb. */
export function helpOf(verb: string): string | null {
  const lines = HELP.split("\n");
  const from = lines.findIndex((line) => line.startsWith(`  ${verb} `));
  if (from === -1 || !/^[a-z]/.test(verb)) return null;
  const length = lines.slice(from + 1).findIndex((line) => !line.startsWith("   "));
  const common = lines.slice(lines.findIndex((line) => line.startsWith("  --repo REPO")));
  return [`usage: kodiai ${verb} [options]`, "", ...lines.slice(from, from + 1 + length), "", ...common].join("\n");
}
