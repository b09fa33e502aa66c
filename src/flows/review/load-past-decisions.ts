// What speaks for or against the findings of a review, loaded before it is written, so that the
// review stage decides by values: declined findings, and earlier ones about the same code. And what
// a posted review leaves behind.
import { Transient } from "../../domain/errors.ts";
import type { Finding } from "../../domain/finding.ts";
import { UNKNOWN_LANGUAGE } from "../../domain/language.ts";
import {
  type AlikeClaim,
  NO_HISTORY,
  type RejectedMemory,
  type RepositoryHistory,
  rejectionsOf,
} from "../../domain/memory/rejections.ts";
import { findingMemoryId, type RepoKey, repoKey } from "../../domain/memory.ts";
import type { Degraded } from "../../domain/omissions.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import { ownScope, type Precedents } from "../../domain/retrieval.ts";
import type { Commenter, PostedReview } from "../../domain/review.ts";
import { publicErrorText } from "../../domain/text/public-error-text.ts";
import { openAmong } from "../../gather/gather.ts";
import { claimOf } from "../../learn/learn.ts";
import type { FlaggedNow } from "../../ports/rejections.ts";
import { beginnings, flaggedInChange } from "../../review/review.ts";
import type { WritingPorts } from "./review-ports.ts";

const MOST_PULLS = 10;
/** Neighbours of a claim that are looked through for declined ones. */
const NEIGHBOURS = 50;

interface PastDecisions {
  readonly pastDecisions: RepositoryHistory;
  /** Who knows these files, as far as memory does. */
  readonly commenters: readonly Commenter[];
  readonly degraded: readonly Degraded[];
}

/** What memory knows, and why it knows less than it could. Never rejects. */
export async function loadPastDecisions(context: PullRequestContext, ports: WritingPorts): Promise<PastDecisions> {
  const { past } = ports;
  if (past === null) return { pastDecisions: NO_HISTORY, commenters: [], degraded: [] };
  const repo = repoKey(context.repo);
  try {
    const rejected = await past.rejected(repo);
    const { files, pull } = context;
    const flagged = flaggedInChange(await past.flagged(repo, beginnings(files), pull.number), files);
    const candidates = flagged.flatMap(({ fixedAt, isDistinctive, pull }) =>
      fixedAt === null && isDistinctive ? [pull] : [],
    );
    const openPulls = await openAmong(context.repo, [...new Set(candidates)].slice(0, MOST_PULLS), ports.pulls);
    const alikeClaims = async (findings: readonly Finding[]) => {
      const alike = await claimsLike(findings, rejected, context, ports);
      const pulls = [...new Set(rejected.flatMap((one) => (one.pull === null ? [] : [one.pull])))];
      const byId = new Map(rejected.map((one) => [one.memoryId, one]));
      const same = (finding: Finding) => sameFindings(finding, byId, pulls, repo);
      return findings.map((finding, at) => [...same(finding), ...(alike[at] ?? [])]);
    };
    const paths = files.map(({ path, previousPath }) => previousPath ?? path);
    const all = await past.commenters(repo, paths, pull.number);
    const commenters = all.filter(({ author }) => author.toLowerCase() !== `@${pull.author.login}`.toLowerCase());
    return { pastDecisions: { flagged, rejected, openPulls, alikeClaims, now: ports.now() }, commenters, degraded: [] };
  } catch (error) {
    // Only our own adapters' words are fit for a footer.
    const why = error instanceof Transient ? publicErrorText(error.message) : "the question failed";
    const reason = `what was said on other pull requests is not known: ${why}`;
    return { pastDecisions: NO_HISTORY, commenters: [], degraded: [{ part: "past-findings", reason }] };
  }
}

/** Adds to precedents that people declined what they said, for the model. */
export function withReasons(precedents: Precedents, rejected: readonly RejectedMemory[]): Precedents {
  const byId = new Map(rejected.map((one) => [one.memoryId, rejectionsOf(one.each)]));
  return {
    ...precedents,
    ranked: precedents.ranked.map((memory) => {
      return { ...memory, rejections: byId.get(memory.record.id) ?? null };
    }),
  };
}

/**
 * A rule's finding has the same id for the same words in the same file of any pull request: code
 * too short to be looked up is recognised by it.
 */
function sameFindings(
  { rule, id }: Finding,
  rejected: ReadonlyMap<string, RejectedMemory>,
  pulls: readonly number[],
  repo: RepoKey,
): readonly AlikeClaim[] {
  if (rule === null) return [];
  return pulls.flatMap((pull) => {
    const found = rejected.get(findingMemoryId(repo, pull, id));
    // Of code that cannot be looked up no rule is stored; the id is of the rule as well.
    return found !== undefined && (found.rule ?? rule) === rule ? [{ memoryId: found.memoryId, similarity: 1 }] : [];
  });
}

/** Cosine decides: a claim that is not nearer than the embedder's own bound is another one. */
async function claimsLike(
  findings: readonly Finding[],
  rejected: readonly RejectedMemory[],
  context: PullRequestContext,
  { embedder, recall }: WritingPorts,
): Promise<readonly (readonly AlikeClaim[])[]> {
  const nothing = findings.map(() => []);
  const bound = embedder?.sameClaim ?? null;
  const isAsked = ({ rule, category }: Finding) => rule === null && rejected.some((one) => one.category === category);
  if (embedder === null || bound === null || !findings.some(isAsked)) return nothing;
  try {
    const { number: pull, head } = context.pull;
    const where = { repo: context.repo, pull, headSha: head.sha, url: null, at: 0, author: null };
    const claims = findings.map((finding) => claimOf(finding, { ...where, language: UNKNOWN_LANGUAGE, hunk: null }));
    const { vectors } = await embedder.embed(claims, "document");
    const wanted = new Set(rejected.map(({ memoryId }) => memoryId));
    const scope = ownScope(context.repo, context.pull.number);
    const ask = async (finding: Finding, vector: Float32Array | null): Promise<readonly AlikeClaim[]> => {
      if (vector === null || !isAsked(finding)) return [];
      const [hits = []] = await recall.nearest(scope, [vector], embedder.space, NEIGHBOURS, { corpora: ["finding"] });
      return hits
        .filter(({ id, distance }) => wanted.has(id) && distance <= bound)
        .map(({ id, distance }) => ({ memoryId: id, similarity: Math.min(1, Math.max(0, 1 - distance)) }));
    };
    return await Promise.all(findings.map((finding, at) => ask(finding, vectors[at] ?? null)));
  } catch {
    // Without vectors code alone decides; the search for precedents says what is wrong with memory.
    return nothing;
  }
}

/** The code of a posted review's findings. */
export function flaggedBy({ review }: PostedReview): FlaggedNow {
  const idOf = (finding: Pick<Finding, "id">) => findingMemoryId(repoKey(review.repo), review.number, finding.id);
  return {
    reported: review.said.flatMap(({ finding, shape, recovered }) =>
      recovered || finding.side === "LEFT" || shape.at.length === 0
        ? []
        : [{ memoryId: idOf(finding), rule: finding.rule, shape }],
    ),
    open: review.findings.map(({ finding }) => idOf(finding)),
    fixed: review.addressed.flatMap(({ finding, isRemoved }) => (isRemoved ? [idOf(finding)] : [])),
  };
}
