// .kodiai.yml: one schema makes the defaults, the validation, the JSON Schema,
// docs/configuration.md and the example file.
import { z } from "zod";
import { amount, checkedText, choice, documented, flag, Glob, section, whole } from "./config-value.ts";
import { Knowledge } from "./knowledge.ts";
import { titlePattern } from "./patterns.ts";
import { PRESET_NAMES, presetsText } from "./preset.ts";

export const PathInstruction = z.strictObject({
  path: documented(
    z.union([Glob, z.array(Glob).min(1).max(50)]),
    "src/api/**",
    "A glob, or a list of globs; `!` excludes, and one without a slash matches a name in any folder.",
  ),
  instructions: documented(
    z.string().min(1).max(4000),
    "Every handler checks the tenant before it reads a row.",
    "What to look for. Only the model reads it.",
  ),
});
export type PathInstruction = z.infer<typeof PathInstruction>;

const severity = z.enum(["critical", "major", "medium", "minor"]);
export const RuleSetting = z.union([z.literal("off"), severity]);
export type RuleSetting = z.infer<typeof RuleSetting>;
export const FailOn = z.union([z.literal("never"), severity]);
/** The lowest severity at which a check run fails. */
export type FailOn = z.infer<typeof FailOn>;

/** Far above what people write, low enough that matching every file stays fast. */
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
    "Unique name in kebab-case, usable under `rules`.",
  ),
  language: documented(
    z.enum(["typescript", "tsx", "javascript", "python", "go", "java", "ruby", "rust", "php"]),
    "python",
    "The language whose syntax the rule matches.",
  ),
  message: documented(z.string().min(1).max(200), "time.sleep() blocks the event loop", "The finding's title."),
  note: documented(
    z.string().max(2000).optional(),
    "Await asyncio.sleep() instead.",
    "Why it matters and how to fix it.",
  ),
  severity: documented(severity.default("medium"), "major", "How severe a match is."),
  rule: documented(
    z.record(z.string(), z.unknown()),
    { pattern: "time.sleep($SECONDS)" },
    "An ast-grep rule object: pattern, kind, inside, any, not …",
  ),
});
export type CustomRule = z.infer<typeof CustomRule>;

export const Suppression = z.strictObject({
  pattern: documented(
    checkedText(titlePattern),
    "glob:*is logged*",
    "A part of the title, in any case; or `glob:` and the whole title; or `regex:` and an RE2 expression.",
  ),
  severities: documented(
    z.array(z.enum(["major", "medium", "minor"])).default([]),
    ["minor"],
    "Only these severities: `major`, `medium`, `minor`.",
  ),
  categories: documented(
    z
      .array(z.enum(["correctness", "performance", "reliability", "maintainability", "tests", "docs", "style"]))
      .default([]),
    ["style", "maintainability"],
    "Only these: `correctness`, `performance`, `reliability`, `maintainability`, `tests`, `docs`, `style`.",
  ),
  paths: documented(z.array(Glob).max(50).default([]), ["scripts/**"], "Only in files of these globs; `!` excludes."),
});
export type Suppression = z.infer<typeof Suppression>;

/** What a list of bots cannot mean, with the fix; null for one that can. */
function botsProblem(bots: readonly string[]): string | null {
  const words = bots.map((bot) => bot.replace(/^!/, "").toLowerCase());
  if (words.includes("none") && (bots.length > 1 || bots[0]?.startsWith("!")))
    return "holds `none`, which leaves out every bot, beside others; write `bots: none`, or remove it";
  return words.includes("agent") ? "holds `agent`; did you mean `agents`? A bot of this name is `agent[bot]`" : null;
}

const Review = section({
  enabled: flag(true, "Review pull requests automatically. When false, only on request."),
  profile: choice(
    ["quiet", "balanced", "thorough"],
    { default: "balanced", example: "quiet" },
    "quiet: little, nearly all real; balanced: medium and worse, and a model's minor defects; thorough: everything.",
  ),
  severityThreshold: documented(
    severity.optional(),
    "major",
    "Report only findings at least this severe. Without it the profile decides.",
  ),
  maxComments: whole(
    { min: 0, max: 20, default: 10, example: 5 },
    "At most this many inline comments a review; the rest is in the summary.",
  ),
  summary: choice(
    ["findings", "always"],
    { default: "findings", example: "always" },
    "findings: a summary when there is something to say, else a 👍; also for the first review of a repository, and on request. always: each time.",
  ),
  suggestions: flag(true, "Offer suggestions where the fix is exact."),
  agentPrompt: flag(true, "Add a folded prompt for a coding agent to comments and summary."),
  model: choice(
    ["auto", "off"],
    { default: "auto", example: "off" },
    "auto: the operator's model, if there is one; off: rules and memory only.",
  ),
  readings: documented(
    z.union([z.literal("auto"), z.literal(1), z.literal(2), z.literal(3)]).default("auto"),
    2,
    "How often the model reads a change, each time from another side. auto: what measured best (now 1). Small changes, and those beyond the budget, are read less often.",
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
    "Tokens of code around a change for the model: functions, definitions, callers. 0: the diff alone.",
  ),
  budget: section({
    usdPerReview: amount({ min: 0, max: 1000, default: 1, example: 0.25 }, "At most this many US$ for a review."),
    usdPerMonth: amount(
      { min: 0, max: 100_000, default: 50, example: 20 },
      "The same for a calendar month (UTC) in this repository; then rules and memory review alone.",
    ),
    outsiders: section({
      percentOfMonth: amount(
        { min: 0, max: 100, default: 10, example: 25 },
        "Percentage of the month's budget for all together.",
      ),
      reviewsPerDay: whole(
        { min: 0, max: 100, default: 3, example: 1 },
        "Reviews of one pull request that the model writes for them in 24 hours.",
      ),
    }).describe(
      "For people without write access: pull requests from forks, and questions. Beyond it rules and memory review alone.",
    ),
  }).describe("What the model may cost."),
  snapshot: choice(
    ["auto", "off"],
    { default: "auto", example: "off" },
    "Whether the repository is read at the head. off: the changed files alone.",
  ),
  checks: section({
    enabled: flag(false, "Show each review as a check run too. The App needs `checks: write`."),
    failOn: documented(
      FailOn.default("never"),
      "critical",
      "The check fails for a finding at least this severe, or when source was not wholly read; succeeds when a complete review has none; else is neutral. `never`: always neutral.",
    ),
  }).describe("The check run of a review."),
  tools: section({
    codeScanning: flag(
      false,
      "Report what code scanning found on changed lines. The App needs `security_events: read`.",
    ),
  }).describe("Results of other tools: see docs/linters.md."),
  debounceSeconds: whole({ min: 0, max: 600, default: 10, example: 60 }, "Seconds to wait for a further push."),
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
    "Bots whose pull requests are reviewed. `agents`: coding agents, Dependabot and Renovate; a list has globs of logins, `agents`, `all`, `!` to exclude. People with write access may request any review.",
  ),
  authors: documented(
    globs.default([]),
    ["alice", "team-*", "!team-intern"],
    "Only pull requests by these people (globs of logins, any case); `!` leaves people and bots out.",
  ),
  baseBranches: documented(
    globs.default([]),
    ["main", "release/*", "!release/0.*"],
    "Only pull requests into these branches (globs; `!` excludes).",
  ),
  labels: documented(
    words.default([]),
    ["needs review", "!work in progress"],
    "Only pull requests with one of these labels; `!name` excludes.",
  ),
  ignoreTitleKeywords: documented(
    words.default([]),
    ["[wip]", "do not merge"],
    "Skip pull requests whose title has one of these words (any case).",
  ),
  suppress: documented(
    z.array(Suppression).max(100).default([]),
    [{ pattern: "glob:*is logged*", paths: ["scripts/**"] }],
    "Findings to hold back, listed in the summary. Critical and security findings are always reported.",
  ),
});

export const RepoConfig = z.strictObject({
  version: documented(z.literal(1).default(1), 1, "Version of this file's format."),
  preset: choice(
    PRESET_NAMES,
    { default: "balanced", example: "quiet" },
    `The defaults to start from. ${presetsText()}.`,
  ),
  review: Review.describe("Which pull requests are reviewed, and how much is reported."),
  pathFilters: documented(
    globs.default([]),
    ["!**/snapshots/**", "vendor/our-fork/**"],
    "Which files are reviewed: globs, `!` excludes, the last match wins. A positive glob brings back lock files and generated ones. A check with `failOn` fails for source that this key excludes.",
  ),
  pathInstructions: documented(
    z.array(PathInstruction).max(50).default([]),
    [{ path: "src/api/**", instructions: "Every handler checks the tenant before it reads a row." }],
    "What the model looks for in some paths.",
  ),
  fileKinds: section({
    test: documented(globs.default([]), ["**/*.it.ts", "qa/**"], "Tests."),
    config: documented(globs.default([]), ["deploy/*.ini"], "Configuration."),
    docs: documented(globs.default([]), ["handbook/**"], "Documentation."),
    infra: documented(globs.default([]), ["ops/**"], "Infrastructure."),
  }).describe("Further globs, if the built-in table does not know a file. Rules for production code skip tests."),
  rules: documented(
    z.record(z.string(), RuleSetting).default({}),
    { "debugger-left-in": "off", "weak-password-hash": "critical" },
    "A rule's severity, or `off`: `{debugger-left-in: off, weak-password-hash: critical}`; of another tool: `eslint/no-eval`. docs/rules.md has the rules.",
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

export function defaultConfig(): RepoConfig {
  return RepoConfig.parse({});
}
