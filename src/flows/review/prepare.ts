// What one review may spend, shared between retrieval and reading, and what is recorded of it:
// retrievals, costs and figures.

import type { RepoConfig } from "../../config/repo-config.ts";
import { originOf } from "../../domain/figures/logged-retrieval.ts";
import type { Repo } from "../../domain/job.ts";
import { UNKNOWN_LANGUAGE } from "../../domain/language.ts";
import { costOf } from "../../domain/model.ts";
import type { Degraded } from "../../domain/omissions.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import { type ModelCost, ownScope, type Precedents } from "../../domain/retrieval.ts";
import { reviewFingerprint } from "../../domain/review/review-history.ts";
import type { MemoryHeld, Review, SummaryBecause } from "../../domain/review.ts";
import type { ReviewSignals } from "../../domain/signals.ts";
import { findingHunks } from "../../learn/learn.ts";
import { OF_THE_CHANGE } from "../../retrieve/retrieve.ts";
import { PROMPT_VERSION } from "../../review/review.ts";
import { logRetrieval } from "../memory/search-memory.ts";
import {
  isByOutsider,
  isForOutsider,
  modelAllowance,
  monthSpending,
  remainingAfter,
  retrievalShare,
} from "./model-allowance.ts";
import type { WritingPorts } from "./review-ports.ts";

/** Sets the allowance of one review aside. */
export async function prepare(context: PullRequestContext, signals: ReviewSignals, ports: WritingPorts) {
  const { job, repo, config } = context;
  const { knowledge } = config;
  const { access } = ports;
  const isOutsider = await isForOutsider(context, access, ports.permissions);
  const asker = { isOutsider, isReview: true, signal: ports.signal };
  const allowance = await modelAllowance(config.review, repo, access, ports.now(), asker);
  const at = ports.now();
  let spent: readonly ModelCost[] = [];
  return {
    /** For retrieval, with its share of the allowance. */
    ports: { ...ports, allowance: retrievalShare(allowance) },
    settings: () => ({ ...OF_THE_CHANGE, knowledge, now: ports.now(), gateCache: ports.gateCache }),
    async record(precedents: Precedents) {
      spent = precedents.modelCosts;
      const origin = originOf(job.trigger);
      await logRetrieval(precedents, { repo, number: job.number, origin, retrieval: knowledge.retrieval, at }, ports);
    },
    remaining: () => remainingAfter(allowance, spent),
    /**
     * The review with its costs, figures and earlier degradations; gives the rest of the money
     * back.
     *
     * @param started epoch milliseconds
     */
    async complete(written: Review, degraded: readonly Degraded[], started: number): Promise<Review> {
      await access?.reservations?.release();
      const held = await introduceMemory(repo, signals, ports);
      const complete = {
        ...written,
        memory: held === null ? written.memory : { ...written.memory, held },
        degraded: [...written.degraded, ...degraded],
        cost: { ...costOf([written.cost, ...spent]), ms: ports.now() - started },
        isByOutsider: await isByOutsider(context, access, ports.permissions),
        answersCommands: context.job.trigger !== "command-line",
        month: await monthSpending(config.review, repo, access, ports.now(), isOutsider),
      };
      if (ports.redact === null) return complete;
      const posted = written.findings.flatMap(({ finding, place }) => (place === "already-posted" ? [] : [finding]));
      return { ...complete, hunks: await findingHunks(posted, context.files, ports.redact) };
    },
  };
}

/** What decides whether a finished part of an earlier review can be taken over. */
export function fingerprintFor({ access, known }: WritingPorts): (config: RepoConfig) => string {
  return (config) => {
    const models = access !== null && config.review.model !== "off" ? access.model.names : null;
    return reviewFingerprint({ config, rules: known.version ?? "", models, prompt: PROMPT_VERSION });
  };
}

/** Why the summary is posted even with nothing to say; null: it is not. */
export async function summaryBecause(
  { job, repo, config }: PullRequestContext,
  { introductions }: WritingPorts,
): Promise<SummaryBecause | null> {
  if (config.review.summary === "always") return "configured";
  if (await introductions.isFirst(repo)) return "first";
  return job.explicit && job.trigger !== "command-line" ? "asked" : null;
}

const MOST_LANGUAGES = 5;

/**
 * The first reviews say what memory there is for the languages of the change. Null otherwise, and
 * when it cannot be read, which is said elsewhere.
 */
async function introduceMemory(
  repo: Repo,
  { languages: changed }: Pick<ReviewSignals, "languages">,
  { recall, introductions }: WritingPorts,
): Promise<MemoryHeld | null> {
  if (recall.off !== null) return null;
  try {
    const why = await introductions.of(repo);
    if (why === null) return null;
    const { byLanguage } = await recall.counts(ownScope(repo));
    const known = changed.filter(({ language }) => language !== UNKNOWN_LANGUAGE);
    const most = [...byLanguage].sort(([, a], [, b]) => b - a).map(([language]) => ({ language, name: language }));
    const languages = (known.length > 0 ? known : most)
      .slice(0, MOST_LANGUAGES)
      .map(({ language, name }) => ({ language: name, count: byLanguage.get(language) ?? 0 }));
    return { languages, isImporting: why === "importing" };
  } catch {
    return null;
  }
}
