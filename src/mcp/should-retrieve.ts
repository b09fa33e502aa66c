// should_retrieve: the gate's decision whether to search memory, with its reason. It searches nothing.

import { z } from "zod";
import { UsageError } from "../config/usage-error.ts";
import { commandLineJob } from "../domain/job.ts";
import { decideForChange, decideForWords } from "../flows/memory/decide-retrieval.ts";
import { MOST_DIFF } from "./review-diff.ts";
import { repositoryOf, type Tool } from "./tool.ts";

const input = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(4_000)
    .describe("The question, or what the change is about: its title, and the start of its description."),
  projectId: z.string().min(1).max(300).describe("The repository: OWNER/NAME as memory knows it."),
  conversationHistory: z
    .union([z.string().max(20_000), z.array(z.string().max(4_000)).max(50)])
    .optional()
    .describe("What was said before the query: one text, or its parts, oldest first."),
  diff: z
    .string()
    .max(MOST_DIFF)
    .optional()
    .describe("The change as a unified diff: then the decision is the one that a review of it would make."),
});

export const shouldRetrieve: Tool<typeof input> = {
  name: "should_retrieve",
  title: "Is memory worth a search?",
  description:
    "Says whether what reviewers said before should be searched for a change or a question, how sure that is, why, and with which strategy. Asks no model and searches nothing: a few milliseconds.",
  input,
  async run({ query, projectId, conversationHistory = [], diff }, ports, signal) {
    const repo = await repositoryOf(projectId, ports);
    const memory = await ports.memory();
    const recall = memory?.search.recall ?? NOTHING;
    const decided =
      diff === undefined
        ? await decideForWords(repo, query, [conversationHistory].flat(), { recall, now: ports.now })
        : await decideForDiff();
    if (decided.kind === "skipped") throw new UsageError(`the change is not judged: ${decided.reason}`);
    const { gate, memories, judged } = decided;
    const { retrieve, strategy, estimatedRelevance, ...stated } = gate;
    const value = {
      shouldRetrieve: retrieve,
      ...stated,
      ...(strategy === null ? {} : { suggestedStrategy: strategy }),
      ...(estimatedRelevance === null ? {} : { estimatedRelevance }),
      judged,
      memories,
      repository: `${repo.owner}/${repo.name}`,
    };
    return { value, lists: [] };

    async function decideForDiff() {
      const change = await ports.change(
        repo,
        { kind: "diff", text: diff ?? "", title: query.split("\n")[0] ?? query },
        signal,
      );
      return decideForChange(commandLineJob(change.repo, change.number, change.headSha), change.ports);
    }
  },
};

/** An empty memory, for the gate alone. */
const NOTHING = {
  counts: () => Promise.resolve({ total: 0, byLanguage: new Map(), byCorpus: new Map(), byOutcome: new Map() }),
  version: () => Promise.resolve(0),
};
