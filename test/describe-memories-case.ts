// What the job that describes memories does under a configuration: the case of the keys that decide
// about it.
import { type FollowPorts, followedLine, followRepository } from "../src/flows/repository/follow-repository.ts";
import type { Recall } from "../src/ports/memory.ts";
import { fakeEmbedder, fakeMemory } from "./fakes/memory.ts";
import { type ScriptedModel, scriptedModel } from "./fakes/scripted-model.ts";
import { AT, givenRecord, REPO } from "./learn/memory-builders.ts";
import { reply } from "./learn/model-descriptions.ts";

export const DESCRIBE_CASES = [
  {
    key: "knowledge.describe",
    config: "knowledge: {describe: model}",
    says: /^described 1 of 1 memory/,
    insteadOf: /^skipped: knowledge\.describe is off$/,
  },
] as const;

export const GIVE_CASES = [
  {
    key: "knowledge.sharing.gives",
    config: "knowledge: {sharing: {gives: true}}",
    says: /^gives$/,
    insteadOf: /^keeps to itself$/,
  },
] as const;

/** How the job ends for a repository of one memory; null stands for no model. */
export async function describedBy(config: string, access: ScriptedModel | null = scriptedModel(() => reply())) {
  const where = { key: "k", delivery: "d", installationId: 7, repo: REPO, trigger: "reviewed" } as const;
  const labels = {
    relabel: () => Promise.resolve(true),
    give: () => Promise.resolve(),
    all: () => Promise.resolve([]),
  };
  return followedLine(
    await followRepository({ kind: "describe", after: null, ...where }, portsOf(config, access, labels)),
  );
}

/**
 * What the owner's other repositories are given after the job that reads the configuration of the
 * default branch.
 */
export async function givenBy(config: string): Promise<string> {
  const given: boolean[] = [];
  const labels = {
    relabel: () => Promise.resolve(true),
    give: async (_: unknown, gives: boolean) => void given.push(gives),
    all: () => Promise.resolve([]),
  };
  const where = { key: "k", delivery: "d", installationId: 7, repo: REPO, trigger: "renamed" } as const;
  await followRepository({ kind: "label", ...where }, portsOf(config, null, labels));
  return given.map((gives) => (gives ? "gives" : "keeps to itself")).join(" ");
}

function portsOf(config: string, access: ScriptedModel | null, labels: FollowPorts["labels"]): FollowPorts {
  const memory = fakeMemory();
  const record = givenRecord();
  memory.rows.set(record.id, { record, vector: null, space: null });
  const recall = { records: () => Promise.resolve(memory.all()) } as Partial<Recall> as Recall;
  const head = { commit: "6dcb09b5b57875f334f61aebed695e2e4193db5e" };
  return {
    host: {
      lookUp: () => Promise.resolve({ kind: "reachable", repo: REPO, head: () => Promise.resolve(head as never) }),
    },
    pulls: {
      text: () => Promise.resolve(config),
      rootEntries: async () => [],
      ownersText: () => Promise.resolve(null),
    },
    known: {},
    labels,
    memory,
    traces: { forgetRepository: () => Promise.resolve(0), besides: () => Promise.resolve({ running: 0, ended: 0 }) },
    embedder: fakeEmbedder(),
    redact: (text) => Promise.resolve(text),
    describing: { recall, access },
    history: {
      past: () => Promise.resolve(null),
      store: { of: () => Promise.resolve(null), save: () => Promise.resolve() },
      botLogin: "kodiai[bot]",
    },
    now: () => AT,
  };
}
