// Decides whether a pull request needs memory, by a table of rules; the first match wins. Doubtful
// changes are searched; a skip needs every changed file in one class, and a risk vetoes it. The
// gate decides about the search only, never about the review.

import { defaultKnowledge, type GateSettings } from "../../config/knowledge.ts";
import { userPattern } from "../../config/patterns.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import { type GateDecision, type MemoryCounts, NOTHING_REMEMBERED, type Strategy } from "../../domain/retrieval.ts";
import type { ReviewSignals } from "../../domain/signals.ts";
import { counted } from "../../domain/text/counted.ts";
import { cutText } from "../../domain/text/cut-text.ts";
import {
  changedPaths,
  isCommentsOnly,
  isDocsOnly,
  isGeneratedOnly,
  isLockFilesOnly,
  isManifestsOnly,
  isNothingToReview,
  isReleaseCommit,
  isSmallProse,
} from "./change-classes.ts";
import { namedThings } from "./code-identifiers.ts";

export interface GateContext
  extends Pick<PullRequestContext, "repo" | "pull" | "job" | "files" | "leftOut" | "headTexts"> {
  readonly signals: Pick<ReviewSignals, "files" | "intent" | "risks" | "languages">;
  readonly memory: {
    /** Memories in scope; null when they could not be counted. */
    readonly counts: MemoryCounts | null;
    /** Changes with every change of memory; null when unknown. */
    readonly version: number | null;
  };
}

interface GatePattern {
  readonly source: string;
  readonly matches: (text: string) => boolean;
}

export interface GateConfig extends Omit<GateSettings, "skipPatterns" | "retrievePatterns"> {
  readonly skipPatterns: readonly GatePattern[];
  readonly retrievePatterns: readonly GatePattern[];
}

export const GATE: GateConfig = gateConfig(defaultKnowledge().retrieval.gate);

interface Rule {
  readonly name: string;
  readonly retrieve: boolean;
  readonly confidence: number;
  readonly strategy: Strategy | null;
  /** Why the rule matches, one sentence fragment; null when it does not. */
  readonly holds: (context: GateContext, config: GateConfig) => string | null;
}

const FEW_FILES = 5;
const TROUBLE = /\b(?:crash(?:es|ed|ing)?|regressions?|leak(?:s|ed|ing|age)?|races?|race conditions?|deadlocks?)\b/i;
const CODE_TYPES = new Set(["feat", "refactor", "perf"]);

function skip(name: string, confidence: number, holds: Rule["holds"]): Rule {
  return { name, retrieve: false, confidence, strategy: null, holds };
}

function search(name: string, confidence: number, strategy: Strategy | null, holds: Rule["holds"]): Rule {
  return { name, retrieve: true, confidence, strategy, holds };
}

/** The reason if the condition holds, else null. */
export function when(condition: boolean, reason: string): string | null {
  return condition ? reason : null;
}

/** In order: lossless skips, explicit requests, risks, then the classes of change. */
const RULES: readonly Rule[] = [
  search("disabled", 1, null, (_, { enabled }) => when(!enabled, "the gate is disabled")),
  skip("empty-memory", 1, ({ memory }) => when(memory.counts?.total === 0, NOTHING_REMEMBERED)),
  search("retrieve-pattern", 0.99, null, (context, { retrievePatterns }) =>
    retrievePattern([context.pull.title, ...changedPaths(context)], retrievePatterns),
  ),
  search("explicit", 0.99, "hybrid", asked),
  search("risk", 0.95, "semantic", ({ signals }) => risk(signals.risks)),
  skip("skip-pattern", 0.99, (context, { skipPatterns }) =>
    skipPattern(changedPaths(context), skipPatterns, "every changed file"),
  ),
  search("revert", 0.9, "keyword", ({ signals }) =>
    when(signals.intent.type === "revert" || signals.intent.reverts, "a revert: comments on the reverted change"),
  ),
  skip("lock-files", 0.99, (context) => when(isLockFilesOnly(context), "only lock files changed")),
  skip("generated", 0.95, (context) => when(isGeneratedOnly(context), "only generated or vendored files changed")),
  skip("nothing-to-review", 0.99, (context) => when(isNothingToReview(context), "no changed line is left to review")),
  skip("dependency-bump", 0.95, dependencyBump),
  search("large-dependency-bump", 0.8, "keyword", ({ signals }) =>
    when(signals.intent.bump !== null, "a dependency bump that is major, breaking, of unknown size, or not only that"),
  ),
  skip("release", 0.9, release),
  skip("small-docs", 0.9, (context) =>
    when(isOnlyDocs(context) && isSmallProse(context.files, context.headTexts), "a few lines of prose changed"),
  ),
  skip("comments-only", 0.9, ({ files, signals, leftOut }) =>
    when(leftOut.length === 0 && isCommentsOnly(files, signals.files), "only comments and white space changed"),
  ),
  search("docs", 0.6, "keyword", (context) => when(isOnlyDocs(context), "only documentation changed")),
  search("named-in-text", 0.95, "keyword", named),
  search("few-files", 0.9, "keyword", ({ files }) =>
    when(files.length > 0 && files.length <= FEW_FILES, `a change of ${counted(files.length, "file")}`),
  ),
  search("bug-fix", 0.9, "related-files", ({ pull, signals }) =>
    when(signals.intent.type === "fix" || TROUBLE.test(pull.title), "a fix"),
  ),
  search("code", 0.9, "hybrid", ({ signals: { intent, files } }) =>
    when(CODE_TYPES.has(intent.type ?? "") || files.some(({ kind }) => kind === "source"), "a change of code"),
  ),
];

/**
 * Decides by the table. Pure; never throws: a failing rule counts as "search".
 *
 * @returns the decision; null when no rule matches and a model may be asked (see defaultDecision)
 */
export function gateByRules(context: GateContext, config: GateConfig = GATE): GateDecision | null {
  for (const rule of RULES) {
    const reason = attempt(rule, context, config);
    if (reason === null) continue;
    const { name: decidedBy, retrieve, confidence, strategy } = rule;
    const relevance = retrieve ? shareIn(context.signals.languages, context.memory.counts) : 0;
    return confident({ retrieve, confidence, reason, strategy, estimatedRelevance: relevance, decidedBy }, config);
  }
  return null;
}

/** The decision when nothing else decided: search. */
export function defaultDecision(reason: string, decidedBy = "default"): GateDecision {
  return { retrieve: true, confidence: 0.5, reason, strategy: "hybrid", estimatedRelevance: null, decidedBy };
}

/** A skip below the threshold becomes a search, and the reason mentions it. */
export function confident(decision: GateDecision, { confidenceThreshold }: GateConfig): GateDecision {
  if (decision.retrieve || decision.confidence >= confidenceThreshold) return decision;
  return {
    ...decision,
    retrieve: true,
    strategy: decision.strategy ?? "hybrid",
    estimatedRelevance: null,
    reason: `${decision.reason}; searched anyway, because ${decision.confidence} is below the confidence threshold ${confidenceThreshold}`,
  };
}

function attempt(rule: Rule, context: GateContext, config: GateConfig): string | null {
  try {
    return rule.holds(context, config);
  } catch {
    return rule.retrieve ? "the gate failed" : null;
  }
}

/** The first of the patterns that matches one of the texts, as a reason; null without one. */
export function retrievePattern(texts: readonly string[], patterns: readonly GatePattern[]): string | null {
  const hit = patterns.find(({ matches }) => texts.some(matches));
  return hit === undefined ? null : `retrievePatterns: ${hit.source}`;
}

/** A reason when each text matches a pattern; null otherwise, and without texts. */
export function skipPattern(texts: readonly string[], patterns: readonly GatePattern[], what: string): string | null {
  const all = texts.length > 0 && texts.every((text) => patterns.some(({ matches }) => matches(text)));
  return when(all, `skipPatterns match ${what}`);
}

function asked({ job, signals: { intent } }: GateContext): string | null {
  if (job.explicit) return "a person asked for this review";
  if (intent.profile === "thorough") return "the title asks for a strict review";
  return when(intent.focusAreas.includes("security"), "the title asks for a security review");
}

/** A dependency manifest alone is no veto: bumps are a class of their own. */
function risk(risks: GateContext["signals"]["risks"]): string | null {
  const grave = risks.filter(({ id }) => id !== "dependencies");
  return grave.length === 0 ? null : grave.map(({ text }) => text).join("; ");
}

function dependencyBump(context: GateContext): string | null {
  const { bump, breaking } = context.signals.intent;
  if (bump === null || breaking.length > 0) return null;
  if (bump.step === "major" || bump.step === "unknown") return null;
  return when(
    isManifestsOnly(context, context.signals.risks),
    `a ${bump.step} dependency bump, detected by ${bump.signs.join(" and ")}`,
  );
}

function release({ files, leftOut, pull, signals }: GateContext): string | null {
  const isBump = signals.intent.bump !== null;
  const whole = leftOut.every(({ reason }) => reason === "lock file");
  return when(whole && isReleaseCommit(files, pull.title, isBump), "only the version and the changelog changed");
}

function isOnlyDocs({ files, signals, leftOut }: GateContext): boolean {
  return leftOut.length === 0 && isDocsOnly(files, signals.files);
}

function named({ pull }: GateContext): string | null {
  return namesText([...namedThings(pull.title), ...namedThings(pull.body ?? "")]);
}

/** The first three names as a reason; null without one. */
export function namesText(names: readonly string[]): string | null {
  return names.length === 0 ? null : `names ${cutText(names.slice(0, 3).join(", "), 120)}`;
}

/** The share of memories in these languages, or null when memory or languages are unknown. */
export function shareIn(languages: ReviewSignals["languages"], counts: MemoryCounts | null): number | null {
  if (counts === null || counts.total <= 0 || languages.length === 0) return null;
  const known = languages.reduce((sum, { language }) => sum + (counts.byLanguage.get(language) ?? 0), 0);
  return Math.min(1, known / counts.total);
}

/** Compiles the patterns, without invalid ones, which the reading of the file has rejected. */
export function gateConfig(settings: GateSettings): GateConfig {
  const compiled = (sources: readonly string[]) => sources.map(userPattern).filter((pattern) => "matches" in pattern);
  return {
    ...settings,
    skipPatterns: compiled(settings.skipPatterns),
    retrievePatterns: compiled(settings.retrievePatterns),
  };
}
