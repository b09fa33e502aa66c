// Every verb of the command line: its summary, forms and options. Parsing, `--help` and docs/cli.md come from this list.

/** An option as `util.parseArgs` takes it, with what people read about it. */
export interface VerbOption {
  readonly type: "string" | "boolean";
  /** May be given more than once. */
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

const HERE = { type: "string", value: "DIR", text: "a clone (default: this folder)" } as const;
const REPO = {
  type: "string",
  value: "REPO",
  text: "a clone, or OWNER/NAME of a repository in memory (default: this folder)",
} as const;
const DATA_DIR = {
  type: "string",
  value: "DIR",
  text: "where Kodiai keeps its files (default: KODIAI_DATA_DIR, else your data folder)",
} as const;
const JSON_OUTPUT = { type: "boolean", text: "print JSON" } as const;
const FORMAT = { type: "string", value: "FORMAT", text: "pretty or json" } as const;
const MODEL = {
  type: "string",
  value: "off",
  text: "use rules and memory only, even where a model is configured",
} as const;

/** The options that name a change, and what reads it. */
const CHANGE = {
  base: { type: "string", value: "REV", text: "review what the head adds since it left REV" },
  head: { type: "string", value: "REV", text: "the head of that range (default: HEAD)" },
  staged: { type: "boolean", text: "review what is staged" },
  diff: { type: "string", value: "FILE", text: "review a unified diff; - reads standard input" },
  config: { type: "string", value: "FILE", text: "use this file instead of .kodiai.yml at the base" },
  model: MODEL,
  "show-prompt": { type: "boolean", text: "print the prompt without calling the model" },
  repo: HERE,
  "data-dir": DATA_DIR,
  json: JSON_OUTPUT,
} as const;

const RANGES = [
  ["", "uncommitted work; if there is none, what HEAD adds to the default branch"],
  ["REV", "what HEAD adds since it left REV"],
  ["BASE..HEAD", "what HEAD adds since it left BASE"],
  ["https://HOST/OWNER/NAME/pull/N", "a pull request, read with GITHUB_TOKEN; nothing is posted"],
] as const;

export const VERBS = {
  review: {
    group: "review",
    summary: "review local changes, a diff or a pull request",
    forms: RANGES,
    options: {
      ...CHANGE,
      format: { type: "string", value: "FORMAT", text: "pretty, md, json or sarif" },
      "fail-on": {
        type: "string",
        value: "SEVERITY",
        text: "exit with 1 on a finding of this severity or above: critical, major, medium, minor",
      },
    },
  },
  explain: {
    group: "review",
    summary: "review a change and print the output of every pipeline stage",
    forms: RANGES,
    options: { ...CHANGE, format: FORMAT, full: { type: "boolean", text: "print all of each stage" } },
  },
  hook: {
    group: "review",
    summary: "review what is about to be pushed, in git's pre-push hook",
    forms: [
      ["install", "add the hook to this clone; an existing hook runs first"],
      ["uninstall", "remove it"],
      ["status", "report whether it is installed"],
    ],
    options: {
      "fail-on": { type: "string", value: "SEVERITY", text: "what stops a push (default: major)" },
      model: { type: "string", value: "auto", text: "also ask the configured model" },
      repo: HERE,
    },
  },
  memory: {
    group: "memory",
    summary: "list, explain, move and delete what is remembered",
    forms: [
      ["ls", "memories of the repository"],
      ["show ID", "one memory"],
      ["why ID", "what people did about a finding, and how each act changed its outcome"],
      ["stats", "counts by language, outcome and source"],
      ["forget ID", "delete one memory"],
      ["export FILE", "write memories as JSONL; - is standard output"],
      ["import FILE", "read memories from JSONL"],
      ["backfill", "set the missing language of old rows from their path"],
      ["describe [REPO]", "estimate what it costs to have the model write situation, lesson and tags of memories"],
    ],
    options: {
      repo: REPO,
      "data-dir": DATA_DIR,
      format: FORMAT,
      json: JSON_OUTPUT,
      all: { type: "boolean", text: "export: all repositories" },
      corpus: { type: "string", value: "NAME", text: "ls: only this corpus" },
      pairs: { type: "boolean", text: "export: pairs of situation and code, to fine-tune an embedder" },
      yes: { type: "boolean", text: "describe: do it" },
      limit: { type: "string", value: "N", text: "describe: at most N memories" },
      budget: { type: "string", value: "USD", text: "describe: at most this much a month" },
    },
  },
  import: {
    group: "memory",
    summary: "import past reviews from GitHub",
    forms: [["OWNER/NAME", "read its past reviews with GITHUB_TOKEN; safe to run again, resumes where it stopped"]],
    options: {
      limit: {
        type: "string",
        value: "N",
        text: "the newest N comments of each kind, and the reviews of N pull requests (default: 1000)",
      },
      since: { type: "string", value: "DATE", text: "only what was written or changed since, such as 2026-01-31" },
      "dry-run": { type: "boolean", text: "count, and store nothing" },
      "data-dir": DATA_DIR,
      format: FORMAT,
      json: JSON_OUTPUT,
    },
  },
  index: {
    group: "memory",
    summary: "index the documents of a repository",
    forms: [["[DIR]", "index a clone; safe to run again, reads only what changed"]],
    options: {
      rev: { type: "string", value: "REV", text: "the commit to index (default: HEAD)" },
      corpus: { type: "string", value: "NAME", text: "doc or code only; code needs knowledge.corpora.code" },
      wiki: { type: "string", value: "DIR", text: "index the pages of its wiki, from a clone of the wiki" },
      repo: REPO,
      "data-dir": DATA_DIR,
      format: FORMAT,
      json: JSON_OUTPUT,
    },
  },
  search: {
    group: "memory",
    summary: "search memory as a review does",
    forms: [["TEXT …", "memories about it; several texts give one list"]],
    options: {
      method: { type: "string", value: "METHOD", text: "semantic, keyword or hybrid (default: hybrid)" },
      language: { type: "string", multiple: true, value: "NAME", text: "only this language, such as C++" },
      type: { type: "string", multiple: true, value: "KIND", text: "only this kind: function, class, security …" },
      path: { type: "string", multiple: true, value: "PATH", text: "only this path, folder (src/auth/) or glob" },
      corpus: {
        type: "string",
        multiple: true,
        value: "NAME",
        text: "only finding, review_comment, doc, wiki or code",
      },
      top: { type: "string", value: "N", text: "at most N memories (default: 10)" },
      threshold: { type: "string", value: "S", text: "at least this similarity, 0 to 1" },
      rerank: { type: "boolean", text: "reorder the result with the configured reranker" },
      repo: REPO,
      "data-dir": DATA_DIR,
      format: FORMAT,
      json: JSON_OUTPUT,
    },
  },
  conventions: {
    group: "memory",
    summary: "propose pathInstructions from what reviewers keep asking for",
    forms: [["", "print proposals; nothing is written"]],
    options: {
      min: { type: "string", value: "N", text: "asked for on at least N pull requests (default: 3)" },
      since: { type: "string", value: "DATE", text: "since a day such as 2026-03-01" },
      repo: REPO,
      "data-dir": DATA_DIR,
      format: FORMAT,
      json: JSON_OUTPUT,
    },
  },
  replay: {
    group: "memory",
    summary: "backtest memory on the repository's own history (own memory / none / placebo)",
    forms: [["", "replay its closed pull requests in time order"]],
    options: {
      last: { type: "string", value: "N", text: "the newest N pull requests (default: 200)" },
      repo: REPO,
      "data-dir": DATA_DIR,
      format: FORMAT,
      json: JSON_OUTPUT,
    },
  },
  stats: {
    group: "memory",
    summary: "print retrieval statistics",
    forms: [["", "of all repositories, or of --repo"]],
    options: {
      window: { type: "string", value: "TIME", text: "24h, 7d … (default: 24h)" },
      repo: REPO,
      "data-dir": DATA_DIR,
      format: FORMAT,
      json: JSON_OUTPUT,
    },
  },
  setup: {
    group: "set up",
    summary: "create the GitHub App, store its secrets, check webhook and permissions",
    forms: [["", "safe to run again, resumes where it stopped"]],
    options: {
      "webhook-url": {
        type: "string",
        value: "URL",
        text: "where GitHub reaches the server: https://YOUR-HOST/api/github/webhooks",
      },
      org: { type: "string", value: "ORG", text: "create the App for an organisation" },
      host: { type: "string", value: "HOST", text: "a GitHub Enterprise Server, or SUBDOMAIN.ghe.com" },
      "private-network": { type: "boolean", text: "that host is in your own network" },
      name: { type: "string", value: "NAME", text: "name of the App (default: Kodiai)" },
      "app-id": { type: "string", value: "N", text: "use an existing App" },
      "private-key-file": { type: "string", value: "FILE", text: "its private key" },
      "webhook-secret-file": { type: "string", value: "FILE", text: "its webhook secret; generated if omitted" },
      "client-id": { type: "string", value: "ID", text: "its client, for logins to the dashboard" },
      "client-secret-file": { type: "string", value: "FILE", text: "the client's secret" },
      "dashboard-url": {
        type: "string",
        value: "URL",
        text: "where people reach the dashboard, if not on this machine",
      },
      import: { type: "string", multiple: true, value: "OWNER/NAME", text: "import past reviews, after an estimate" },
      "without-checks": { type: "boolean", text: "create an App without check runs" },
      new: { type: "boolean", text: "create another App" },
      port: { type: "string", value: "N", text: "port of the local set-up page" },
      timeout: { type: "string", value: "SECONDS", text: "how long to wait for the browser (default: 900)" },
      "env-file": { type: "string", value: "FILE", text: "where to store the variables (default: .env)" },
      "data-dir": DATA_DIR,
      yes: { type: "boolean", text: "ask no questions" },
    },
  },
  init: {
    group: "set up",
    summary: "write a .kodiai.yml that fits the repository",
    forms: [["", "from its languages, generated files and documents"]],
    options: {
      preset: { type: "string", value: "PRESET", text: "quiet, balanced or thorough (default: balanced)" },
      force: { type: "boolean", text: "overwrite an existing file" },
      stdout: { type: "boolean", text: "print it, and write nothing" },
      repo: HERE,
    },
  },
  config: {
    group: "set up",
    summary: "show, explain and check the configuration",
    forms: [
      ["show", "what differs from the defaults, and which file sets it"],
      ["explain KEY", "what a key means, its values and its value here"],
      ["check FILE", "problems of a .kodiai.yml, with line and column"],
      ["schema", "print the JSON Schema"],
    ],
    options: {
      all: { type: "boolean", text: "show: also keys at their default" },
      repo: { type: "string", value: "REPO", text: "a clone, or OWNER/NAME on GitHub (default: this folder)" },
      format: FORMAT,
      json: JSON_OUTPUT,
    },
  },
  serve: {
    group: "operate",
    summary: "start the server",
    forms: [["", "with the .env of this folder; docs/configuration.md lists its variables"]],
    options: {},
  },
  doctor: {
    group: "operate",
    summary: "check configuration, connectivity and degraded features",
    forms: [["", "print what is wrong and how to fix it"]],
    options: {
      all: { type: "boolean", text: "also print what is in order" },
      model: { type: "boolean", text: "ask the configured model one small question, which costs a little" },
      live: {
        type: "string",
        value: "OWNER/NAME",
        text: "try on GitHub what its documentation does not promise, in a repository made for it",
      },
      "token-file": {
        type: "string",
        value: "FILE",
        text: "--live: a token to open the pull request with (default: GITHUB_TOKEN)",
      },
      "outside-login": {
        type: "string",
        value: "yes|no",
        text: "--live: whether an outside collaborator could log in to the dashboard",
      },
      yes: { type: "boolean", text: "--live: ask no questions" },
      force: { type: "boolean", text: "--live: use a repository that is in use" },
      "data-dir": DATA_DIR,
      format: FORMAT,
      json: JSON_OUTPUT,
    },
  },
  jobs: {
    group: "operate",
    summary: "list, retry and delete jobs",
    forms: [
      ["ls", "waiting, running and parked jobs"],
      ["show ID", "one job, with its reason"],
      ["retry ID", "run a parked job again"],
      ["drop ID", "delete a job"],
    ],
    options: {
      state: { type: "string", value: "STATE", text: "ls: waiting, running, parked or done" },
      all: { type: "boolean", text: "retry, drop: every parked job" },
      "data-dir": DATA_DIR,
      format: FORMAT,
      json: JSON_OUTPUT,
    },
  },
  retract: {
    group: "operate",
    summary: "take a posted review back: hide its comments and forget it",
    forms: [["URL|OWNER/NAME#N", "the newest review of a pull request"]],
    options: {
      review: { type: "string", value: "ID", text: "this review instead" },
      "dry-run": { type: "boolean", text: "report what would change" },
      "data-dir": DATA_DIR,
      json: JSON_OUTPUT,
    },
  },
  backup: {
    group: "operate",
    summary: "copy the store while the server runs",
    forms: [["DIR", "into a new folder, verified"]],
    options: { "data-dir": DATA_DIR, json: JSON_OUTPUT },
  },
  restore: {
    group: "operate",
    summary: "restore the store from a backup",
    forms: [["DIR", "into an empty data folder; what was deleted since the backup is deleted again"]],
    options: { "data-dir": DATA_DIR, json: JSON_OUTPUT },
  },
  migrate: {
    group: "operate",
    summary: "move the store to PostgreSQL",
    forms: [["sqlite://DIR postgres://…", "into an empty database, compared row by row; resumes where it stopped"]],
    options: { json: JSON_OUTPUT },
  },
  "export-data": {
    group: "operate",
    summary: "export everything stored about a person",
    forms: [["--user LOGIN|ID", "as JSON lines"]],
    options: {
      user: { type: "string", value: "LOGIN|ID", text: "whose data" },
      output: { type: "string", value: "FILE", text: "write to a file instead of standard output" },
      "data-dir": DATA_DIR,
    },
  },
  erase: {
    group: "operate",
    summary: "anonymise everything stored about a person",
    forms: [
      ["--user LOGIN|ID", "remove the name; --texts also removes what the person wrote"],
      ["--rewrite", "PostgreSQL: rewrite every table (takes a lock) so deleted data leaves the data files"],
    ],
    options: {
      user: { type: "string", value: "LOGIN|ID", text: "whose data" },
      texts: { type: "boolean", text: "also remove texts by that person" },
      "dry-run": { type: "boolean", text: "count, and change nothing" },
      rewrite: { type: "boolean", text: "PostgreSQL: rewrite every table" },
      json: JSON_OUTPUT,
      "data-dir": DATA_DIR,
    },
  },
  mcp: {
    group: "operate",
    summary: "offer memory and review to coding agents (Model Context Protocol)",
    forms: [["", "on standard input and output"]],
    options: {
      http: { type: "string", value: "PORT", text: "over HTTP on loopback, with the token in KODIAI_MCP_TOKEN" },
      "allow-write": { type: "boolean", text: "allow agents to store notes" },
      all: { type: "boolean", text: "allow every indexed repository" },
      model: MODEL,
      repo: REPO,
      "data-dir": DATA_DIR,
    },
  },
} as const satisfies Readonly<Record<string, Verb>>;

export type VerbName = keyof typeof VERBS;
