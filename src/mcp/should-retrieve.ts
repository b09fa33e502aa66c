// should_retrieve: the gate's decision whether to search memory. It searches nothing.

import { z } from "zod";
import { decideForWords } from "../flows/memory/decide-retrieval.ts";
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
});

export const shouldRetrieve: Tool<typeof input> = {
  name: "should_retrieve",
  title: "Is memory worth a search?",
  description:
    "Says whether what reviewers said before should be searched for a change or a question, how sure that is, why, and with which strategy. Asks no model and searches nothing: a few milliseconds.",
  input,
  async run({ query, projectId, conversationHistory = [] }, ports) {
    const repo = await repositoryOf(projectId, ports);
    const memory = await ports.memory();
    const recall = memory?.search.recall ?? NOTHING;
    const before = [conversationHistory].flat();
    const { gate, memories } = await decideForWords(repo, query, before, { recall, now: ports.now });
    const { retrieve, strategy, estimatedRelevance, ...stated } = gate;
    const value = {
      shouldRetrieve: retrieve,
      ...stated,
      ...(strategy === null ? {} : { suggestedStrategy: strategy }),
      ...(estimatedRelevance === null ? {} : { estimatedRelevance }),
      memories,
      repository: `${repo.owner}/${repo.name}`,
    };
    return { value, lists: [] };
  },
};

/** An empty memory, for the gate alone. */
const NOTHING = {
  off: null,
  counts: () => Promise.resolve({ total: 0, byLanguage: new Map(), byCorpus: new Map(), byOutcome: new Map() }),
  version: () => Promise.resolve(0),
};
