// The play without servers: deliveries as values, the real reception, store, flows and rules;
// GitHub's ports answer from a plain world. Jobs run in turn when a test waits for them.
// app-harness.ts shows that the same words work over HTTP.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { sarifFiles } from "../../src/adapters/sarif/sarif-files.ts";
import { OutOfReach, Transient } from "../../src/domain/errors.ts";
import type { FeedbackJob, ReviewJob } from "../../src/domain/job.ts";
import type { MemoryRecord } from "../../src/domain/memory.ts";
import { ownScope } from "../../src/domain/retrieval.ts";
import { answerComment } from "../../src/flows/commands/answer-comment.ts";
import type { CommandPorts } from "../../src/flows/commands/order.ts";
import { learnFromPeople, learntLine } from "../../src/flows/people/learn-from-people.ts";
import { PLAIN_CHANGE } from "../../src/flows/review/review-ports.ts";
import { reviewPullRequest } from "../../src/flows/review/review-pull-request.ts";
import type { Permissions } from "../../src/ports/conversation.ts";
import type { EvidenceStore } from "../../src/ports/feedback.ts";
import type { AnyJob, JobEnd, Lane, Lease } from "../../src/ports.ts";
import { receive } from "../../src/receive/receive.ts";
import { newGateCache } from "../../src/retrieve/retrieve.ts";
import { reviewLine, runJob, stoppableReviews } from "../../src/server/run-job.ts";
import { accessFor, chosenEmbedder, openQuestions } from "../../src/wire/models.ts";
import { inspector, knownRules } from "../../src/wire/rules.ts";
import { redact } from "../../src/wire/secrets.ts";
import { openStore } from "../../src/wire/store.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import type { Manifest } from "../fakes/github/manifest.ts";
import { type PlainPorts, plainPorts } from "../fakes/github/plain-ports.ts";
import { type PlainWorld, plainWorld } from "../fakes/github/plain-world.ts";
import { type Script, type ScriptedModel, scriptedModel, textOf } from "../fakes/scripted-model.ts";
import type { JobRow } from "./app-harness.ts";

const rules = inspector();
/** Enough tries for every fault that a test plans. */
const MOST_JOBS = 2_000;

export interface FlowHarness {
  readonly world: PlainWorld;
  /** Where the store keeps its files. */
  readonly dataDir: string;
  /** Jobs of a pull request, oldest first. */
  jobs(pull: Pull): readonly JobRow[];
  /** Runs every job that is due; returns the newest of this pull request. */
  settled(pull: Pull): Promise<JobRow>;
  /** Runs every job that is due; returns how those of comments ended, oldest first. */
  answered(): Promise<string[]>;
  /** Runs the commands that wait, in the middle of another job as well. */
  commands(): Promise<void>;
  /** An hour passes: whoever is due is looked at. */
  anHourPasses(): Promise<void>;
  /** What became of each delivery, by its id. */
  outcomeOf(delivery: string): { readonly outcome: string; readonly reason: string } | null;
  /** Jobs that wait for another try may run now. */
  hurry(): void;
  /**
   * Does something, or throws, right before the next call of a port's method, such as
   * `pulls.changes`.
   */
  before(call: string, happens: (...given: never[]) => void | Promise<void>): void;
  /** Every call of GitHub's ports, such as `pulls.changes`, oldest first. */
  readonly calls: readonly string[];
  /** The memory of the one finding on a path of the pull request. */
  findingOn(pull: Pull, path: string): Promise<MemoryRecord>;
  readonly evidence: EvidenceStore;
  /** The questions to the model so far, oldest first. */
  asked(): readonly Asked[];
  close(): Promise<void>;
}

export interface Asked {
  readonly purpose: string;
  readonly tier: "main" | "small";
  readonly system: string;
  readonly prompt: string;
}

export interface FlowOptions {
  readonly model?: (asked: Asked) => unknown;
  readonly reviewerLogin?: string;
  readonly manifest?: Manifest;
  /** In place of what people of the world may do. */
  readonly permissions?: Permissions;
  /** Paths of SARIF files that every review reads. */
  readonly sarif?: readonly string[];
  /** KODIAI_SCORE_THRESHOLD. */
  readonly scoreThreshold?: number;
}

export async function openFlow({
  model,
  reviewerLogin = "",
  manifest,
  permissions,
  sarif = [],
  scoreThreshold,
}: FlowOptions = {}): Promise<FlowHarness> {
  const dataDir = mkdtempSync(join(tmpdir(), "kodiai-flow-"));
  const store = await openStore(dataDir);
  const { recall } = store;
  const rows = new Database(join(dataDir, "queue.db"));
  const memories = new Database(join(dataDir, "memory.db"), { readonly: true });
  const script: Script = (request) => model?.(askedOf(request));
  const scripted = model === undefined ? null : scriptedModel(script);
  const embedder = await chosenEmbedder({ kind: "local", ...(scoreThreshold === undefined ? {} : { scoreThreshold }) });
  const { queue } = store;
  const gateCache = newGateCache();
  const world = plainWorld(async ({ id, event, payload }) => {
    const reception = { host: "github.com", reviewerLogin: reviewerLogin === "" ? null : reviewerLogin };
    const {
      outcome,
      followUpJobs: beside,
      dedupKey: meaning,
    } = receive({ id, event, payload } as never, { ...reception, slug: "kodiai" });
    await queue.accept({ id, event, receivedAt: Date.now(), meaning }, outcome, beside);
  }, manifest);

  const calls: string[] = [];
  const planned: { readonly call: string; readonly happens: (...given: never[]) => void | Promise<void> }[] = [];
  const github = watched(plainPorts(world), async (call, given) => {
    calls.push(call);
    const at = planned.findIndex((one) => one.call === call);
    if (at >= 0) await planned.splice(at, 1)[0]?.happens(...(given as never[]));
  });

  const portsOf = (lease: Lease<never>): Omit<CommandPorts, "jobs"> => {
    const held = store.held(lease);
    const { job } = lease as Lease<ReviewJob>;
    const asking = {
      model: scripted?.model ?? null,
      usdPerMonth: null,
      repositoryPercent: 100,
      questions: openQuestions(() => {}),
    };
    return {
      ...PLAIN_CHANGE,
      ...{ isOnGitHub: null, isLastTry: false },
      pulls: github.pulls,
      reviews: github.reviews,
      permissions: permissions ?? github.permissions,
      threads: github.threads,
      replies: github.replies,
      checks: github.checks,
      decisions: store.decisions,
      answers: held.answers,
      records: held.ledger,
      evidence: store.evidence,
      inspector: rules,
      tools: sarifFiles(sarif),
      known: knownRules(),
      embedder,
      recall,
      introductions: store.introductions,
      retrievals: store.retrievals,
      memory: store.memory,
      past: store.past,
      keeping: store.past,
      redact,
      botLogin: world.bot.login,
      gateCache,
      access: accessFor(asking, lease, store.spending, { key: job.key, replies: store.replies }),
      checkStore: held.checks,
      waits: store.waits,
      ledger: held.ledger,
      now: Date.now,
    };
  };
  const { jobs: reviewJobs, stoppable } = stoppableReviews(queue, () => {});
  const { signal } = new AbortController();
  const review = (lease: Lease<ReviewJob>) =>
    runJob({ lane: "review", lease, signal }, [stoppable], async ({ adapt, signal: unwanted }, stage) =>
      reviewLine(await reviewPullRequest(lease.job, { ...adapt(portsOf(lease as never)), signal: unwanted }, stage)),
    );
  const command = (lease: Lease<never>) =>
    runJob({ lane: "command", lease, signal }, [], ({ adapt }, stage) =>
      answerComment((lease as Lease<AnyJob>).job as never, { ...adapt(portsOf(lease)), jobs: reviewJobs }, stage),
    );
  const learn = async (job: FeedbackJob) => {
    const done = await learnFromPeople(job, {
      feedback: github.feedback,
      pulls: github.pulls,
      records: store.ledger,
      evidence: store.evidence,
      feedbackStore: store.feedback,
      redact,
      now: Date.now,
    });
    return learntLine(done);
  };

  const commands = () => drained(queue.commands as Lane<never>, command);
  const idle = async () => {
    for (let ran = 1; ran > 0; ) {
      ran = await commands();
      ran += await one(queue as never, review as never);
      ran += await drained(queue.upkeep as never, async ({ job }: Lease<FeedbackJob>) =>
        // Documents and the past are not part of these plays.
        job.kind === "feedback" ? learn(job) : "skipped: not played",
      );
    }
  };
  const jobs = (pull: Pull) =>
    rows
      .prepare("SELECT state, attempt, run_at AS runAt, outcome FROM jobs WHERE key = ? ORDER BY id")
      .all(`github.com/${pull.repository.id}#${pull.number}`) as JobRow[];

  return {
    world,
    dataDir,
    jobs,
    async settled(pull) {
      await idle();
      const last = jobs(pull).at(-1);
      if (last === undefined) throw new Error("no job");
      return last;
    },
    async answered() {
      await idle();
      const sql = "SELECT state || ' ' || coalesce(outcome, '') FROM jobs WHERE job ->> 'kind' = 'command' ORDER BY id";
      return rows.prepare(sql).pluck().all() as string[];
    },
    commands: async () => void (await commands()),
    async anHourPasses() {
      await idle();
      for (const job of await store.feedback.due(Date.now(), 0, 50)) await queue.add(job, Date.now());
      await idle();
    },
    outcomeOf: (delivery) =>
      (rows.prepare("SELECT outcome, reason FROM deliveries WHERE id = ?").get(delivery) as
        | { outcome: string; reason: string }
        | undefined) ?? null,
    hurry: () => void rows.prepare("UPDATE jobs SET run_at = 0 WHERE state = 'waiting'").run(),
    before: (call, happens) => void planned.push({ call, happens }),
    calls,
    async findingOn({ repository, number }, path) {
      const sql = "SELECT mem FROM records WHERE corpus = 'finding' AND pull = ? AND path = ?";
      const ids = memories.prepare(sql).pluck().all(number, path) as string[];
      const [record] = await recall.records(ownScope({ host: "github.com", id: repository.id }), ids);
      if (ids.length !== 1 || record === undefined) throw new Error(`${ids.length} memories of ${path}`);
      return record;
    },
    evidence: store.evidence,
    asked: () => (scripted as ScriptedModel | null)?.asked.map(askedOf) ?? [],
    async close() {
      rows.close();
      memories.close();
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Runs the jobs of a lane until none is due; returns how many ran. */
async function drained<Taken extends AnyJob>(lane: Lane<Taken>, run: (lease: Lease<Taken>) => Promise<string>) {
  let ran = 0;
  while ((await one(lane, run)) > 0) if (++ran > MOST_JOBS) throw new Error("no end in sight");
  return ran;
}

/** One job; what is wrong with the code, and no fault of GitHub's, fails the test. */
async function one<Taken extends AnyJob>(
  lane: Lane<Taken>,
  run: (lease: Lease<Taken>) => Promise<string>,
): Promise<number> {
  const lease = await lane.lease();
  if (lease === null) return 0;
  await lane.end(lease, await endOf(() => run(lease)));
  return 1;
}

async function endOf(run: () => Promise<string>): Promise<JobEnd> {
  try {
    return { state: "done", outcome: await run() };
  } catch (error) {
    if (error instanceof Transient) return { state: "retry", inMs: 60_000, reason: error.message };
    if (error instanceof OutOfReach && error.why === "missing")
      return { state: "done", outcome: `missing: ${error.message}` };
    throw error;
  }
}

function askedOf({ purpose, tier, system, user }: Parameters<Script>[0]): Asked {
  return { purpose, tier, system: textOf(system), prompt: textOf(user) };
}

function watched(ports: PlainPorts, meet: (call: string, given: readonly unknown[]) => Promise<void>): PlainPorts {
  const names = Object.keys(ports) as (keyof PlainPorts)[];
  const around = (name: string, port: object) =>
    Object.fromEntries(
      Object.entries(port).map(([method, ask]) => [
        method,
        async (...given: readonly unknown[]) => {
          await meet(`${name}.${method}`, given);
          return ask(...given);
        },
      ]),
    );
  return Object.fromEntries(names.map((name) => [name, around(name, ports[name])])) as unknown as PlainPorts;
}
