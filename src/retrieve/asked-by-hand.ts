// A text that somebody typed, as if a change without files asked: the same search, rank and choice as for a review.

import { defaultKnowledge, type Knowledge } from "../config/knowledge.ts";
import { defaultConfig } from "../config/repo-config.ts";
import type { HandSearch } from "../domain/found.ts";
import { jobKey } from "../domain/job.ts";
import { CORPORA } from "../domain/memory.ts";
import { NO_PAST } from "../domain/past.ts";
import type { PullRequest, PullRequestContext } from "../domain/pull-request.ts";
import type { MemoryFilter, RetrievalQuery } from "../domain/retrieval.ts";
import type { ReviewSignals } from "../domain/signals.ts";
import type { Tuning } from "./tuning.ts";

/** What is searched for in place of the queries that a change makes. */
export interface Asked {
  readonly query: RetrievalQuery;
  readonly filter: MemoryFilter;
}

/** What retrieval takes, made of a typed text. */
export interface HandQuestion {
  readonly context: PullRequestContext;
  readonly signals: ReviewSignals;
  readonly settings: {
    readonly knowledge: Knowledge;
    readonly now: number;
    readonly tuning: Partial<Tuning>;
    readonly asked: Asked;
  };
}

/**
 * Ranks are fused, not the signals of a change: the learned order reads hunks and paths, of which there are none. What
 * words alone found needs no floor, which was measured on whole changes: three words never weigh as much.
 */
export function askedByHand(text: string, search: HandSearch): HandQuestion {
  const { threshold, filter } = search;
  const explicit = threshold !== null;
  const query: RetrievalQuery = { text, dropped: [], variants: [{ kind: "intent", text, path: null }] };
  return {
    context: emptyChange(text, search),
    signals: noSignals(text),
    settings: {
      knowledge: knowledgeOf(search),
      now: search.now,
      tuning: {
        floors: threshold !== 0,
        adaptive: !explicit,
        // Asked for so much likeness, words do not make up for it.
        rareWords: explicit ? Number.POSITIVE_INFINITY : 0,
        budget: false,
      },
      asked: { query, filter: { ...filter, corpora: filter.corpora ?? CORPORA } },
    },
  };
}

function knowledgeOf({ method, topK, threshold }: HandSearch): Knowledge {
  const { retrieval, ...rest } = defaultKnowledge();
  const distanceThreshold = threshold === null ? "auto" : 1 - threshold;
  const gate = { ...retrieval.gate, enabled: false };
  return { ...rest, retrieval: { ...retrieval, method, topK, distanceThreshold, fusion: "rrf", gate } };
}

/** No pull request has this number, so none is left out of the search (see scopeOf). */
const NO_PULL = 0;

function emptyChange(title: string, { repo }: HandSearch): PullRequestContext {
  const pull: PullRequest = {
    number: NO_PULL,
    url: "",
    title,
    body: null,
    state: "open",
    draft: false,
    locked: false,
    labels: [],
    author: { login: "you", id: 0, type: "User", association: "OWNER" },
    base: { ref: "", sha: "" },
    head: { ref: "", sha: "", repo: null },
    commits: [],
  };
  return {
    kind: "context",
    job: {
      kind: "review",
      key: jobKey(repo, NO_PULL),
      delivery: "cli",
      installationId: 0,
      repo,
      number: NO_PULL,
      headSha: "",
      trigger: "command-line",
      explicit: true,
    },
    repo,
    pull,
    config: defaultConfig(),
    configProblems: [],
    files: [],
    leftOut: [],
    headTexts: new Map(),
    guidance: [],
    past: NO_PAST,
    authorFacts: { mergedPullRequests: null },
    ownComments: [],
    degraded: [],
  };
}

function noSignals(subject: string): ReviewSignals {
  return {
    intent: {
      type: null,
      otherType: null,
      scope: null,
      subject,
      breaking: [],
      wip: false,
      noReview: false,
      styleOk: false,
      profile: null,
      focusAreas: [],
      reverts: null,
      issues: [],
      bump: null,
    },
    files: [],
    languages: [],
    risks: [],
    author: { tier: "regular", because: "a search by hand" },
    metrics: {
      files: 0,
      added: 0,
      removed: 0,
      hunks: 0,
      filesByKind: { source: 0, test: 0, config: 0, docs: 0, infra: 0 },
    },
  };
}
