// kodiai search: searches memory as a review does, and shows why each result has its rank.

import { styleText } from "node:util";
import { defaultConfig } from "../../config/repo-config.ts";
import { UsageError } from "../../config/usage-error.ts";
import type { Repo } from "../../domain/job.ts";
import { canonicalLanguage } from "../../domain/language.ts";
import type { SearchWish } from "../../domain/memory/search-result.ts";
import { CORPORA } from "../../domain/memory.ts";
import { NO_ALLOWANCE } from "../../domain/model.ts";
import { admissionText, candidatesText, type Precedents, scoreNote } from "../../domain/retrieval.ts";
import { nameOf } from "../../flows/memory/find-repository.ts";
import { foundJson } from "../../flows/memory/found-json.ts";
import { type HandSearched, type SearchPorts, searchByHand } from "../../flows/memory/search-memory.ts";
import { modelAllowance } from "../../flows/review/model-allowance.ts";
import { PLAIN_CHANGE } from "../../flows/review/review-ports.ts";
import type { SpendingStore } from "../../ports/model.ts";
import { memoryToRead, rerankerOfEnvironment, searchPorts } from "../../wire/cli/memory-ports.ts";
import { modelAccess } from "../../wire/cli/model.ts";
import { terminalText } from "../terminal-text.ts";
import { oneOf, printed, type readWords, verb, warnDegraded, wholeNumber, withPorts } from "../usage.ts";
import type { VERBS } from "../verbs.ts";
import { memoryLines } from "./memory-lines.ts";

type Words = ReturnType<typeof readWords<typeof VERBS.search.options>>["values"];

const METHODS = ["semantic", "keyword", "hybrid"] as const;
const MOST = 100;

/** @returns 0, also when nothing is found @throws UsageError; Error for an unknown repository */
export const search = verb("search", Number.POSITIVE_INFINITY, async (values, positionals) => {
  const wish = question(values, positionals);
  return withPorts(memoryToRead(values["data-dir"], values.repo), async ({ repo, ...opened }) => {
    const order =
      values.rerank === true ? await configured(repo, opened.spending) : { reranker: null, allowance: NO_ALLOWANCE };
    const rerank = order.allowance.model === null ? "auto" : "model";
    const found = await searchByHand(positionals, { repo, ...wish, rerank }, { ...searchPorts(opened), ...order });
    for (const { precedents } of found.searches) warnDegraded("search", precedents.degraded);
    return printed(values, foundJson(repo, wish, found), () => foundPage(repo, found));
  });
});

function question(values: Words, texts: readonly string[]): SearchWish {
  if (texts.length === 0 || texts.some((text) => text.trim() === ""))
    throw new UsageError('name the text to search for: kodiai search "TEXT"');
  const method = values.method === undefined ? "hybrid" : oneOf("method", values.method, METHODS);
  if (method === "keyword" && values.threshold !== undefined)
    throw new UsageError("--threshold is a similarity in meaning, which --method keyword does not use");
  const corpora = listed(values.corpus).map((word) => oneOf("corpus", word, CORPORA));
  return {
    method,
    topK: wholeNumber("top", values.top ?? (texts.length > 1 ? "5" : "10"), 1, MOST),
    threshold: values.threshold === undefined ? null : similarity(values.threshold),
    filter: {
      ...(corpora.length === 0 ? {} : { corpora }),
      languages: listed(values.language).map(canonicalLanguage),
      chunkTypes: listed(values.type),
      paths: values.path ?? [],
    },
  };
}

/** Reranking costs money, so it needs the option: by the operator's reranker, else the model. */
async function configured(repo: Repo, spending: SpendingStore): Promise<Pick<SearchPorts, "reranker" | "allowance">> {
  const reranker = await rerankerOfEnvironment();
  if (reranker !== null) return { reranker, allowance: NO_ALLOWANCE };
  const asker = { isOutsider: false, isReview: false, signal: PLAIN_CHANGE.signal };
  const access = await modelAccess({ use: "auto", onQuestion: () => {} }, repo, spending);
  const allowance = await modelAllowance(defaultConfig().review, repo, access, Date.now(), asker);
  if (allowance.model !== null) return { reranker: null, allowance };
  if (allowance.reason !== null) throw new UsageError(`--rerank: ${allowance.reason}`);
  throw new UsageError(
    "--rerank: neither a reranker nor a model is configured; set KODIAI_RERANKER=voyage, ANTHROPIC_API_KEY or OPENAI_API_KEY, or leave --rerank out",
  );
}

/** `--language go,rust` is `--language go --language rust`. Not for paths: globs hold commas. */
function listed(words: readonly string[] | undefined): readonly string[] {
  const all = (words ?? []).flatMap((word) => word.split(","));
  return all.map((word) => word.trim()).filter((word) => word !== "");
}

function similarity(word: string): number {
  const value = word.trim() === "" ? Number.NaN : Number(word);
  if (value >= 0 && value <= 1) return value;
  throw new UsageError(`--threshold takes a number from 0 to 1, not ${JSON.stringify(word)}`);
}

function foundPage(repo: Repo, { memories, searches }: HandSearched): string {
  const several = searches.length > 1;
  const blocks = memories.flatMap(({ memory, text }, index) => [
    ...memoryLines(memory, index + 1),
    ...(several ? [styleText("dim", `   found by ${JSON.stringify(terminalText(text))}`)] : []),
    "",
  ]);
  const name = terminalText(nameOf(repo));
  return [...blocks, ...searches.map((search) => summary(name, search, several))].join("\n");
}

function summary(name: string, { text, ms, precedents }: HandSearched["searches"][number], several: boolean): string {
  const { provenance, ranked, cut } = precedents;
  const { method, admits, threshold, thresholdMethod } = provenance;
  const of = several ? `${JSON.stringify(terminalText(text))}: ` : "";
  const found = `${ranked.length} of ${candidatesText(provenance)} of ${name}`;
  return styleText(
    "dim",
    `${of}${found}, ${method}, ${admissionText(admits, threshold, thresholdMethod)}, ${cut.length} cut, ${ms} ms${spent(precedents)}${scoreNote(ranked)}`,
  );
}

function spent({ usage }: Precedents): string {
  if (usage.cached > 0) return ", from the cache";
  return usage.tokens === 0 ? "" : `, ${usage.tokens} tokens`;
}
