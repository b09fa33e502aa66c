// The gate's decision whether memory is worth a search, by itself, for a text.
import { defaultKnowledge } from "../../config/knowledge.ts";
import type { Repo } from "../../domain/job.ts";
import { NO_PULL } from "../../domain/memory/placeholder-pull-request.ts";
import { ownScope } from "../../domain/retrieval.ts";
import type { Recall } from "../../ports/memory.ts";
import { retrieveForQuestion, UNAIDED } from "../../retrieve/retrieve.ts";
import type { WritingPorts } from "../review/review-ports.ts";

type Counting = Pick<Recall, "off" | "counts" | "version">;

/**
 * Decides for a text: a question, or a description of a change.
 *
 * @param before the conversation before it, oldest first
 * @returns also how many memories are in scope; null when they could not be counted
 */
export async function decideForWords(
  repo: Repo,
  text: string,
  before: readonly string[],
  { recall, now }: { readonly recall: Counting } & Pick<WritingPorts, "now">,
) {
  const around = { about: "", path: null, languages: [], before, description: "", changed: [] };
  const nothing = () => Promise.resolve([]);
  // The gate counts; it searches nothing.
  const gateOnly = { ...UNAIDED, recall: { ...recall, nearest: nothing, matching: nothing, records: nothing } };
  const { gate } = await retrieveForQuestion({ repo, pull: { number: NO_PULL }, text, ...around }, gateOnly, {
    knowledge: defaultKnowledge(),
    now: now(),
  });
  const counts = await recall.counts(ownScope(repo)).catch(() => null);
  return { gate, memories: counts?.total ?? null };
}
