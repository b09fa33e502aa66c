// The gate's decision whether memory is worth a search, by itself, for a text.
import { defaultKnowledge } from "../../config/knowledge.ts";
import type { Repo } from "../../domain/job.ts";
import { NO_PULL } from "../../domain/memory/placeholder-pull-request.ts";
import { ownScope } from "../../domain/retrieval.ts";
import type { Recall } from "../../ports/memory.ts";
import { type RetrievePorts, retrieveForQuestion, UNAIDED } from "../../retrieve/retrieve.ts";
import type { WritingPorts } from "../review/review-ports.ts";

/** What the gate needs of memory. */
type Counting = Pick<Recall, "off" | "counts" | "version">;

/**
 * Decides for a text: a question, or a description of a change.
 *
 * @param before the conversation before it, oldest first
 */
export async function decideForWords(
  repo: Repo,
  text: string,
  before: readonly string[],
  { recall, now }: { readonly recall: Counting } & Pick<WritingPorts, "now">,
) {
  const around = { about: "", path: null, languages: [], before, description: "", changed: [] };
  const { gate } = await retrieveForQuestion({ repo, pull: { number: NO_PULL }, text, ...around }, gateOnly(recall), {
    knowledge: defaultKnowledge(),
    now: now(),
  });
  return { gate, memories: await countOf(repo, recall) };
}

/** Memories in scope; null when they could not be counted. */
async function countOf(repo: Repo, recall: Counting): Promise<number | null> {
  const counts = await recall.counts(ownScope(repo)).catch(() => null);
  return counts?.total ?? null;
}

/** The gate's ports of memory, without anything to find. */
function gateOnly(recall: Counting): RetrievePorts {
  const nothing = () => Promise.resolve([]);
  return {
    ...UNAIDED,
    recall: {
      off: recall.off,
      nearest: nothing,
      matching: nothing,
      records: nothing,
      counts: (scope) => recall.counts(scope),
      version: (repo) => recall.version(repo),
    },
  };
}
