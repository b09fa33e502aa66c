// kodiai memory describe: estimates the cost; only --yes calls the model.

import { MODEL_VARIABLES } from "../config/read-model.ts";
import type { Repo } from "../domain/job.ts";
import {
  type DescribedMemories,
  type DescribeEstimate,
  describedLine,
  describeMemories,
  estimateDescribing,
} from "../flows/memory/describe-memories.ts";
import type { EvidenceStore } from "../ports/feedback.ts";
import type { Embedder, Memory, Recall, Replays } from "../ports/memory.ts";
import type { ModelAccess } from "../ports/model.ts";
import { nameOf } from "./find-repository.ts";
import { visible } from "./memory-page.ts";
import { type ExitCode, type readWords, UsageError } from "./usage.ts";
import type { VERBS } from "./verbs.ts";

/** @throws UsageError when the environment names no model, or a value is not a number */
export async function describe(
  subject: string | undefined,
  values: MemoryWords,
  ports: MemoryVerbPorts,
): Promise<ExitCode> {
  const { word, most } = wished(subject, values);
  const repo = await ports.repoOf(word);
  const access = await ports.access(repo);
  if (access === null) throw new UsageError(`no model is configured: set ${MODEL_VARIABLES}`);
  const usdPerMonth = numberOf("budget", values.budget, await ports.usdPerMonth(word));
  const asking = { ...ports, access };
  const estimate = await estimateDescribing({ repo, most }, asking);
  if (!isJson(values)) say(visible(estimateText(nameOf(repo), access.model.names.small, estimate, usdPerMonth)));
  const wish = { repo, most, after: null, usdPerMonth, remembering: { redact: ports.redact } };
  const done = values.yes === true && estimate.memories > 0 ? await describeMemories(wish, asking) : null;
  if (isJson(values)) say(JSON.stringify({ version: 1, estimate, usdPerMonth, done: done && plain(done) }, null, 2));
  else if (done !== null) say(visible(describedLine(done)));
  else say(estimate.memories === 0 ? "nothing is left to do" : "the model was not called; --yes calls it");
  return (done?.stopped ?? null) === null ? 0 : 3;
}

function say(text: string): void {
  console.log(text);
}

function wished(subject: string | undefined, { repo, limit }: MemoryWords) {
  if (subject !== undefined && repo !== undefined) throw new UsageError("name the repository once");
  const most = numberOf("limit", limit, Number.MAX_SAFE_INTEGER);
  if (!(Number.isInteger(most) && most > 0)) throw new UsageError("--limit takes a whole number above 0");
  return { word: subject ?? repo, most };
}

function numberOf(name: string, word: string | undefined, otherwise: number): number {
  const value = word === undefined ? otherwise : Number(word);
  if (!(value >= 0)) throw new UsageError(`--${name} takes a number`);
  return value;
}

function estimateText(name: string, model: string, estimate: DescribeEstimate, usdPerMonth: number): string {
  const { memories, questions, inputTokens, outputTokens, usd } = estimate;
  if (memories === 0) return `${name}: every memory is described`;
  const cost = usd === null ? `${model} has no price here` : `about USD ${usd.toFixed(2)} at the price of ${model}`;
  return [
    `${name}: ${memories} memories are not described yet, ${questions} of them by a model`,
    `  about ${inputTokens} tokens in and ${outputTokens} out: ${cost}, less what is cached`,
    `  the model budget here is USD ${usdPerMonth} a month; the run stops before that`,
  ].join("\n");
}

function plain({ without, ...done }: DescribedMemories) {
  return { ...done, without: Object.fromEntries(without) };
}

// The options and ports of `kodiai memory`.

/** The ports of the command. */
export interface MemoryVerbPorts {
  readonly memory: Memory;
  readonly recall: Recall;
  readonly evidence: EvidenceStore;
  /** Results of replays. */
  readonly replays: Replays | null;
  readonly embedder: Embedder;
  readonly redact: (text: string) => Promise<string>;
  /** The repository that `--repo` names (a folder or OWNER/NAME); for undefined, the current folder's. */
  readonly repoOf: (word: string | undefined) => Promise<Repo>;
  /** The repositories in memory. */
  readonly repositories: () => Promise<readonly Repo[]>;
  /** The model that the environment configures, for questions about one repository; null without one. */
  readonly access: (repo: Repo) => Promise<ModelAccess | null>;
  /** The monthly model budget there in US$, as far as its configuration can be read from here. */
  readonly usdPerMonth: (word: string | undefined) => Promise<number>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly close: () => void;
}

export type MemoryWords = ReturnType<typeof readWords<typeof VERBS.memory.options>>["values"];

export function isJson(values: MemoryWords): boolean {
  return values.json === true || values.format === "json";
}
