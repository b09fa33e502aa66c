// Lets a model write situation, lesson and tags of review memories, in small groups that are stored
// at once: an interrupted run resumes there and pays for nothing twice.

import type { Repo } from "../../domain/job.ts";
import type { Corpus, MemoryRecord } from "../../domain/memory.ts";
import type { ModelFailure } from "../../domain/model.ts";
import type { Degraded } from "../../domain/omissions.ts";
import { counted } from "../../domain/text/counted.ts";
import { describeMemory, describing, type Remembering, remember } from "../../learn/learn.ts";
import type { Embedder } from "../../ports/memory.ts";
import type { ModelAccess } from "../../ports/model.ts";
import { budgetText, overrunBy } from "../review/model-allowance.ts";
import { type ExportPorts, recordsOf } from "./memory-file.ts";

/** The corpora of review comments, in alphabetical order: see recordsOf. */
const CORPORA = ["finding", "review_comment"] as const satisfies readonly Corpus[];

interface DescribePorts extends Omit<ExportPorts, "space"> {
  readonly embedder: Embedder;
  readonly access: ModelAccess;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface DescribeWish {
  readonly repo: Repo;
  readonly most: number;
  /** CORPUS/ID, the end of an earlier run; null at the beginning. */
  readonly after: string | null;
  /** US$ a calendar month (UTC) that models may cost in this repository, reviews and all else. */
  readonly usdPerMonth: number;
  readonly remembering: Remembering;
}

interface RunStop {
  readonly reason: string;
  /** True when a retry may continue, from `notBefore` (epoch milliseconds) on where it is known. */
  readonly again: boolean;
  readonly notBefore: number | null;
}

/** The result of a run. A memory that breaks two rules is counted under both. */
export interface DescribedMemories {
  readonly kind: "described";
  /** Examined memories. */
  readonly looked: number;
  readonly described: number;
  /** Memories that have no fields now, by each rule that they broke. */
  readonly without: ReadonlyMap<string, number>;
  /** Null when the model has no price. */
  readonly usd: number | null;
  /** The start of the next run; null when no memory is waiting, or nothing more can be done now. */
  readonly next: string | null;
  readonly stopped: RunStop | null;
  readonly degraded: readonly Degraded[];
}

/** Parallel questions; the budget is checked between two such groups. */
const AT_ONCE = 4;
const GROUP = 24;

/**
 * Describes waiting memories.
 *
 * @throws Transient when memory cannot be read or written now; what was written until then stays
 */
export async function describeMemories(wish: DescribeWish, ports: DescribePorts): Promise<DescribedMemories> {
  const { memory, recall, embedder, access } = ports;
  const { model } = access;
  const counts = { looked: 0, described: 0, usd: 0 };
  const without = new Map<string, number>();
  let stopped: RunStop | null = null;
  const degraded: Degraded[] = [];
  const group: Waiting[] = [];
  let taken = 0;
  let place: string | null = null;
  let next: string | null = null;
  const all = { repo: wish.repo, corpora: CORPORA, after: wish.after };
  for await (const record of recordsOf(all, { memory, recall, space: embedder.space })) {
    const wanted = describing(record);
    if (wanted === null) continue;
    if (taken === wish.most) {
      next = place;
      break;
    }
    taken += 1;
    place = `${record.corpus}/${record.id}`;
    group.push({ record, ...wanted });
    if (group.length < GROUP) continue;
    await take(group.splice(0));
    if (stopped !== null) break;
  }
  await take(group);
  const usd = model.price("small", 1, 1) === null ? null : counts.usd;
  return { kind: "described", ...counts, without, usd, next: stopped === null ? next : null, stopped, degraded };

  async function take(waiting: readonly Waiting[]): Promise<void> {
    const records: MemoryRecord[] = [];
    for (let at = 0; at < waiting.length && stopped === null; at += AT_ONCE) {
      const some = waiting.slice(at, at + AT_ONCE);
      stopped = await overBudget(some, wish, ports);
      if (stopped === null) records.push(...(await Promise.all(some.map(one))).filter((record) => record !== null));
    }
    if (records.length > 0) await write(records);
  }

  async function one({ record }: Waiting): Promise<MemoryRecord | null> {
    const done = await describeMemory(record, access);
    if (done.kind === "not-now") {
      const { failure, detail, notBefore } = done;
      const reason = `the model cannot be asked now (${failure}): ${detail}`;
      stopped ??= { reason, again: !FINAL.has(failure), notBefore };
      return null;
    }
    counts.usd += done.usage?.usd ?? 0;
    return done.record;
  }

  async function write(records: readonly MemoryRecord[]): Promise<void> {
    // Written records carry the repository's current name.
    const repoName = `${wish.repo.owner}/${wish.repo.name}`;
    const named = records.map((record) => ({ ...record, repoName }));
    const done = await remember(named, embedder, memory, wish.remembering);
    degraded.push(...done.degraded, ...done.refused.map(({ reason }) => ({ part: "memory", reason })));
    counts.looked += records.length;
    for (const { lesson, described } of records) {
      if (lesson !== null) counts.described += 1;
      else for (const name of described?.problems ?? []) without.set(name, (without.get(name) ?? 0) + 1);
    }
  }
}

type Waiting = NonNullable<ReturnType<typeof describing>> & { readonly record: MemoryRecord };

/** Failures that the next question would meet again. */
const FINAL: ReadonlySet<ModelFailure> = new Set(["denied", "rejected", "stopped"]);

/** Compares the month's budget with the highest cost of the next questions, each asked twice. */
async function overBudget(
  next: readonly Waiting[],
  { repo, usdPerMonth }: DescribeWish,
  ports: DescribePorts,
): Promise<RunStop | null> {
  const { model } = ports.access;
  const most = next
    .filter(({ asks }) => asks)
    .reduce((sum, { tokens }) => {
      const first = model.price("small", tokens.input, tokens.most) ?? 0;
      return sum + first + (model.price("small", tokens.input + tokens.most, tokens.most) ?? 0);
    }, 0);
  const budget = most === 0 ? null : await overrunBy(most, usdPerMonth, repo, ports.access, ports.now());
  if (budget === null) return null;
  const reason = `what is left of ${budgetText(budget.whose, budget.of)} does not pay for another question`;
  return { reason, again: false, notBefore: null };
}

/** A run in one line: what was written, what was not and why. */
export function describedLine({ looked, described, without, usd, next, stopped, degraded }: DescribedMemories): string {
  const reasons = [...without].map(([name, count]) => `${name} ${count}`).join(", ");
  return [
    `described ${described} of ${counted(looked, "memory", "memories")}`,
    ...(reasons === "" ? [] : [`without fields: ${reasons}`]),
    ...(usd === null ? [] : [`USD ${usd.toFixed(4)}`]),
    ...(next === null ? [] : ["more wait"]),
    ...(stopped === null ? [] : [`stopped: ${stopped.reason}`]),
    ...degraded.map(({ part, reason }) => `${part}: ${reason}`),
  ].join("; ");
}
