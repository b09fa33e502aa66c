// The review is written here: what the rules found, held against the diff, weighed and placed. Nothing is sent.
import type { Finding } from "../domain/finding.ts";
import type { Degraded } from "../domain/outcome.ts";
import type { FileDiff, PullRequestContext } from "../domain/pull-request.ts";
import type { Precedents } from "../domain/retrieval.ts";
import type { PlacedFinding, Review } from "../domain/review.ts";
import type { FileFacts, ReviewSignals } from "../domain/signals.ts";
import type { InspectedFile, Inspector } from "../ports.ts";
import { ground } from "./ground.ts";
import { place } from "./place.ts";
import { type Dial, prune } from "./prune.ts";
import { reviewMemory } from "./review-memory.ts";
import { suggestion } from "./suggestion.ts";

const CONFIG_FILE = ".kodiai.yml";

/**
 * Writes a review without a model.
 *
 * @returns a review that survives JSON unchanged; its cost has no tokens and 0 ms: time is known to the caller only
 * @throws what the inspector throws
 */
export async function review(
  context: PullRequestContext,
  signals: ReviewSignals,
  precedents: Precedents,
  inspector: Inspector,
): Promise<Review> {
  const { config, pull } = context;
  const inspection = await inspector.inspect(
    inspectedFiles(context, signals),
    new Map(Object.entries(config.rules)),
    config.customRules,
  );
  const pruned = prune(ground(inspection.findings, context.files), dialOf(context, signals));
  const findings = place(pruned.said, config.review.maxComments);
  return {
    kind: "review",
    repo: context.repo,
    number: pull.number,
    headSha: pull.head.sha,
    baseSha: pull.base.sha,
    signals,
    findings: withSuggestions(findings, context),
    memory: reviewMemory(precedents),
    heldBack: [...inspection.heldBack, ...pruned.heldBack],
    reviewed: context.files.map(({ path }) => path),
    leftOut: context.leftOut,
    degraded: eachOnce([...context.degraded, ...precedents.degraded, ...inspection.degraded]),
    configProblems: context.configProblems,
    configChanges: changesConfig(context),
    cost: { inputTokens: 0, outputTokens: 0, usd: 0, ms: 0 },
  };
}

function inspectedFiles(context: PullRequestContext, signals: ReviewSignals): readonly InspectedFile[] {
  const facts = new Map(signals.files.map((file) => [file.path, file]));
  return context.files.map((diff) => ({
    diff,
    facts: facts.get(diff.path) ?? unknownFacts(diff.path),
    headText: context.headTexts.get(diff.path) ?? null,
  }));
}

function unknownFacts(path: string): FileFacts {
  return { path, language: "unknown", kind: "source" };
}

function dialOf({ config, ownComments }: PullRequestContext, { intent }: ReviewSignals): Dial {
  return {
    severityThreshold: config.review.severityThreshold,
    profile: intent.profile ?? config.review.profile,
    profileFrom: intent.profile === null ? "configuration" : "title",
    styleOk: intent.styleOk,
    suppress: config.review.suppress,
    posted: new Set(ownComments.map(({ findingId }) => findingId)),
  };
}

/** A suggestion needs a comment on its lines; without one, or when it is not certain, the finding goes without. */
function withSuggestions(findings: readonly PlacedFinding[], context: PullRequestContext): readonly PlacedFinding[] {
  const files = new Map(context.files.map((file) => [file.path, file]));
  return findings.map((placed) => {
    if (placed.finding.suggestion === null) return placed;
    const file = placed.place === "inline" ? files.get(placed.finding.path) : undefined;
    return { ...placed, finding: { ...placed.finding, suggestion: checked(placed.finding, file, context) } };
  });
}

function checked(finding: Finding, file: FileDiff | undefined, context: PullRequestContext): Finding["suggestion"] {
  if (file === undefined || !context.config.review.suggestions) return null;
  return suggestion(finding, file, context.headTexts.get(finding.path) ?? null);
}

function eachOnce(degraded: readonly Degraded[]): readonly Degraded[] {
  return [...new Map(degraded.map((one) => [JSON.stringify([one.part, one.reason]), one])).values()];
}

function changesConfig({ files, leftOut }: PullRequestContext): boolean {
  const changed = [
    ...files.flatMap(({ path, previousPath }) => [path, previousPath]),
    ...leftOut.map(({ path }) => path),
  ];
  return changed.includes(CONFIG_FILE);
}
