// Production-shaped values for the tests of review and publish: a diff read from its text, a
// finding, a context, signals.
import fc from "fast-check";
import { defaultConfig, type RepoConfig } from "../../src/config/repo-config.ts";
import { noContext } from "../../src/domain/change-context.ts";
import { CATEGORIES, type Finding, SEVERITIES } from "../../src/domain/finding.ts";
import type { Repo } from "../../src/domain/job.ts";
import { NO_HISTORY } from "../../src/domain/memory/rejections.ts";
import type { DiffLine, FileDiff, Hunk, OwnComment, PullRequestContext } from "../../src/domain/pull-request.ts";
import type { Precedents } from "../../src/domain/retrieval.ts";
import type { Review } from "../../src/domain/review.ts";
import type { ReviewSignals } from "../../src/domain/signals.ts";
import { aFileDiff } from "../builders/file-diff.ts";
import { aContext, aRepo, aReviewJob } from "../builders/pull-request.ts";

export const HEAD = "4f1c2d9e8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e";
export const BASE = "0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b";

/** A review by rules alone, of the diff alone. */
export const BY_RULES = {
  repository: null,
  pastDecisions: NO_HISTORY,
  commentLimit: null,
  around: noContext(),
  head: { code: null, degraded: [] },
  allowance: { model: null, reason: null },
  fingerprint: "",
  isAuthorTrusted: true,
} as const;

export const REPO: Repo = aRepo({ visibility: "public" });

/** A file's diff from its hunks as git prints them. */
export function fileDiff(path: string, text: string, more: Partial<FileDiff> = {}): FileDiff {
  const hunks: Hunk[] = [];
  let lines: DiffLine[] = [];
  let [oldLine, newLine] = [0, 0];
  for (const row of text.split("\n")) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/.exec(row);
    if (header !== null) {
      [oldLine, newLine] = [Number(header[1]), Number(header[3])];
      lines = [];
      hunks.push({
        oldStart: oldLine,
        oldLines: Number(header[2] ?? 1),
        newStart: newLine,
        newLines: Number(header[4] ?? 1),
        section: header[5] ?? "",
        lines,
      });
    } else if (row.startsWith("+")) {
      lines.push({ kind: "added", oldLine: null, newLine: newLine++, text: row.slice(1) });
    } else if (row.startsWith("-")) {
      lines.push({ kind: "removed", oldLine: oldLine++, newLine: null, text: row.slice(1) });
    } else if (row.startsWith(" ")) {
      lines.push({ kind: "context", oldLine: oldLine++, newLine: newLine++, text: row.slice(1) });
    }
  }
  return aFileDiff(path, hunks, more);
}

export const LOGIN = fileDiff(
  "src/auth/login.py",
  [
    "@@ -10,5 +10,7 @@ def login(request):",
    "     name = request.form['name']",
    "-    user = db.find(name)",
    '+    query = "SELECT * FROM users WHERE name = \'" + name + "\'"',
    "+    user = db.execute(query).fetchone()",
    "+    digest = hashlib.md5(password).hexdigest()",
    "     if user is None:",
    "         raise Unauthorized()",
    "     return user",
    "@@ -40,3 +42,4 @@ def logout(request):",
    "     session.clear()",
    "+    print(session)",
    "     return redirect('/')",
    " ",
  ].join("\n"),
);

let sequence = 0;

/** A finding on line 11 of LOGIN unless told otherwise. */
export function finding(more: Partial<Finding> = {}): Finding {
  sequence++;
  return {
    id: `fnd_${sequence.toString(16).padStart(12, "0")}`,
    path: LOGIN.path,
    side: "RIGHT",
    startLine: 11,
    line: 11,
    severity: "major",
    category: "security",
    rule: "sql-string-build",
    title: "SQL statement is built from strings",
    body: "Whoever chooses the name chooses the query. Pass the name as a parameter of `execute`.",
    source: "rule",
    confidence: 0.9,
    suggestion: null,
    precedents: [],
    ...more,
  };
}

export function config(review: Partial<RepoConfig["review"]> = {}): RepoConfig {
  const defaults = defaultConfig();
  return { ...defaults, review: { ...defaults.review, ...review } };
}

export function context(more: Partial<PullRequestContext> = {}): PullRequestContext {
  const job = aReviewJob({ repo: REPO, number: 7 });
  return aContext(
    { job, files: [LOGIN], config: config(), ...more },
    { head: { ref: "login-by-name", sha: HEAD, repo: "octocat/shop" } },
  );
}

/** A comment of ours on a line of LOGIN. */
export function ownComment(findingId: string): OwnComment {
  const url = "https://github.com/acme/shop/pull/7#discussion_r1";
  const said = { hunk: "", title: "", severity: null, rule: null };
  return { findingId, url, path: LOGIN.path, side: "RIGHT", startLine: 11, line: 11, ...said };
}

export function signals(intent: Partial<ReviewSignals["intent"]> = {}): ReviewSignals {
  return {
    intent: {
      type: "feat",
      otherType: null,
      scope: "auth",
      subject: "log in by name",
      breaking: [],
      wip: false,
      noReview: false,
      styleOk: false,
      profile: null,
      focusAreas: [],
      reverts: false,
      issues: [],
      bump: null,
      ...intent,
    },
    files: [{ path: LOGIN.path, language: "python", kind: "source" }],
    spared: [],
    languages: [{ language: "python", name: "Python", share: 1, files: 1, changedLines: 5 }],
    risks: [
      {
        id: "authentication",
        text: "touches authentication or authorization code",
        evidence: [{ path: LOGIN.path, line: 11 }],
      },
    ],
    author: { tier: "regular", because: "3 merged pull requests", isKnown: true },
    metrics: {
      files: 1,
      added: 4,
      removed: 1,
      hunks: 2,
      filesByKind: { source: 1, test: 0, config: 0, docs: 0, infra: 0 },
    },
  };
}

/** Findings on and off the lines of LOGIN, with few distinct values so that they collide. */
export const anyFinding: fc.Arbitrary<Finding> = fc
  .record({
    number: fc.nat({ max: 40 }),
    path: fc.constantFrom(LOGIN.path, LOGIN.path, LOGIN.path, "src/other.py", "__proto__"),
    side: fc.constantFrom("LEFT", "RIGHT"),
    startLine: fc.integer({ min: 0, max: 50 }),
    length: fc.integer({ min: -1, max: 4 }),
    severity: fc.constantFrom(...SEVERITIES),
    category: fc.constantFrom(...CATEGORIES),
    rule: fc.constantFrom("sql-string-build", "weak-hash", "debug-leftover", null),
    confidence: fc.constantFrom(0.4, 0.6, 0.9, 1),
  })
  .map(({ number, length, ...one }) =>
    finding({ ...one, id: `fnd_${number.toString(16).padStart(12, "0")}`, line: one.startLine + length }),
  );

/** Memory was not needed: what retrieve hands on when the gate says no. */
export const NO_PRECEDENTS: Precedents = {
  kind: "precedents",
  gate: {
    retrieve: false,
    confidence: 1,
    reason: "nothing remembered yet",
    strategy: null,
    estimatedRelevance: null,
    decidedBy: "empty-memory",
  },
  gateMs: null,
  query: null,
  ranked: [],
  seenBefore: [],
  cut: [],
  provenance: {
    repoSources: [],
    sharedPoolUsed: false,
    totalCandidates: 0,
    scanned: null,
    threshold: 0.3,
    thresholdMethod: "configured",
    admits: { distance: true, probability: 0.015 },
    method: "hybrid",
  },
  usage: { texts: 0, cached: 0, tokens: 0, usd: 0 },
  rerank: null,
  modelCosts: [],
  degraded: [],
};

export const NO_MEMORY: Review["memory"] = { gate: NO_PRECEDENTS.gate, precedents: [], seenBefore: [] };
