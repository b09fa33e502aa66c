// kodiai memory describe: estimates the cost; only --yes calls the model.

import { MODEL_VARIABLES } from "../config/read-model.ts";
import {
  type DescribedMemories,
  type DescribeEstimate,
  describedLine,
  describeMemories,
  estimateDescribing,
} from "../flows/memory/describe-memories.ts";
import type { MemoryVerbPorts } from "../wire/cli/memory.ts";
import { nameOf } from "./find-repository.ts";
import { terminalText } from "./terminal-text.ts";
import { type ExitCode, printJson, type readWords, UsageError, wantsJson, wholeNumber } from "./usage.ts";
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
  const usdPerMonth = values.budget === undefined ? await ports.usdPerMonth(word) : dollars(values.budget);
  const asking = { ...ports, access };
  const estimate = await estimateDescribing({ repo, most }, asking);
  if (!wantsJson(values))
    console.log(terminalText(estimateText(nameOf(repo), access.model.names.small, estimate, usdPerMonth)));
  const wish = { repo, most, after: null, usdPerMonth, remembering: { redact: ports.redact } };
  const done = values.yes === true && estimate.memories > 0 ? await describeMemories(wish, asking) : null;
  if (wantsJson(values)) printJson({ estimate, usdPerMonth, done: done && plain(done) });
  else if (done !== null) console.log(terminalText(describedLine(done)));
  else console.log(estimate.memories === 0 ? "nothing is left to do" : "the model was not called; --yes calls it");
  return (done?.stopped ?? null) === null ? 0 : 3;
}

function wished(subject: string | undefined, { repo, limit }: MemoryWords) {
  if (subject !== undefined && repo !== undefined) throw new UsageError("name the repository once");
  return {
    word: subject ?? repo,
    most: limit === undefined ? Number.MAX_SAFE_INTEGER : wholeNumber("limit", limit, 1),
  };
}

function dollars(word: string): number {
  if (!(Number(word) >= 0)) throw new UsageError("--budget takes an amount in US$");
  return Number(word);
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

export type MemoryWords = ReturnType<typeof readWords<typeof VERBS.memory.options>>["values"];
