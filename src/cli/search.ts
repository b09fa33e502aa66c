// kodiai search: searches memory by hand, as a review does, and shows what each result's rank is based on.
import { styleText } from "node:util";
import { defaultConfig } from "../config/repo-config.ts";
import type { Repo } from "../domain/job.ts";
import { canonicalLanguage } from "../domain/language.ts";
import type { HandSearch } from "../domain/memory/search-result.ts";
import { CORPORA, repoKey } from "../domain/memory.ts";
import type { Precedents } from "../domain/retrieval.ts";
import { type HandSearched, type SearchPorts, searchByHand } from "../flows/memory/search-memory.ts";
import { modelAllowance } from "../flows/review/model-allowance.ts";
import type { Reranker } from "../ports/memory.ts";
import type { ModelAccess } from "../ports/model.ts";
import { nameOf, nothingRemembered } from "./find-repository.ts";
import { foundJson } from "./found-json.ts";
import { memoryLines } from "./memory-lines.ts";
import { terminalText } from "./terminal-text.ts";
import { type ExitCode, oneOf, readWords, UsageError } from "./usage.ts";
import { VERBS } from "./verbs.ts";

/** The ports of the command. */
export interface SearchVerbPorts {
  /** The data directory, even if it does not exist yet. */
  readonly folder: string;
  readonly known: readonly Repo[];
  /** The repository that `--repo` names (a folder, OWNER/NAME or HOST/ID); for undefined, the current folder's. */
  readonly repoOf: (word: string | undefined) => Promise<Repo>;
  /** Null without a memory. */
  readonly open:
    | (Omit<SearchPorts, "reranker" | "leave"> & {
        /** Null if the environment configures none; rejects with the problem of its variables. */
        readonly reranker: () => Promise<Reranker | null>;
        /** The model that the environment configures; null without one. */
        readonly access: (repo: Repo) => Promise<ModelAccess | null>;
      })
    | null;
  readonly close: () => void;
}

type Words = ReturnType<typeof readWords<typeof VERBS.search.options>>["values"];

const METHODS = ["semantic", "keyword", "hybrid"] as const;
const MOST = 100;
/** Results for one text, and for each of several. */
const TOP = { one: 10, several: 5 };

/**
 * @param open opens memory in the folder that `--data-dir` names
 * @returns 0, also when nothing is found
 * @throws UsageError; Error when there are no memories of the repository
 */
export async function search(
  words: readonly string[],
  open: (dataDir: string | undefined) => Promise<SearchVerbPorts>,
): Promise<ExitCode> {
  const { values, positionals } = readWords(words, VERBS.search.options);
  const asJson = values.json === true || oneOf("format", values.format ?? "pretty", ["pretty", "json"]) === "json";
  const asked = question(values, positionals);
  const ports = await open(values["data-dir"]);
  try {
    const repo = await ports.repoOf(values.repo);
    const isKnown = ports.known.some((one) => repoKey(one) === repoKey(repo));
    if (!isKnown || ports.open === null) throw new Error(nothingRemembered(nameOf(repo), ports.known, ports.folder));
    const order = values.rerank === true ? await configured(repo, ports.open) : { reranker: null };
    const wish = "leave" in order ? { rerank: "model" as const } : {};
    const found = await searchByHand(positionals, { repo, ...asked, ...wish }, { ...ports.open, ...order });
    for (const { precedents } of found.searches)
      for (const { part, reason } of precedents.degraded)
        console.error(
          styleText("yellow", terminalText(`kodiai search: ${part}: ${reason}`), { stream: process.stderr }),
        );
    if (asJson) console.log(JSON.stringify(foundJson(repo, asked, found), null, 2));
    else console.log(foundPage(repo, found));
    return 0;
  } finally {
    ports.close();
  }
}

function question(values: Words, texts: readonly string[]): Omit<HandSearch, "repo" | "now"> {
  if (texts.length === 0 || texts.some((text) => text.trim() === ""))
    throw new UsageError('name the text to search for: kodiai search "TEXT"');
  const method = values.method === undefined ? "hybrid" : oneOf("method", values.method, METHODS);
  if (method === "keyword" && values.threshold !== undefined)
    throw new UsageError("--threshold is a similarity in meaning, which --method keyword does not use");
  const corpora = listed(values.corpus).map((word) => oneOf("corpus", word, CORPORA));
  return {
    method,
    topK:
      values.top === undefined ? (texts.length > 1 ? TOP.several : TOP.one) : number("top", values.top, 1, MOST, true),
    threshold: values.threshold === undefined ? null : number("threshold", values.threshold, 0, 1, false),
    filter: {
      ...(corpora.length === 0 ? {} : { corpora }),
      languages: listed(values.language).map(canonicalLanguage),
      chunkTypes: listed(values.type),
      paths: values.path ?? [],
    },
  };
}

type Opened = NonNullable<SearchVerbPorts["open"]>;

/** Reranking costs money, so it needs the option: by the operator's reranker, else by the operator's model. */
async function configured(
  repo: Repo,
  { reranker: open, access, now }: Opened,
): Promise<Pick<SearchPorts, "reranker" | "leave">> {
  const reranker = await open();
  if (reranker !== null) return { reranker };
  const asker = { isOutsider: false, isReview: false };
  const leave = await modelAllowance(defaultConfig().review, repo, await access(repo), now(), asker);
  if (leave.model !== null) return { reranker: null, leave };
  if (leave.reason !== null) throw new UsageError(`--rerank: ${leave.reason}`);
  throw new UsageError(
    "--rerank: neither a reranker nor a model is configured; set KODIAI_RERANKER=voyage, ANTHROPIC_API_KEY or OPENAI_API_KEY, or leave --rerank out",
  );
}

/** `--language go,rust` and `--language go --language rust` are the same. Not for paths: a glob may contain a comma. */
function listed(words: readonly string[] | undefined): readonly string[] {
  return (words ?? [])
    .flatMap((word) => word.split(","))
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

function number(option: string, word: string, least: number, most: number, whole: boolean): number {
  const value = word.trim() === "" ? Number.NaN : Number(word);
  if (value >= least && value <= most && (!whole || Number.isInteger(value))) return value;
  throw new UsageError(
    `--${option} takes a ${whole ? "whole " : ""}number from ${least} to ${most}, not ${JSON.stringify(word)}`,
  );
}

// The results of a search by hand, for a terminal.

/** @returns text with ANSI colours if standard output is a terminal that supports them */
function foundPage(repo: Repo, { memories, searches }: HandSearched): string {
  const several = searches.length > 1;
  const blocks = memories.flatMap(({ memory, text }, index) => [
    ...memoryLines(memory, index + 1),
    ...(several ? [styleText("dim", `   found by ${JSON.stringify(terminalText(text))}`)] : []),
    "",
  ]);
  const name = terminalText(`${repo.owner}/${repo.name}`);
  return [...blocks, ...searches.map((one) => summary(name, one, several))].join("\n");
}

function summary(name: string, { text, ms, precedents }: HandSearched["searches"][number], several: boolean): string {
  const { provenance, ranked, cut } = precedents;
  const of = several ? `${JSON.stringify(terminalText(text))}: ` : "";
  const threshold =
    provenance.method === "keyword"
      ? ""
      : `, distance at most ${provenance.threshold.toFixed(2)} (${provenance.thresholdMethod})`;
  return styleText(
    "dim",
    `${of}${ranked.length} of ${provenance.totalCandidates} candidates among ${provenance.scanned ?? "?"} memories of ${name}, ` +
      `${provenance.method}${threshold}, ${cut.length} cut, ${ms} ms${spent(precedents)}`,
  );
}

function spent({ usage }: Precedents): string {
  if (usage.cached > 0) return ", from the cache";
  return usage.tokens === 0 ? "" : `, ${usage.tokens} tokens`;
}
