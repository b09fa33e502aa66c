// What the emulator cannot show: a host that refuses, and a tree that is too large for one run.

import { expect, test } from "vitest";
import { noMemory } from "../../src/adapters/no-memory/no-memory.ts";
import { OutOfReach, Transient } from "../../src/domain/errors.ts";
import type { FollowJob, ForgetJob, Repo } from "../../src/domain/job.ts";
import {
  type FollowPorts,
  followedLine,
  followRepository,
  MOST_OF_A_RUN,
} from "../../src/flows/repository/follow-repository.ts";
import type { ReachableRepository, Tree, Unreachable } from "../../src/ports/memory.ts";
import { fakeEmbedder, fakeMemory } from "../fakes/memory.ts";
import { AT, givenRecord, REPO } from "../learn/memory-builders.ts";

const SUSPENDED: Unreachable = { kind: "unreachable", reason: "the installation is suspended", isMissing: false };
const REMOVED: Unreachable = { kind: "unreachable", reason: "the App does not reach the repository", isMissing: true };

function world(found: ReachableRepository | Unreachable, config: string | null = null) {
  const memory = fakeMemory();
  const relabelled: Repo[] = [];
  const given: boolean[] = [];
  const forgotten: unknown[] = [];
  const running: string[] = [];
  const ports: FollowPorts = {
    host: { lookUp: () => Promise.resolve(found) },
    pulls: {
      text: () => Promise.resolve(config),
      rootEntries: () => Promise.resolve([]),
      ownersText: () => Promise.resolve(null),
    },
    known: {},
    labels: {
      relabel: (repo) => {
        relabelled.push(repo);
        return Promise.resolve(true);
      },
      give: (_, gives) => {
        given.push(gives);
        return Promise.resolve();
      },
      all: () => Promise.resolve([]),
    },
    memory,
    traces: {
      // One review, which goes the first time.
      forgetRepository: (repo) => Promise.resolve(forgotten.push(repo) === 1 ? 1 : 0),
      besides: (_, key) => Promise.resolve({ running: key === "k" ? running.length : Number.NaN, ended: 0 }),
    },
    embedder: fakeEmbedder(),
    redact: (text) => Promise.resolve(text),
    describing: { recall: noMemory(), access: null },
    history: {
      past: () => Promise.resolve(null),
      store: { of: () => Promise.resolve(null), save: () => Promise.resolve() },
      botLogin: "kodiai[bot]",
    },
    now: () => AT,
  };
  return { ports, memory, relabelled, given, forgotten, running };
}

const job = <Kind extends FollowJob["kind"]>(kind: Kind, repo: Repo = REPO) =>
  ({
    kind,
    key: "k",
    delivery: "d",
    installationId: 7,
    repo,
    trigger: "push",
    after: null,
    asked: 0,
    number: null,
  }) as FollowJob;

function existing(files: Readonly<Record<string, string>>, asked: string[] = []): ReachableRepository {
  const listed = Object.entries(files).map(([path, text]) => ({ path, hash: `sha of ${text}`, bytes: text.length }));
  const tree: Tree = {
    commit: "6dcb09b5b57875f334f61aebed695e2e4193db5e",
    list: () => Promise.resolve({ files: listed, incomplete: null }),
    async *texts(wanted) {
      for (const file of wanted) {
        asked.push(file.path);
        yield { file, text: files[file.path] ?? null };
      }
    },
  };
  return { kind: "reachable", repo: REPO, head: () => Promise.resolve(tree) };
}

test("a label that cannot be confirmed makes what is remembered private", async () => {
  const reported = { ...REPO, name: "renamed", visibility: "public" } as const;
  const hidden = [{ ...reported, visibility: "private" }];
  const suspended = world(SUSPENDED);
  const done = await followRepository(job("label", reported), suspended.ports);
  expect(done).toMatchObject({ kind: "relabelled", known: true });
  expect(suspended.relabelled).toEqual(hidden);
  const gone = world(REMOVED);
  await expect(followRepository(job("label", reported), gone.ports)).rejects.toBeInstanceOf(OutOfReach);
  expect(gone.relabelled).toEqual(hidden);
});

test("a repository is forgotten only when its host confirms that it is deleted", async () => {
  const record = givenRecord({ repo: `${REPO.host}/${REPO.id}` });
  for (const [found, kept, line] of [
    [SUSPENDED, 1, "not forgotten yet: the installation is suspended; GitHub is asked again"],
    [existing({}), 1, "skipped: the App still reaches the repository"],
    [REMOVED, 0, "forgot 1 memory and 1 review"],
  ] as const) {
    const { ports, memory, forgotten } = world(found);
    memory.rows.set(record.id, { record, vector: null, space: null });
    const done = await followRepository(job("forget"), ports);
    expect(memory.rows.size).toBe(kept);
    expect(forgotten.length > 0).toBe(kept === 0);
    expect(followedLine(done)).toBe(line);
  }
});

test("a host that says neither is asked again: after 5 seconds, and twice as long each time, up to an hour", async () => {
  const { ports } = world(SUSPENDED);
  const waits: number[] = [];
  for (let asked = 0; asked < 12; asked += 1) {
    const done = await followRepository({ ...(job("forget") as ForgetJob), asked }, ports);
    if (done.kind !== "unconfirmed") throw new Error(followedLine(done));
    waits.push(done.inMs / 1_000);
  }
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
});

test("what a job writes that still runs is forgotten as well, once it has ended [R19]", async () => {
  const record = givenRecord({ repo: `${REPO.host}/${REPO.id}` });
  const { ports, memory, running } = world(REMOVED);
  running.push("a review that was posted and is not remembered yet");
  await expect(followRepository(job("forget"), ports)).rejects.toThrow(Transient);
  memory.rows.set(record.id, { record, vector: null, space: null });
  running.pop();
  expect(followedLine(await followRepository(job("forget"), ports))).toMatch(/^forgot 1 memory/);
  expect(memory.rows.size).toBe(0);
});

test("what a job wrote that ended while the repository was forgotten is forgotten as well [R19]", async () => {
  const record = givenRecord({ repo: `${REPO.host}/${REPO.id}` });
  const { ports, memory } = world(REMOVED);
  const besides = () => {
    memory.rows.set(record.id, { record, vector: null, space: null });
    return Promise.resolve({ running: 0, ended: 1 });
  };
  const done = await followRepository(job("forget"), { ...ports, traces: { ...ports.traces, besides } });
  expect(followedLine(done)).toBe("forgot 1 memory and 1 review");
  expect(memory.rows.size).toBe(0);
});

test("nothing is indexed of a repository that cannot be read, has no commit, or wants none of it remembered", async () => {
  const empty: ReachableRepository = { ...existing({}), head: () => Promise.resolve(null) };
  const off = "knowledge: {retrieval: {enabled: false}}";
  for (const [found, config, reason] of [
    [SUSPENDED, null, "the installation is suspended"],
    [empty, null, "nothing was committed yet"],
    [existing({ "README.md": "Hello." }), off, "the configuration remembers no documents"],
  ] as const) {
    const { ports, memory } = world(found, config);
    expect(await followRepository(job("index"), ports)).toEqual({ kind: "skipped", reason });
    expect(memory.rows.size).toBe(0);
  }
});

test("a tree of more files than one run may read is read run by run, each file once", async () => {
  const total = MOST_OF_A_RUN.files + 20;
  const files = Object.fromEntries(
    Array.from({ length: total }, (_, n) => [
      `docs/${String(n).padStart(4, "0")}.md`,
      n % 2 === 0 ? `About ${n}.` : "",
    ]),
  );
  const asked: string[] = [];
  const { ports, memory } = world(existing(files, asked));
  const first = await followRepository(job("index"), ports);
  expect(first).toMatchObject({ kind: "indexed", files: { read: MOST_OF_A_RUN.files, waiting: 20 } });
  const next = first.kind === "indexed" ? first.next : null;
  const rest = { ...job("index"), after: next } as FollowJob;
  expect(await followRepository(rest, ports)).toMatchObject({ files: { read: 20, waiting: 0 }, next: null });
  expect(asked).toEqual(Object.keys(files));
  expect(memory.rows.size).toBe(total / 2);
});
