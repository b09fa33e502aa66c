// Every verb: its summary, forms and options, for parsing, `--help` and docs/cli.md.

interface VerbOption {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  /** Placeholder of its value. */
  readonly value?: string;
  readonly text: string;
}

export interface Verb {
  /** Its heading in the overview. */
  readonly group: "review" | "memory" | "set up" | "operate";
  readonly summary: string;
  /** The words after `kodiai VERB`, and what they do; the usual one first. */
  readonly forms: readonly (readonly [words: string, text: string])[];
  readonly options: Readonly<Record<string, VerbOption>>;
}

const takes = (value: string, text: string) => ({ type: "string", value, text }) as const;
const several = (value: string, text: string) => ({ ...takes(value, text), multiple: true }) as const;
const flag = (text: string) => ({ type: "boolean", text }) as const;

const HERE = takes("DIR", "a clone (default: this folder)");
const REPO = takes("REPO", "a clone, or OWNER/NAME of a repository in memory (default: this folder)");
const DATA_DIR = takes("DIR", "where Kodiai keeps its files (default: KODIAI_DATA_DIR, else your data folder)");
const JSON_OUTPUT = flag("print JSON");
/** Of a verb that prints a page or JSON; `--format json` is `--json`. */
export const FORMAT = takes("FORMAT", "pretty or json");
const MODEL = takes("off", "use rules and memory only, even where a model is configured");

const OUTPUT = { "data-dir": DATA_DIR, format: FORMAT, json: JSON_OUTPUT } as const;
const IN_MEMORY = { repo: REPO, ...OUTPUT } as const;

const CHANGE = {
  base: takes("REV", "review what the head adds since it left REV"),
  head: takes("REV", "the head of that range (default: HEAD)"),
  staged: flag("review what is staged"),
  diff: takes("FILE", "review a unified diff; - reads standard input"),
  "from-outsider": flag("the author has no write access: `kodiai-ignore` and the title hide nothing"),
  config: takes("FILE", "instead of .kodiai.yml at the base"),
  sarif: several("FILE", "results of another tool, as SARIF 2.1.0; those on changed lines are findings too"),
  model: MODEL,
  "show-prompt": flag("print the prompt without calling the model"),
  repo: HERE,
  "data-dir": DATA_DIR,
  json: JSON_OUTPUT,
} as const;

const RANGES = [
  ["", "uncommitted work; if there is none, what HEAD adds to the default branch"],
  ["REV", "what HEAD adds since it left REV"],
  ["BASE..HEAD", "what HEAD adds since it left BASE"],
  ["https://HOST/OWNER/NAME/pull/N", "a pull request, read with GITHUB_TOKEN; posted only with --comment"],
] as const;

export const VERBS = {
  review: {
    group: "review",
    summary: "review local changes, a diff or a pull request",
    forms: RANGES,
    options: {
      ...CHANGE,
      format: takes("FORMAT", "pretty, md, json or sarif"),
      "fail-on": takes(
        "SEVERITY",
        "exit with 1 on a finding at least this severe (critical, major, medium, minor; or never), with 3 if the configured model did not read the change",
      ),
      apply: flag("write the suggestions into the working tree, after asking"),
      yes: flag("--apply: do not ask"),
      comment: flag("URL: post the review there, in a workflow with its GITHUB_TOKEN"),
      outcome: takes("FILE", "also write findings, Markdown, and whether it was posted, as JSON"),
    },
  },
  explain: {
    group: "review",
    summary: "review a change and print the output of every pipeline stage",
    forms: RANGES,
    options: { ...CHANGE, format: FORMAT, full: flag("print all of each stage") },
  },
  memory: {
    group: "memory",
    summary: "list, explain, move and delete what is remembered",
    forms: [
      ["ls", "memories of the repository"],
      ["show ID", "one memory"],
      ["why ID", "what people did about a finding, and how that changed its outcome"],
      ["stats", "counts by language, outcome and source"],
      ["forget ID", "delete one memory"],
      ["export FILE", "write memories as JSONL; - is standard output"],
      ["import FILE", "read memories from JSONL"],
      ["backfill", "set the missing language of old rows from their path"],
    ],
    options: {
      ...IN_MEMORY,
      all: flag("export: all repositories"),
      corpus: takes("NAME", "ls: only this corpus"),
      pairs: flag("export: pairs of situation and code, to fine-tune an embedder"),
      limit: takes("N", "ls: at most N memories (default: 50)"),
    },
  },
  import: {
    group: "memory",
    summary: "import past reviews from GitHub",
    forms: [["OWNER/NAME", "with GITHUB_TOKEN; safe to run again, resumes where it stopped"]],
    options: {
      limit: takes("N", "the N closed pull requests that changed last (default: 1000)"),
      since: takes("DATE", "only pull requests that changed since, such as 2026-01-31"),
      "dry-run": flag("count, and store nothing"),
      ...OUTPUT,
    },
  },
  index: {
    group: "memory",
    summary: "index the documents of a repository",
    forms: [["[DIR]", "index a clone; reads only what changed"]],
    options: {
      rev: takes("REV", "the commit to index (default: HEAD)"),
      wiki: takes("DIR", "a clone of its wiki, to index its pages"),
      ...IN_MEMORY,
    },
  },
  search: {
    group: "memory",
    summary: "search memory as a review does",
    forms: [["TEXT …", "memories about it; several texts give one list"]],
    options: {
      method: takes("METHOD", "semantic, keyword or hybrid (default: hybrid)"),
      language: several("NAME", "only this language, such as C++"),
      type: several("KIND", "only this kind: function, class, security …"),
      path: several("PATH", "only this path, folder (src/auth/) or glob"),
      corpus: several("NAME", "only finding, review_comment, doc, wiki or code"),
      top: takes("N", "at most N memories (default: 10)"),
      threshold: takes("S", "at least this similarity, 0 to 1"),
      rerank: flag("reorder the result with the configured reranker"),
      ...IN_MEMORY,
    },
  },
  replay: {
    group: "memory",
    summary: "backtest memory on the repository's own history (own memory / none / placebo)",
    forms: [["", "replay its closed pull requests in time order"]],
    options: {
      last: takes("N", "the newest N pull requests (default: 200)"),
      ...IN_MEMORY,
    },
  },
  stats: {
    group: "memory",
    summary: "print retrieval statistics",
    forms: [["", "of all repositories, or of --repo"]],
    options: {
      window: takes("TIME", "24h, 7d … (default: 24h)"),
      ...IN_MEMORY,
    },
  },
  setup: {
    group: "set up",
    summary: "create the GitHub App, store its secrets, check webhook and permissions",
    forms: [["", "safe to run again, resumes where it stopped"]],
    options: {
      "webhook-url": takes("URL", "where GitHub reaches the server: https://YOUR-HOST/api/github/webhooks"),
      org: takes("ORG", "create the App for an organisation"),
      host: takes("HOST", "a GitHub Enterprise Server, or SUBDOMAIN.ghe.com"),
      "private-network": flag("that host is in your own network"),
      name: takes("NAME", "name of the App (default: Kodiai)"),
      "app-id": takes("N", "use an existing App"),
      "private-key-file": takes("FILE", "its private key"),
      "webhook-secret-file": takes("FILE", "its webhook secret; generated if omitted"),
      "dashboard-url": takes("URL", "where people reach the dashboard, if not on this machine"),
      "without-checks": flag("create an App without check runs"),
      "code-scanning": flag("ask for `security_events: read` too"),
      new: flag("create another App"),
      port: takes("N", "port of the local set-up page"),
      timeout: takes("SECONDS", "how long to wait for the browser (default: 900)"),
      "variables-file": takes("FILE", "where to store the variables (default: .env)"),
      "data-dir": DATA_DIR,
      yes: flag("ask no questions"),
    },
  },
  init: {
    group: "set up",
    summary: "write a first .kodiai.yml",
    forms: [["", "with the preset, and examples of other keys as comments"]],
    options: {
      preset: takes("PRESET", "quiet, balanced or thorough (default: balanced)"),
      force: flag("overwrite an existing file"),
      stdout: flag("print it, and write nothing"),
      repo: HERE,
    },
  },
  config: {
    group: "set up",
    summary: "show, explain and check the configuration",
    forms: [
      ["show", "what differs from the defaults, and which file sets it"],
      ["explain KEY", "what a key means, its values and its value here"],
      ["check [FILE]", "problems of a .kodiai.yml, with line and column"],
      ["schema", "print the JSON Schema"],
    ],
    options: {
      all: flag("show: also keys at their default"),
      repo: takes("REPO", "a clone, or for show and explain OWNER/NAME on GitHub (default: this folder)"),
      format: FORMAT,
      json: JSON_OUTPUT,
    },
  },
  serve: {
    group: "operate",
    summary: "start the server",
    forms: [["", "with the .env of this folder; docs/environment.md lists its variables"]],
    options: {
      "in-process": flag("for debugging: run jobs in the server's own process, where one can keep it from answering"),
    },
  },
  doctor: {
    group: "operate",
    summary: "check configuration, connectivity and degraded features",
    forms: [["", "print what is wrong and how to fix it"]],
    options: {
      all: flag("also print what is in order"),
      model: flag("ask the model one question as large, and as costly, as a review's, and print what its server takes"),
      ...OUTPUT,
    },
  },
  jobs: {
    group: "operate",
    summary: "list, retry and delete jobs",
    forms: [
      ["ls", "waiting, running and parked jobs, with the reason; --json has all of each"],
      ["retry ID", "run a parked job again"],
      ["drop ID", "delete a job"],
    ],
    options: {
      state: takes("STATE", "ls: waiting, running, parked or done"),
      all: flag("retry, drop: every parked job"),
      ...OUTPUT,
    },
  },
  backup: {
    group: "operate",
    summary: "copy the store while the server runs",
    forms: [["DIR", "into a new folder, verified"]],
    options: OUTPUT,
  },
  restore: {
    group: "operate",
    summary: "restore the store from a backup",
    forms: [["DIR", "into an empty data folder; what was deleted since the backup is deleted again"]],
    options: OUTPUT,
  },
  migrate: {
    group: "operate",
    summary: "move the store to PostgreSQL",
    forms: [["sqlite://DIR postgres://…", "into an empty database, compared row by row; all of it or nothing"]],
    options: { json: JSON_OUTPUT },
  },
  "export-data": {
    group: "operate",
    summary: "export everything stored about a person",
    forms: [["--user LOGIN|ID", "as JSON lines"]],
    options: {
      user: takes("LOGIN|ID", "whose data"),
      output: takes("FILE", "write to a file instead of standard output"),
      "data-dir": DATA_DIR,
    },
  },
  erase: {
    group: "operate",
    summary: "anonymise everything stored about a person",
    forms: [["--user LOGIN|ID", "remove the name; --texts also removes what the person wrote"]],
    options: {
      user: takes("LOGIN|ID", "whose data"),
      texts: flag("also remove texts by that person"),
      "dry-run": flag("count, and change nothing"),
      json: JSON_OUTPUT,
      "data-dir": DATA_DIR,
    },
  },
  mcp: {
    group: "operate",
    summary: "offer memory and review to coding agents (Model Context Protocol)",
    forms: [["", "on standard input and output"]],
    options: {
      "allow-write": flag("allow agents to store notes"),
      all: flag("allow every indexed repository"),
      model: MODEL,
      repo: REPO,
      "data-dir": DATA_DIR,
    },
  },
} as const satisfies Readonly<Record<string, Verb>>;

export type VerbName = keyof typeof VERBS;
