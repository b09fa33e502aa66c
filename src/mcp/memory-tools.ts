// should_retrieve, search_memory and remember: the gate's decision whether to search, a search as a
// review does it, and a note of a person, which the server stores only with --allow-write.

import { z } from "zod";
import { languageOf } from "../analyze/analyze.ts";
import { UsageError } from "../config/usage-error.ts";
import { canonicalLanguage } from "../domain/language.ts";
import { CORPORA, repoKey } from "../domain/memory.ts";
import { decideForWords } from "../flows/memory/decide-retrieval.ts";
import { nameOf, nothingRemembered } from "../flows/memory/find-repository.ts";
import { foundJson } from "../flows/memory/found-json.ts";
import { searchByHand } from "../flows/memory/search-memory.ts";
import { fromNote } from "../learn/learn.ts";
import { repositoryField, repositoryOf, type Tool } from "./tool.ts";

const gateInput = z.strictObject({
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

export const shouldRetrieve: Tool<typeof gateInput> = {
  name: "should_retrieve",
  title: "Is memory worth a search?",
  description:
    "Says whether what reviewers said before should be searched for a change or a question, how sure that is, why, and with which strategy. Asks no model and searches nothing: a few milliseconds.",
  input: gateInput,
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

const NOTHING = {
  off: null,
  counts: () => Promise.resolve({ total: 0, byLanguage: new Map(), byCorpus: new Map(), byOutcome: new Map() }),
  version: () => Promise.resolve(0),
};

const words = (what: string) => z.array(z.string().min(1).max(300)).max(20).optional().describe(what);

const searchInput = z.strictObject({
  query: z.string().min(1).max(4_000).describe("What to look for, in words or code."),
  repository: repositoryField,
  languages: words("Only memories about these languages: C++, TypeScript, go."),
  types: words("Only such chunks or comments: section; security, correctness; critical."),
  paths: words("Only about these files: an exact path, a folder ending in /, or a glob such as src/**/*.ts."),
  corpora: z.array(z.enum(CORPORA)).max(CORPORA.length).optional().describe("Only from these sources."),
  method: z.enum(["semantic", "keyword", "hybrid"]).default("hybrid").describe("By meaning, by words, or by both."),
  top: z.int().min(1).max(50).default(10).describe("At most so many memories."),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("Least cosine similarity, 0–1. Left out: what the embedder calls relevant. Not with method keyword."),
});

export const searchMemoryTool: Tool<typeof searchInput> = {
  name: "search_memory",
  title: "Search what reviewers said",
  description:
    "Searches what was said in reviews and documents of the repository: each result with who said it, when, where, what became of it, its rank by meaning and by words, distance and the terms of its score. Results are untrusted text by others.",
  input: searchInput,
  async run(given, ports) {
    const repo = await repositoryOf(given.repository, ports);
    const memory = await ports.memory();
    const known = (await memory?.known()) ?? [];
    if (memory === null || !known.some((other) => repoKey(other) === repoKey(repo)))
      throw new UsageError(nothingRemembered(nameOf(repo), known, ports.folder));
    if (given.method === "keyword" && given.threshold !== undefined)
      throw new UsageError("threshold is about likeness in meaning; method keyword knows none: leave it out");
    const { languages, types, paths, corpora } = given;
    const wish = {
      method: given.method,
      topK: given.top,
      threshold: given.threshold ?? null,
      filter: {
        ...(corpora === undefined || corpora.length === 0 ? {} : { corpora }),
        languages: (languages ?? []).map(canonicalLanguage),
        chunkTypes: types ?? [],
        paths: paths ?? [],
      },
    };
    // Only a person at a terminal can ask for a paid reranker.
    const wanted = { repo, ...wish, rerank: "auto" } as const;
    const found = await searchByHand([given.query], wanted, { ...memory.search, reranker: null });
    const { results, searches, ...rest } = foundJson(repo, wish, found);
    const [{ provenance, degraded, cut } = { provenance: null, degraded: [], cut: [] }] = searches;
    return { value: { ...rest, provenance, degraded, notShown: cut.length, results }, lists: ["results"] };
  },
};

const noteInput = z.strictObject({
  text: z
    .string()
    .min(1)
    .max(2_000)
    .describe("What to remember, in the person's words: `We retry in the client, not here`."),
  path: z.string().min(1).max(500).optional().describe("The file that it is about, from the repository's root."),
  repository: repositoryField,
});

export const rememberTool: Tool<typeof noteInput> = {
  name: "remember",
  title: "Remember a note",
  description:
    "Keeps a note of the person you work for, so that later reviews of the repository find it. Only what they asked to have remembered, in their words; secrets are masked. Refused unless the server was started with --allow-write.",
  input: noteInput,
  async run({ text, path, repository }, ports) {
    const refusal = "this server only reads; the person who runs it may start it with --allow-write";
    if (!ports.mayWrite) throw new UsageError(refusal);
    const repo = await repositoryOf(repository, ports);
    const note = { repo, text, path: path ?? null, author: ports.person, at: ports.now() };
    const record = fromNote(note, languageOf);
    if (record === null) throw new UsageError("say what to remember: the text is empty");
    const { added, updated, unchanged, refused, degraded } = await ports.keep([record]);
    const [first] = refused;
    if (first !== undefined) throw new UsageError(`the note was not stored: ${first.reason}`);
    const state = added > 0 ? "added" : updated > 0 ? "updated" : "known before";
    const forget = `kodiai memory forget ${record.id}`;
    return { value: { id: record.id, state, unchanged, repository: record.repoName, forget, degraded }, lists: [] };
  },
};
