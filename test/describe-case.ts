// What the job that describes memories does under a configuration: the case of the keys that decide about it.
import { astChunker } from "../src/adapters/code-index/chunker.ts";
import type { DescribeJob } from "../src/domain/job.ts";
import { type FollowPorts, followedLine, followRepository } from "../src/flows/follow-repository.ts";
import type { Recall } from "../src/ports/memory.ts";
import { fakeEmbedder, fakeMemory } from "./fakes/memory.ts";
import { type ScriptedModel, scriptedModel } from "./fakes/scripted-model.ts";
import { reply } from "./learn/described.ts";
import { AT, givenRecord, REPO } from "./learn/given.ts";

export const DESCRIBE_CASES = [
  {
    key: "knowledge.describe",
    config: "knowledge: {describe: model}",
    says: /^described 1 of 1 memories/,
    insteadOf: /^skipped: knowledge\.describe is off$/,
  },
] as const;

/** How the job ends for a repository of one memory; null stands for no model. */
export async function describedBy(config: string, access: ScriptedModel | null = scriptedModel(() => reply())) {
  const memory = fakeMemory();
  const record = givenRecord();
  memory.rows.set(record.id, { record, vector: null, space: null });
  const recall = { records: () => Promise.resolve(memory.all()) } as Partial<Recall> as Recall;
  const head = { commit: "6dcb09b5b57875f334f61aebed695e2e4193db5e" };
  const ports: FollowPorts = {
    host: {
      lookUp: () => Promise.resolve({ kind: "standing", repo: REPO, head: () => Promise.resolve(head as never) }),
    },
    pulls: { text: () => Promise.resolve(config), ownersText: () => Promise.resolve(null) },
    known: {},
    labels: { relabel: () => Promise.resolve(true), all: () => Promise.resolve([]) },
    memory,
    traces: { forgetRepository: () => Promise.resolve(0) },
    embedder: fakeEmbedder(),
    chunker: astChunker(),
    redact: (text) => Promise.resolve(text),
    describing: { recall, access },
    history: { past: () => Promise.resolve(null), book: { of: () => null, save: () => {} }, botLogin: "kodiai[bot]" },
    now: () => AT,
  };
  const where = { key: "k", delivery: "d", installationId: 7, repo: REPO, trigger: "reviewed" } as const;
  const job: DescribeJob = { kind: "describe", ...where };
  return followedLine(await followRepository(job, ports));
}
