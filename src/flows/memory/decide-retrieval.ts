// The gate's decision whether memory is worth a search, by itself: for a change that is not reviewed, or for a text
// about one.
import { analyze } from "../../analyze/analyze.ts";
import { defaultKnowledge } from "../../config/knowledge.ts";
import type { Repo, ReviewJob } from "../../domain/job.ts";
import { NO_PULL } from "../../domain/memory/placeholder-pull-request.ts";
import { ownScope } from "../../domain/retrieval.ts";
import { gather } from "../../gather/gather.ts";
import type { Recall } from "../../ports/memory.ts";
import { type RetrievePorts, retrieve, retrieveForQuestion } from "../../retrieve/retrieve.ts";
import type { WritingPorts } from "../review/review-ports.ts";

/** What the gate needs of memory. */
type Counting = Pick<Recall, "off" | "counts" | "version">;

type DecidingPorts = Pick<WritingPorts, "pulls" | "known" | "now"> & {
  readonly recall: Counting;
};

/**
 * Decides for a change like a review would.
 *
 * @throws Transient when the change cannot be read now
 */
export async function decideForChange(job: ReviewJob, ports: DecidingPorts) {
  // An explicit request is by itself a reason to search; here the decision without one is wanted.
  const context = await gather({ ...job, explicit: false }, ports.pulls, ports.known);
  if (context.kind === "skipped") return context;
  const { knowledge } = context.config;
  const asked = { knowledge, now: ports.now(), gateCache: null };
  const { gate } = await retrieve(context, analyze(context), gateOnly(ports.recall), asked);
  return { kind: "decision", gate, judged: "change", memories: await countOf(job.repo, ports.recall) } as const;
}

/**
 * Decides for a text: a question, or a description of a change.
 *
 * @param before the conversation before it, oldest first
 */
export async function decideForWords(
  repo: Repo,
  text: string,
  before: readonly string[],
  { recall, now }: Pick<DecidingPorts, "recall" | "now">,
) {
  const around = { about: "", path: null, languages: [], before, description: "", changed: [] };
  const { gate } = await retrieveForQuestion({ repo, pull: { number: NO_PULL }, text, ...around }, gateOnly(recall), {
    knowledge: defaultKnowledge(),
    now: now(),
  });
  return { kind: "decision", gate, judged: "words", memories: await countOf(repo, recall) } as const;
}

/** Memories in scope; null when they could not be counted. */
async function countOf(repo: Repo, recall: Counting): Promise<number | null> {
  const counts = await recall.counts(ownScope(repo)).catch(() => null);
  return counts?.total ?? null;
}

/** The gate's ports of memory, without anything to find. */
function gateOnly(recall: Counting): RetrievePorts {
  const nothing = () => Promise.resolve([]);
  const { off } = recall;
  return {
    embedder: null,
    reranker: null,
    recall: {
      ...(off === undefined ? {} : { off }),
      nearest: nothing,
      matching: nothing,
      records: nothing,
      counts: (scope) => recall.counts(scope),
      version: (repo) => recall.version(repo),
    },
  };
}
