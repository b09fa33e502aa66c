// .kodiai.yml: one schema makes the defaults, the validation, the JSON Schema, docs/configuration.md and the example file.
// It takes untrusted text and returns a complete configuration and a list of problems; it never throws.
import { z } from "zod";
import { amount, checkedText, choice, documented, flag, Glob, section, whole } from "./config-value.ts";
import { Knowledge } from "./knowledge.ts";
import { titlePattern } from "./patterns.ts";
import { PRESET_NAMES, presetsText } from "./preset.ts";

/** Instructions for the reviewer about some of the repository's paths. */
export const PathInstruction = z.strictObject({
  path: documented(
    z.union([Glob, z.array(Glob).min(1).max(50)]),
    "src/api/**",
    "Which files: a glob, or a list of globs; those that begin with `!` exclude files, and a glob without a slash matches a name in any folder.",
  ),
  instructions: documented(
    z.string().min(1).max(4000),
    "Every handler checks the tenant before it reads a row.",
    "What to look for, in plain words. Only the model reads it.",
  ),
});
export type PathInstruction = z.infer<typeof PathInstruction>;

const severity = z.enum(["critical", "major", "medium", "minor"]);
export const RuleSetting = z.union([z.literal("off"), severity]);
export type RuleSetting = z.infer<typeof RuleSetting>;
export const FailOn = z.union([z.literal("never"), severity]);
/** The lowest severity at which a check run fails. */
export type FailOn = z.infer<typeof FailOn>;

/** Caps for lists of patterns: far above what people write, low enough that matching every file stays fast. */
const words = z.array(z.string().min(1).max(500)).max(200);
const globs = z.array(Glob).max(200);

/** A repository's own structural rule: ast-grep's rule object plus Kodiai's fields. */
export const CustomRule = z.strictObject({
  id: documented(
    z
      .string()
      .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be kebab-case: lower-case letters, digits and single hyphens")
      .max(60),
    "no-raw-sleep",
    "Unique name in kebab-case; shown with each finding and usable under `rules`.",
  ),
  language: documented(
    z.enum(["typescript", "tsx", "javascript", "python", "go", "java", "ruby", "rust", "php"]),
    "python",
    "The language whose syntax the rule matches.",
  ),
  message: documented(
    z.string().min(1).max(200),
    "time.sleep() blocks the event loop",
    "The finding's title: one line that says what is wrong.",
  ),
  note: documented(
    z.string().max(2000).optional(),
    "Await asyncio.sleep() instead.",
    "Why it matters and how to fix it.",
  ),
  severity: documented(severity.default("medium"), "major", "How severe a match is."),
  rule: documented(
    z.record(z.string(), z.unknown()),
    { pattern: "time.sleep($SECONDS)" },
    "An ast-grep rule object: pattern, kind, regex, inside, has, all, any, not …",
  ),
});
export type CustomRule = z.infer<typeof CustomRule>;

/** Which findings a repository suppresses. */
export const Suppression = z.strictObject({
  pattern: documented(
    checkedText(titlePattern),
    "glob:*is logged*",
    "Which findings, by their title: a part of it in any case; `glob:` and the whole title; `regex:` and a regular expression (RE2, any case).",
  ),
  severities: documented(
    z.array(z.enum(["major", "medium", "minor"])).default([]),
    ["minor"],
    "Only findings of these severities: `major`, `medium`, `minor`. Empty: all three.",
  ),
  categories: documented(
    z
      .array(z.enum(["correctness", "performance", "reliability", "maintainability", "tests", "docs", "style"]))
      .default([]),
    ["style", "maintainability"],
    "Only findings of these categories: `correctness`, `performance`, `reliability`, `maintainability`, `tests`, `docs`, `style`. Empty: all.",
  ),
  paths: documented(
    z.array(Glob).max(50).default([]),
    ["scripts/**"],
    "Only findings in files that these globs match; `!` excludes. Empty: everywhere.",
  ),
});
export type Suppression = z.infer<typeof Suppression>;

/** What a list of bots cannot mean, with the fix; null for one that can. */
function botsProblem(bots: readonly string[]): string | null {
  const words = bots.map((one) => one.replace(/^!/, "").toLowerCase());
  if (words.includes("none") && (bots.length > 1 || bots[0]?.startsWith("!")))
    return "holds `none`, which leaves out every bot, beside others; write `bots: none`, or remove it";
  return words.includes("agent") ? "holds `agent`; did you mean `agents`? A bot of this name is `agent[bot]`" : null;
}

const Review = section({
  enabled: flag(true, "Review pull requests automatically. When false, only on request (label `kodiai:review`)."),
  profile: choice(
    ["quiet", "balanced", "thorough"],
    { default: "balanced", example: "quiet" },
    "How much to report. quiet: little, nearly all of it real; balanced: medium and worse, and a model's minor defects; thorough: everything.",
  ),
  severityThreshold: documented(
    severity.optional(),
    "major",
    "Report only findings at least this severe; without it the profile decides.",
  ),
  maxComments: whole(
    { min: 0, max: 20, default: 10, example: 5 },
    "At most this many inline comments a review; the rest is folded into the summary.",
  ),
  summary: choice(
    ["findings", "always"],
    { default: "findings", example: "always" },
    "When a summary is posted. findings: when there is something to say, else a 👍; also for the first review of a repository, and on request. always: each time.",
  ),
  suggestions: flag(true, "Offer committable suggestions where the fix is exact."),
  agentPrompt: flag(
    true,
    "Add a folded prompt for a coding agent to each comment, and one for all findings to the summary.",
  ),
  model: choice(
    ["auto", "off"],
    { default: "auto", example: "off" },
    "auto: the operator's model, if there is one; off: rules and memory only.",
  ),
  readings: documented(
    z.union([z.literal("auto"), z.literal(1), z.literal(2), z.literal(3)]).default("auto"),
    2,
    "How often the model reads a change, each time from another side; findings are merged, checked and put in order of worth. auto: what measured best (now 1). Small changes, and those that the budget does not pay for, are read less often.",
  ),
  language: documented(
    z
      .string()
      .regex(/^[\p{L}][\p{L} ()-]{1,39}$/u, "must be the name of a language, such as `English` or `Deutsch`")
      .default("English"),
    "Deutsch",
    "The language in which the model writes.",
  ),
  contextTokens: whole(
    { min: 0, max: 60_000, default: 12_000, example: 20_000 },
    "How much of the repository around a change the model is shown, in tokens: enclosing functions, definitions, callers. 0: the diff alone.",
  ),
  budget: section({
    usdPerReview: amount(
      { min: 0, max: 1000, default: 1, example: 0.25 },
      "At most this many US$ for one review; the summary lists what the model did not read.",
    ),
    usdPerMonth: amount(
      { min: 0, max: 100_000, default: 50, example: 20 },
      "At most this many US$ a calendar month (UTC) in this repository; then rules and memory review alone.",
    ),
    outsiders: section({
      percentOfMonth: amount(
        { min: 0, max: 100, default: 10, example: 25 },
        "Percentage of the month's budget that all of them may spend.",
      ),
      reviewsPerDay: whole(
        { min: 0, max: 100, default: 3, example: 1 },
        "How many reviews of one pull request the model writes for them in 24 hours.",
      ),
    }).describe(
      "Limits for people without write access who open a pull request from a fork or ask a question. Beyond them rules and memory review alone.",
    ),
  }).describe("What the model may cost."),
  newcomers: choice(
    ["full", "cheap"],
    { default: "full", example: "cheap" },
    "Which model reads pull requests of people who never had one merged here. full: the main one; cheap: the small one.",
  ),
  snapshot: choice(
    ["auto", "off"],
    { default: "auto", example: "off" },
    "Whether the repository is read at the head of the change, to see what the diff does not show. off: the changed files alone.",
  ),
  checks: section({
    enabled: flag(false, "Show each review as a check run too. The App needs the permission `checks: write`."),
    failOn: documented(
      FailOn.default("never"),
      "critical",
      "The check fails when a finding at least this severe was found, or source was not wholly read; it succeeds when a complete review has none; else it is neutral. `never`: always neutral.",
    ),
  }).describe("The check run of a review."),
  tools: section({
    codeScanning: flag(
      false,
      "Report what code scanning found on changed lines, as findings with memory. The App needs the permission `security_events: read`.",
    ),
  }).describe("Results of other tools: see docs/linters.md."),
  debounceSeconds: whole(
    { min: 0, max: 600, default: 10, example: 60 },
    "Seconds to wait for a further push: quick pushes get one review.",
  ),
  drafts: flag(false, "Review draft pull requests too."),
  bots: documented(
    z
      .union([z.enum(["agents", "none", "all"]), z.array(z.string().min(1).max(100)).max(50)])
      .superRefine((bots, context) => {
        const message = typeof bots === "string" ? null : botsProblem(bots);
        if (message !== null) context.addIssue({ code: "custom", message });
      })
      .default("agents"),
    ["agents", "acme-release"],
    "Bots whose pull requests are reviewed. `agents`: coding agents (Copilot, Claude, Codex …), Dependabot and Renovate; a list has globs of logins, `agents`, `all`, `!` to exclude. People with write access may request any review.",
  ),
  authors: documented(
    globs.default([]),
    ["alice", "team-*", "!team-intern"],
    "Only pull requests by these people (globs of logins, in any case; all when empty); `!` leaves people and bots out.",
  ),
  baseBranches: documented(
    globs.default([]),
    ["main", "release/*", "!release/0.*"],
    "Only pull requests into these branches (globs; `!` excludes). Empty: all.",
  ),
  labels: documented(
    words.default([]),
    ["needs review", "!work in progress"],
    "Only pull requests with one of these labels; `!name` excludes those with it. Empty: all.",
  ),
  ignoreTitleKeywords: documented(
    words.default([]),
    ["[wip]", "do not merge"],
    "Skip pull requests whose title has one of these words, in any case.",
  ),
  suppress: documented(
    z.array(Suppression).max(100).default([]),
    [{ pattern: "glob:*is logged*", paths: ["scripts/**"] }],
    "Findings that are held back; the summary lists each with its pattern. Critical findings and findings about security are always reported.",
  ),
});

export const RepoConfig = z.strictObject({
  version: documented(z.literal(1).default(1), 1, "Version of this file's format."),
  preset: choice(
    PRESET_NAMES,
    { default: "balanced", example: "quiet" },
    `The defaults to start from; every other key in a file overrides it. ${presetsText()}.`,
  ),
  review: Review.describe("Which pull requests are reviewed, and how much is reported."),
  pathFilters: documented(
    globs.default([]),
    ["!**/snapshots/**", "vendor/our-fork/**"],
    "Which files are reviewed: globs, `!` excludes, the last match wins. A positive glob brings back lock files, and what `.gitattributes` marks as generated. A check with `failOn` fails for source that this key excludes.",
  ),
  pathInstructions: documented(
    z.array(PathInstruction).max(50).default([]),
    [{ path: "src/api/**", instructions: "Every handler checks the tenant before it reads a row." }],
    "What the model is asked to look for in some paths; the last that match come last.",
  ),
  fileKinds: section({
    test: documented(globs.default([]), ["**/*.it.ts", "qa/**"], "Further globs for tests."),
    config: documented(globs.default([]), ["deploy/*.ini"], "Further globs for configuration."),
    docs: documented(globs.default([]), ["handbook/**"], "Further globs for documentation."),
    infra: documented(globs.default([]), ["ops/**"], "Further globs for infrastructure."),
  }).describe("What kind a file is, if the built-in table does not know. Rules for production code skip tests."),
  rules: documented(
    z.record(z.string(), RuleSetting).default({}),
    { "debugger-left-in": "off", "weak-password-hash": "critical" },
    "A rule's severity, or `off`: `{debugger-left-in: off, weak-password-hash: critical}`. See docs/rules.md. A rule of another tool is named with it: `eslint/no-eval`.",
  ),
  customRules: documented(
    z.array(CustomRule).max(50).default([]),
    [
      {
        id: "no-raw-sleep",
        language: "python",
        message: "time.sleep() blocks the event loop",
        severity: "major",
        rule: { pattern: "time.sleep($SECONDS)" },
      },
    ],
    "Your own ast-grep rules.",
  ),
  knowledge: Knowledge.describe("What is remembered, and how memory is searched."),
});
export type RepoConfig = z.infer<typeof RepoConfig>;

/** The content of a file: the configuration, and the repository that supplies the rest. */
export const ConfigFile = z
  .strictObject({
    _extends: documented(
      z
        .string()
        .max(100)
        .regex(
          /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/,
          "must be the bare name of a repository of the same owner: no owner, slash, path or URL",
        )
        .optional(),
      "review-settings",
      "Take missing values from `.kodiai.yml` of this repository of the same owner.",
    ),
    ...RepoConfig.shape,
  })
  .meta({
    title: "Kodiai configuration (.kodiai.yml)",
    description: "How Kodiai reviews the pull requests of this repository. Every key may be left out.",
  });
export type ConfigFile = z.infer<typeof ConfigFile>;

/** A problem in a file. The wrong value falls back to its default. */
export interface ConfigProblem {
  /** Which file: `.kodiai.yml`, `acme/.github/.kodiai.yml`. */
  readonly file: string;
  /** Dotted path of the key, "" for the file as a whole. */
  readonly key: string;
  /** 1-based; null when the problem has no place. */
  readonly line: number | null;
  readonly column: number | null;
  readonly severity: "error" | "notice";
  /** What is wrong and how to fix it: "unknown key `profil`; did you mean `profile`?" */
  readonly message: string;
}

/** The configuration of a repository without a file. */
export function defaultConfig(): RepoConfig {
  return RepoConfig.parse({});
}

/** A configuration value set by a file. */
export interface Setting {
  /** Dotted: `review.maxComments`. */
  readonly key: string;
  /** JSON of at most 300 characters. */
  readonly value: string;
  /** The file: `.kodiai.yml`, `acme/.github/.kodiai.yml`. */
  readonly origin: string;
}
