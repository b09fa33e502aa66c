// The review is written here: what the rules found and what the model found, held against the diff, checked, weighed and
// placed. Nothing is sent. Without a model, or when it fails, the rules' review stands, and says so.
import type { Finding } from "../domain/finding.ts";
import type { Degraded } from "../domain/outcome.ts";
import type { FileDiff, PullRequestContext } from "../domain/pull-request.ts";
import type { Precedents } from "../domain/retrieval.ts";
import type { PlacedFinding, Review } from "../domain/review.ts";
import type { FileFacts, ReviewSignals } from "../domain/signals.ts";
import type { InspectedFile, Inspector } from "../ports.ts";
import type { ModelLeave } from "../ports-model.ts";
import { configOnHead } from "./config-on-head.ts";
import { ground } from "./ground.ts";
import { place } from "./place.ts";
import { type Dial, prune } from "./prune.ts";
import { type Bounds, type ModelReview, readByModel, withoutModel } from "./read-by-model.ts";
import { reviewMemory } from "./review-memory.ts";
import { takeRuleVerdicts } from "./rule-verdicts.ts";
import { suggestion } from "./suggestion.ts";

const CONFIG_FILE = ".kodiai.yml";

export interface ReviewPorts {
  readonly inspector: Inspector;
  readonly leave: ModelLeave;
}

/**
 * Writes a review.
 *
 * @returns a review that survives JSON unchanged; its cost has 0 ms: time is known to the caller only
 * @throws what the inspector throws; a model that fails is `degraded`
 */
export async function review(
  context: PullRequestContext,
  signals: ReviewSignals,
  precedents: Precedents,
  ports: ReviewPorts,
): Promise<Review> {
  const { config, pull } = context;
  const inspection = await ports.inspector.inspect(
    inspectedFiles(context, signals),
    new Map(Object.entries(config.rules)),
    config.customRules,
  );
  const memory = reviewMemory(precedents);
  const dial = dialOf(context, signals);
  const material = { context, signals, precedents, ruleFindings: inspection.findings };
  const read = await modelReview(material, { remembered: memory.precedents, profile: dial.profile }, ports.leave);
  const ruled = takeRuleVerdicts(inspection.findings, read.ruleVerdicts);
  const pruned = prune(ground([...ruled.findings, ...read.findings], context.files), dial);
  const findings = place(pruned.said, config.review.maxComments);
  return {
    kind: "review",
    repo: context.repo,
    number: pull.number,
    headSha: pull.head.sha,
    baseSha: pull.base.sha,
    signals,
    findings: withSuggestions(findings, context),
    memory,
    heldBack: [...inspection.heldBack, ...ruled.heldBack, ...read.heldBack, ...pruned.heldBack],
    reviewed: context.files.map(({ path }) => path),
    coverage: read.coverage,
    walkthrough: read.walkthrough,
    leftOut: context.leftOut,
    degraded: eachOnce([...context.degraded, ...precedents.degraded, ...inspection.degraded, ...read.degraded]),
    configProblems: context.configProblems,
    configChanges: changesConfig(context),
    configOnHead: configOnHead(
      context.configProblems,
      CONFIG_FILE,
      context.files.find(({ path }) => path === CONFIG_FILE),
    ),
    cost: { ...read.cost, ms: 0 },
  };
}

function modelReview(
  material: Parameters<typeof readByModel>[0],
  bounds: Omit<Bounds, "usd">,
  leave: ModelLeave,
): Promise<ModelReview> | ModelReview {
  if (leave.model === null) return withoutModel(leave.reason);
  const { model, usd, delimiter, signal } = leave;
  return readByModel(
    material,
    { ...bounds, usd },
    {
      name: model.names.main,
      contextTokens: model.contextTokens("main"),
      price: (input, output) => model.price("main", input, output),
      ask: (request) => model.ask(request, signal),
      delimiter,
    },
  );
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
