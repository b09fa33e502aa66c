// Every key of .kodiai.yml changes what a review says, or what memory hands to it. A key that is
// added without a case here fails the last test.
import { describe, expect, test } from "vitest";
import { codeSymbols } from "../src/adapters/code-index/symbols.ts";
import { CONFIG_KEYS } from "../src/config/config-keys.ts";
import type { ModelAccess, Reservations } from "../src/ports/model.ts";
import { reviewMarkdown } from "../src/publish/publish.ts";
import { BACKUP, BALANCE, LOGIN, WEAK_LOGIN } from "./app/change-builders.ts";
import { type Change, reviewOf } from "./app/pipeline.ts";
import { DESCRIBE_CASES, describedBy, GIVE_CASES, givenBy } from "./describe-memories-case.ts";
import { aPull } from "./fakes/pull-requests.ts";
import { drafted, reports, type ScriptedSettings, scriptedModel, textOf } from "./fakes/scripted-model.ts";
import { KNOWLEDGE_CASES, retrieved } from "./knowledge-cases.ts";
import { AROUND_CASES, around } from "./side-effect-cases.ts";

interface Case {
  readonly key: string;
  /** `.kodiai.yml` before the key is set; "" when left out. */
  readonly before?: string;
  readonly config: string;
  /** What the setting changes in what people read, with it and without it. */
  readonly says: RegExp;
  readonly insteadOf: RegExp;
  readonly change?: Omit<Change, "config">;
}

const TWO_FINDINGS: Change = { files: { "ops/backup.py": BACKUP, "src/balance.py": BALANCE } };
const SLEEP: Change = { files: { "src/wait.py": "import time\n\ntime.sleep(5)\n" } };
const FOCUSED = 'test.only("adds", () => {\n  expect(1 + 1).toBe(2);\n});\n';

/** One rule of a repository's own; each line may be another. */
function customRule(lines: Readonly<Record<string, string>> = {}): string {
  const all = {
    id: "no-raw-sleep",
    language: "python",
    message: "time.sleep() blocks the event loop",
    note: "Await asyncio.sleep() instead.",
    severity: "major",
    rule: "{pattern: time.sleep($SECONDS)}",
    ...lines,
  };
  const text = Object.entries(all).map(([key, value]) => `${key}: ${value}`);
  return `customRules:\n  - ${text.join("\n    ")}\n`;
}

/**
 * A model that finds one thing in any file, and repeats what it was told about language and paths.
 */
function echoing(settings?: ScriptedSettings): ModelAccess {
  const echo = (reported: string) => /Write title, body and walkthrough in (.+)\./.exec(reported)?.[1] ?? "";
  const heeded = (asked: string) => (asked.includes("check the tenant") ? "and heeds the tenant" : "");
  return scriptedModel((question) => {
    const title = `Speaks ${echo(textOf(question.system))} ${heeded(textOf(question.user))}`;
    return reports(drafted({ quote: "export function etag(content: string): string {", title }))(question);
  }, settings);
}

const ETAG: Omit<Change, "config" | "access"> = { files: { "src/login.ts": LOGIN } };
const STRANGER: Pick<Change, "world"> = {
  world: { pull: aPull({ author: { login: "rae", id: 77, type: "User", association: "FIRST_TIME_CONTRIBUTOR" } }) },
};
const OUTSIDER: Pick<Change, "world" | "permissions"> = { ...STRANGER, permissions: { of: async () => "read" } };
const THIRD_TODAY: Reservations = {
  reserve: async ({ most }) => ({ usd: most, usages: [] }),
  outsidersReviews: async () => 3,
  release: async () => {},
};
const TENANT = "check the tenant";

const TWO_SLEEPS: Change = {
  files: { "src/wait.py": "import time\n\ntime.sleep(5)\n", "scripts/wait.py": "import time\n\ntime.sleep(5)\n" },
};

/** A rule that speaks about both files, and one suppression; each line of it may be another. */
function suppression(lines: Readonly<Record<string, string>> = {}): string {
  const text = Object.entries({ pattern: "time.sleep", paths: "['scripts/**']", ...lines });
  return `${customRule()}review:\n  suppress:\n    - {${text.map(([key, value]) => `${key}: ${value}`).join(", ")}}\n`;
}

/**
 * A model that says whether it was shown the file that the description names, which only a snapshot
 * has.
 */
const WITH_NOTES: Omit<Change, "config"> = {
  ...ETAG,
  world: { pull: aPull({ body: "As docs/notes.md says." }) },
  symbols: codeSymbols(),
  snapshots: {
    at: async () => ({
      degraded: [],
      snapshot: {
        sha: "a".repeat(40),
        files: new Map([["docs/notes.md", { path: "docs/notes.md", blob: "b".repeat(40), bytes: 30 }]]),
        unread: [],
        text: async (path) => (path === "docs/notes.md" ? "Tags are weak on purpose.\n" : null),
      },
    }),
  },
  access: scriptedModel((question) => {
    const title = textOf(question.user).includes("Tags are weak") ? "The notes were read" : "The notes were not read";
    return reports(drafted({ quote: "export function etag(content: string): string {", title }))(question);
  }),
};

const CASES: readonly Case[] = [
  {
    key: "review.agentPrompt",
    config: "review: {agentPrompt: false}",
    says: /^(?![\s\S]*Prompt for a coding agent)/,
    insteadOf: /Prompt for a coding agent/,
  },
  {
    key: "review.contextTokens",
    config: "review: {contextTokens: 0}",
    says: /The notes were not read/,
    insteadOf: /The notes were read/,
    change: WITH_NOTES,
  },
  {
    key: "review.snapshot",
    config: "review: {snapshot: off}",
    says: /The notes were not read/,
    insteadOf: /The notes were read/,
    change: WITH_NOTES,
  },
  {
    key: "review.model",
    config: "review: {model: off}",
    says: /\*\*No rule fired\*\*/,
    insteadOf: /Found by a model/,
    change: { ...ETAG, access: echoing() },
  },
  {
    key: "review.language",
    config: "review: {language: Deutsch}",
    says: /Speaks Deutsch/,
    insteadOf: /Speaks English/,
    change: { ...ETAG, access: echoing() },
  },
  {
    key: "review.budget.usdPerReview",
    config: "review: {budget: {usdPerReview: 0.01}}",
    says: /the budget does not pay for a single question: rules and memory only/,
    insteadOf: /Found by a model/,
    change: { ...ETAG, access: echoing() },
  },
  {
    key: "review.budget.usdPerMonth",
    config: "review: {budget: {usdPerMonth: 100}}",
    says: /Found by a model/,
    insteadOf: /this month's budget of USD 50 is used up: rules and memory only/,
    change: { ...ETAG, access: echoing({ spent: 51 }) },
  },
  {
    key: "review.budget.outsiders.percentOfMonth",
    config: "review: {budget: {outsiders: {percentOfMonth: 50}}}",
    says: /Found by a model/,
    insteadOf: /this month's budget of USD 5 for people without write access .{1,40} is used up: rules and memory only/,
    change: { ...ETAG, ...OUTSIDER, access: echoing({ spent: 6 }) },
  },
  {
    key: "review.budget.outsiders.reviewsPerDay",
    config: "review: {budget: {outsiders: {reviewsPerDay: 4}}}",
    says: /Found by a model/,
    insteadOf: /a pull request gets 3 reviews by the model in 24 hours for people without write access/,
    change: { ...ETAG, ...OUTSIDER, access: { ...echoing(), reservations: THIRD_TODAY } },
  },
  {
    key: "pathInstructions",
    config: `pathInstructions: [{path: "src/**", instructions: ${TENANT}}]`,
    says: /heeds the tenant/,
    insteadOf: /Speaks English/,
    change: { ...ETAG, access: echoing() },
  },
  {
    key: "pathInstructions[].path",
    before: `pathInstructions: [{path: "lib/**", instructions: ${TENANT}}]`,
    config: `pathInstructions: [{path: "login.*", instructions: ${TENANT}}]`,
    says: /heeds the tenant/,
    insteadOf: /Speaks English/,
    change: { ...ETAG, access: echoing() },
  },
  {
    key: "pathInstructions[].instructions",
    before: `pathInstructions: [{path: "src/**", instructions: look twice}]`,
    config: `pathInstructions: [{path: "src/**", instructions: ${TENANT}}]`,
    says: /heeds the tenant/,
    insteadOf: /Speaks English/,
    change: { ...ETAG, access: echoing() },
  },
  {
    key: "_extends",
    config: "_extends: settings",
    says: /\*\*1 \w+ finding open\*\*/,
    insteadOf: /\*\*2 \w+ findings open\*\*/,
    change: {
      ...TWO_FINDINGS,
      world: { ownersTexts: { "settings:.kodiai.yml": "rules: {tls-verify-disabled: off}" } },
    },
  },
  {
    key: "review.enabled",
    config: "review: {enabled: false}",
    says: /^review\.enabled is false$/,
    insteadOf: /\*\*2 \w+ findings open\*\*/,
  },
  {
    key: "preset",
    config: "preset: quiet",
    says: /below major, the threshold of the quiet profile/,
    insteadOf: /medium: \*\*/,
    change: {
      files: {
        "src/wait.test.ts": FOCUSED,
        "src/get.py": 'import requests\n\nrequests.get("https://a.example.com/b")\n',
      },
    },
  },
  {
    key: "review.profile",
    config: "review: {profile: quiet}",
    says: /below major, the threshold of the quiet profile/,
    insteadOf: /medium: \*\*/,
    change: {
      files: {
        "src/wait.test.ts": FOCUSED,
        "src/get.py": 'import requests\n\nrequests.get("https://a.example.com/b")\n',
      },
    },
  },
  {
    key: "review.severityThreshold",
    config: "review: {severityThreshold: critical}",
    says: /below critical, the configured threshold/,
    insteadOf: /2 major findings/,
  },
  {
    key: "review.maxComments",
    config: "review: {maxComments: 1}",
    says: /1 inline, 1 below[\s\S]*over the limit of 1 comment\b/,
    insteadOf: /All inline/,
  },
  {
    key: "review.readings",
    config: "review: {readings: 2}",
    says: /`scripted-large`, 2 readings/,
    insteadOf: /\(`scripted-large`\)/,
    change: {
      files: { "src/login.ts": LOGIN, "src/again.ts": LOGIN },
      access: echoing(),
    },
  },
  {
    key: "review.suggestions",
    config: "review: {suggestions: false}",
    says: /^(?![\s\S]*```suggestion)[\s\S]*`focused-test`/,
    insteadOf: /```suggestion\ntest\("adds"/,
    change: { files: { "test/adds.test.ts": FOCUSED } },
  },
  {
    key: "review.drafts",
    config: "review: {drafts: true}",
    says: /\*\*2 \w+ findings open\*\*/,
    insteadOf: /^the pull request is a draft$/,
    change: { ...TWO_FINDINGS, world: { pull: aPull({ draft: true }) } },
  },
  {
    key: "review.bots",
    config: "review: {bots: none}",
    says: /^opened by a bot, dependabot\[bot\], that review\.bots leaves out$/,
    insteadOf: /\*\*2 \w+ findings open\*\*/,
    change: {
      ...TWO_FINDINGS,
      world: { pull: aPull({ author: { login: "dependabot[bot]", id: 49699333, type: "Bot", association: "NONE" } }) },
    },
  },
  {
    key: "review.authors",
    config: "review: {authors: ['release-*']}",
    says: /^review\.authors leaves out its author [\w-]+$/,
    insteadOf: /\*\*2 \w+ findings open\*\*/,
  },
  {
    key: "review.baseBranches",
    config: "review: {baseBranches: ['release/*']}",
    says: /^review\.baseBranches leaves out the base branch main$/,
    insteadOf: /\*\*2 \w+ findings open\*\*/,
  },
  {
    key: "review.labels",
    config: "review: {labels: ['needs review']}",
    says: /^review\.labels leaves out its labels$/,
    insteadOf: /\*\*2 \w+ findings open\*\*/,
  },
  {
    key: "review.ignoreTitleKeywords",
    config: "review: {ignoreTitleKeywords: ['short packet']}",
    says: /^the title contains "short packet"/,
    insteadOf: /\*\*2 \w+ findings open\*\*/,
  },
  {
    key: "review.suppress",
    before: customRule(),
    config: suppression(),
    says: /\*\*1 \w+ finding open\*\*[\s\S]*1 finding held back[\s\S]*suppressed by "time\.sleep"/,
    insteadOf: /\*\*2 \w+ findings open\*\*/,
    change: TWO_SLEEPS,
  },
  {
    key: "review.suppress[].pattern",
    before: suppression(),
    config: suppression({ pattern: "regex:SLEEP" }),
    says: /suppressed by "regex:SLEEP"/,
    insteadOf: /suppressed by "time\.sleep"/,
    change: TWO_SLEEPS,
  },
  {
    key: "review.suppress[].severities",
    before: suppression(),
    config: suppression({ severities: "[minor]" }),
    says: /\*\*2 \w+ findings open\*\*/,
    insteadOf: /1 finding held back/,
    change: TWO_SLEEPS,
  },
  {
    key: "review.suppress[].categories",
    before: suppression(),
    config: suppression({ categories: "[tests]" }),
    says: /\*\*2 \w+ findings open\*\*/,
    insteadOf: /1 finding held back/,
    change: TWO_SLEEPS,
  },
  {
    key: "review.suppress[].paths",
    before: suppression(),
    config: suppression({ paths: "['src/**', 'scripts/**']" }),
    says: /\*\*Nothing to post\*\*[\s\S]*2 findings held back/,
    insteadOf: /1 finding held back/,
    change: TWO_SLEEPS,
  },
  {
    key: "pathFilters",
    config: "pathFilters: ['!ops/**']",
    says: /\*\*1 \w+ finding open\*\*[\s\S]*pathFilters[\s\S]*`ops\/backup\.py`/,
    insteadOf: /\*\*2 \w+ findings open\*\*/,
  },
  {
    key: "fileKinds.test",
    config: "fileKinds: {test: ['qa/**']}",
    says: /\*\*No rule fired\*\*/,
    insteadOf: /`weak-password-hash`/,
    change: { files: { "qa/login.ts": WEAK_LOGIN } },
  },
  ...(["config", "docs", "infra"] as const).map(
    (kind): Case => ({
      key: `fileKinds.${kind}`,
      config: `fileKinds: {${kind}: ['ops/**']}`,
      says: new RegExp(`2 files reviewed \\(1 source, 1 ${kind}\\)`),
      insteadOf: /2 files reviewed \(2 source\)/,
    }),
  ),
  {
    key: "rules",
    config: "rules: {tls-verify-disabled: off, shell-from-strings: critical}",
    says: /\*\*1 critical finding open\*\*/,
    insteadOf: /\*\*2 major findings open\*\*/,
  },
  {
    key: "customRules",
    config: customRule(),
    says: /\*\*1 major finding open\*\*[\s\S]*time\.sleep\(\) blocks the event loop/,
    insteadOf: /\*\*No rule fired\*\*/,
    change: SLEEP,
  },
  {
    key: "customRules[].id",
    before: customRule(),
    config: customRule({ id: "await-sleep" }),
    says: /Rule `await-sleep`/,
    insteadOf: /Rule `no-raw-sleep`/,
    change: SLEEP,
  },
  {
    key: "customRules[].language",
    before: customRule(),
    config: customRule({ language: "ruby" }),
    says: /\*\*No rule fired\*\*/,
    insteadOf: /\*\*1 \w+ finding open\*\*/,
    change: SLEEP,
  },
  {
    key: "customRules[].message",
    before: customRule(),
    config: customRule({ message: "Do not sleep here" }),
    says: /\*\*Do not sleep here\*\*/,
    insteadOf: /blocks the event loop/,
    change: SLEEP,
  },
  {
    key: "customRules[].note",
    before: customRule(),
    config: customRule({ note: "Ask the scheduler." }),
    says: /Ask the scheduler\./,
    insteadOf: /Await asyncio\.sleep\(\) instead\./,
    change: SLEEP,
  },
  {
    key: "customRules[].severity",
    before: customRule(),
    config: customRule({ severity: "critical" }),
    says: /critical: \*\*time\.sleep/,
    insteadOf: /major: \*\*time\.sleep/,
    change: SLEEP,
  },
  {
    key: "customRules[].rule",
    before: customRule(),
    config: customRule({ rule: "{pattern: time.sleep(60)}" }),
    says: /\*\*No rule fired\*\*/,
    insteadOf: /\*\*1 \w+ finding open\*\*/,
    change: SLEEP,
  },
];

/** Keys that change nothing, each with its reason. */
const EXEMPT: ReadonlyMap<string, string> = new Map([
  ["version", "there is one version of the format; any other is a problem"],
  ["review.tools.codeScanning", "it asks GitHub: test/app/code-scanning.test.ts has both values"],
]);

/** What people read: the summary with its comments, or why there is none. */
async function read(change: Omit<Change, "config">, config: string): Promise<string> {
  const review = await reviewOf({ ...change, config });
  if (typeof review === "string") return review;
  expect(review.configProblems).toEqual([]);
  return reviewMarkdown(review);
}

describe("a key of .kodiai.yml changes what the review says", () => {
  test.each(CASES)(
    "$key [000-27][001-16][002-18][004-19]",
    async ({ config, before = "", says, insteadOf, change = TWO_FINDINGS }) => {
      const plain = await read(change, before);
      expect(plain).toMatch(insteadOf);
      expect(plain).not.toMatch(says);
      expect(await read(change, config)).toMatch(says);
    },
  );
});

describe("a key of .kodiai.yml changes what memory hands to a review", () => {
  test.each(KNOWLEDGE_CASES)("$key", async (one) => {
    const plain = await retrieved(one, one.before);
    expect(plain).toMatch(one.insteadOf);
    expect(plain).not.toMatch(one.says);
    const set = await retrieved(one, one.knowledge);
    expect(set).toMatch(one.says);
    expect(set).not.toMatch(one.insteadOf);
  });
});

describe("a key of .kodiai.yml changes what is done with memory after a review", () => {
  test.each(DESCRIBE_CASES)("$key", async ({ config, says, insteadOf }) => {
    expect(await describedBy("")).toMatch(insteadOf);
    expect(await describedBy(config)).toMatch(says);
  });
});

describe("a key of .kodiai.yml changes what other repositories of its owner are given", () => {
  test.each(GIVE_CASES)("$key", async ({ config, says, insteadOf }) => {
    expect(await givenBy("")).toMatch(insteadOf);
    expect(await givenBy(config)).toMatch(says);
  });
});

describe("a key of .kodiai.yml changes what happens around a review", () => {
  test.each(AROUND_CASES)("$key", async ({ before = "", config, says, insteadOf, text }) => {
    const plain = await around(before, text);
    expect(plain).toMatch(insteadOf);
    expect(plain).not.toMatch(says);
    expect(await around(config, text)).toMatch(says);
  });
});

test("every key of the schema has a case", () => {
  const covered = [
    ...[...CASES, ...KNOWLEDGE_CASES, ...AROUND_CASES, ...DESCRIBE_CASES, ...GIVE_CASES].map(({ key }) => key),
    ...EXEMPT.keys(),
  ];
  expect([...new Set(covered)].toSorted()).toEqual(CONFIG_KEYS.map(({ path }) => path).toSorted());
});

test("a version of the format that does not exist is a problem", async () => {
  const review = await reviewOf({ files: { "src/login.ts": LOGIN }, config: "version: 2" });
  expect(typeof review === "string" ? review : review.configProblems).toEqual([
    expect.objectContaining({ key: "version", line: 1, column: 10, severity: "error" }),
  ]);
});
