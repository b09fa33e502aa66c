// A review as a busy pull request makes it: several languages, every severity, every place,
// everything that can be said.
import type { PlacedFinding, Review } from "../../src/domain/review.ts";
import { BASE, fileDiff, finding, HEAD, LOGIN, NO_MEMORY, REPO, signals } from "../review/review-builders.ts";

export const BUILD = fileDiff(
  ".github/workflows/build.yml",
  ["@@ -1,3 +1,4 @@", " on:", "-  pull_request:", "+  pull_request_target:", "+    branches: [main]", " jobs:"].join(
    "\n",
  ),
);

const FIX = { startLine: 13, line: 13, text: "    digest = hashlib.scrypt(password, salt=salt, n=2**14, r=8, p=1)" };

const FINDINGS: readonly PlacedFinding[] = [
  {
    finding: finding({
      id: "fnd_5d41402abc4b",
      severity: "critical",
      startLine: 11,
      line: 12,
      title: "SQL statement is built from strings",
      body: 'Whoever chooses the name chooses the query. Pass the name as a parameter:\n\n```python\nuser = db.execute("SELECT * FROM users WHERE name = ?", (name,)).fetchone()\n```',
    }),
    place: "inline",
    reason: null,
  },
  {
    finding: finding({
      id: "fnd_7d793037a076",
      rule: "weak-hash",
      startLine: 13,
      line: 13,
      title: "Password is hashed with MD5",
      body: "MD5 is fast to guess. Use `hashlib.scrypt` with a salt of each user's own.",
      suggestion: FIX,
    }),
    place: "inline",
    reason: null,
  },
  {
    finding: finding({
      id: "fnd_e4da3b7fbbce",
      path: BUILD.path,
      rule: "pull-request-target",
      startLine: 30,
      line: 30,
      title: "Workflow runs a fork's code with the repository's secrets",
      body: "`pull_request_target` hands out secrets; check out the base, or use `pull_request`.",
    }),
    place: "file",
    reason: "the line is not part of the diff",
  },
  {
    finding: finding({
      id: "fnd_1679091c5a88",
      rule: "no-fetch-in-loop",
      path: "docs/how to/[draft] guide.md",
      severity: "medium",
      category: "performance",
      startLine: 4,
      line: 9,
      title: "Ask @octocat before fetching in a loop, see #12 and <https://evil.example>",
      body: "Each turn waits for the network.\n/approve\n![pixel](https://evil.example/p.png)",
    }),
    place: "summary",
    reason: "over the limit of 2 comments",
  },
  {
    finding: finding({
      id: "fnd_8f14e45fceea",
      rule: "debug-leftover",
      severity: "minor",
      category: "maintainability",
      startLine: 43,
      line: 43,
      title: "Session is printed",
    }),
    place: "already-posted",
    reason: "already commented on",
  },
];

export function sampleReview(more: Partial<Review> = {}): Review {
  const base = signals({
    breaking: [{ where: "title", text: "feat(auth)!: log in by name" }],
  });
  return {
    kind: "review",
    author: null,
    configUsed: "",
    proposedProblems: [],
    sources: { guidance: [], tools: [], issues: [] },
    hunks: [],
    month: null,
    isByOutsider: false,
    answersCommands: true,
    summaryBecause: null,
    agentPrompt: true,
    repo: REPO,
    number: 7,
    baseRef: "main",
    unread: [],
    asked: [],
    headSha: HEAD,
    baseSha: BASE,
    signals: {
      ...base,
      languages: [
        { language: "python", name: "Python", share: 0.806, files: 1, changedLines: 50 },
        { language: "cpp", name: "C++", share: 0.19, files: 2, changedLines: 12 },
        { language: "yaml", name: "YAML", share: 0.004, files: 1, changedLines: 1 },
      ],
      risks: [
        ...base.risks,
        {
          id: "infrastructure",
          text: "changes what runs in CI",
          evidence: [{ path: BUILD.path, line: null }, ...[2, 3, 5, 8].map((line) => ({ path: BUILD.path, line }))],
        },
      ],
      metrics: {
        files: 4,
        added: 58,
        removed: 5,
        hunks: 9,
        filesByKind: { source: 2, test: 0, config: 0, docs: 1, infra: 1 },
      },
    },
    findings: FINDINGS,
    memory: NO_MEMORY,
    heldBack: [
      {
        finding: finding({ severity: "minor", title: "Name is not used", line: 14, startLine: 14 }),
        reason: "below medium, the threshold of the balanced profile (from the configuration)",
      },
    ],
    reviewed: [LOGIN.path, BUILD.path, "docs/how to/[draft] guide.md", "src/hash.cpp"],
    coverage: null,
    walkthrough: null,
    leftOut: [
      { path: "package-lock.json", reason: "lock file" },
      { path: "web/yarn.lock", reason: "lock file" },
      ...Array.from({ length: 23 }, (_, index) => ({ path: `vendor/zlib/file-${index}.c`, reason: "vendored" })),
    ],
    degraded: [{ part: "head-text", reason: "src/hash.cpp could not be read (larger than 1 MB)" }],
    configProblems: [
      {
        file: ".kodiai.yml",
        key: "review.profil",
        line: 3,
        column: 3,
        severity: "error",
        message: "unknown key `profil`; did you mean `profile`?",
      },
    ],
    configChanges: true,
    cost: { inputTokens: 0, outputTokens: 0, usd: 0, ms: 1240 },
    fingerprint: "0123456789ab",
    scope: { kind: "full", reason: null },
    said: [],
    addressed: [],
    ...more,
  };
}
