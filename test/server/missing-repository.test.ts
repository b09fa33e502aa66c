import { pino } from "pino";
import { expect, test } from "vitest";
import type { CommandJob } from "../../src/domain/command.ts";
import { OutOfReach, Transient } from "../../src/domain/errors.ts";
import type { Repo } from "../../src/domain/job.ts";
import type { ReachableRepository, Unreachable } from "../../src/ports/memory.ts";
import type { Queue } from "../../src/ports.ts";
import { handleMissingRepository, withMissingRepositoryCheck } from "../../src/server/sweeps/missing-repository.ts";
import { reviewJob } from "../adapters/contracts/queue.ts";
import { sqliteHarness } from "../store/store-harness.ts";

const job = reviewJob(7, "a");
const MOVED: Repo = { ...job.repo, owner: "globex", ownerId: 77, name: "after" };
const existing = (repo: Repo): ReachableRepository => ({ kind: "reachable", repo, head: () => Promise.resolve(null) });
const removed: Unreachable = { kind: "unreachable", reason: "the App does not reach the repository", isMissing: true };
const suspended: Unreachable = { kind: "unreachable", reason: "the installation is suspended", isMissing: false };

async function after(
  found: ReachableRepository | Unreachable,
  installation: number | null,
  of: Parameters<typeof handleMissingRepository>[0] = job,
) {
  const added: unknown[] = [];
  const queue: Pick<Queue, "add"> = { add: (one) => Promise.resolve(void added.push(one)) };
  const host = { lookUp: () => Promise.resolve(found) };
  const what = await handleMissingRepository(of, {
    host,
    queue,
    installationOf: () => Promise.resolve(installation),
    now: () => 5,
  });
  return { what, added };
}

test("what was handed over to another owner is reviewed there, by its present name and installation [R19]", async () => {
  expect(await after(existing(MOVED), 99)).toEqual({
    what: "moved",
    added: [{ ...job, repo: MOVED, installationId: 99, notBefore: 5 }],
  });
});

test("it is reviewed there at once, though a clock that was ahead once made it wait", async () => {
  const harness = await sqliteHarness();
  const { queue } = harness.queue();
  const host = { lookUp: () => Promise.resolve(existing(MOVED)) };
  const ports = { host, queue, installationOf: () => Promise.resolve(99), now: () => 1_000 };
  expect(await handleMissingRepository({ ...job, notBefore: 3_600_000 }, ports)).toBe("moved");
  expect(await queue.lease()).toMatchObject({ job: { installationId: 99 } });
  await harness.close();
});

test("a pull request that is deleted from a present repository asks for nothing", async () => {
  expect(await after(existing(job.repo), job.installationId)).toEqual({ what: "reachable", added: [] });
  expect(await after(existing(MOVED), null)).toEqual({ what: "reachable", added: [] });
});

test("a repository that the App can no longer reach is forgotten, also without an event or when an old delivery came after it [R19]", async () => {
  const command = {
    kind: "command",
    key: `${job.key}!conversation-1`,
    repo: job.repo,
    installationId: 7,
    delivery: "d",
  };
  for (const one of [job, command as CommandJob]) {
    const { what, added } = await after(removed, null, one);
    expect(what).toBe("forgotten");
    expect(added).toMatchObject([
      { kind: "forget", trigger: "missing", repo: job.repo, key: `github.com/${job.repo.id}:forget` },
    ]);
  }
  expect(await after(suspended, null)).toEqual({ what: "reachable", added: [] });
});

test("that is in the queue before the job that ran into it has ended: who dies in between has lost nothing [R19]", async () => {
  const order: string[] = [];
  const queue: Pick<Queue, "add"> = { add: async ({ key }) => void order.push(`added ${key}`) };
  const log = pino({ level: "silent" });
  const locateRepository = () => ({ host: { lookUp: async () => removed }, installationOf: async () => null });
  const looking = withMissingRepositoryCheck(locateRepository, queue, log, () => order.push("woken"));
  const ends = (error: Error) => looking(job, () => Promise.reject(error)).catch(() => order.push("ended"));
  await ends(new OutOfReach("missing", 404, "GitHub answered 404"));
  expect(order).toEqual([`added github.com/${job.repo.id}:forget`, "woken", "ended"]);
  await ends(new OutOfReach("refused", 403, "GitHub answered 403"));
  await ends(new Error("a bug"));
  expect(await looking(job, () => Promise.resolve("posted"))).toBe("posted");
  expect(order).toHaveLength(5);
});

test("a job whose repository is missing is retried while its new place cannot be asked [R19]", async () => {
  const log = pino({ level: "silent" });
  const locateRepository = () => ({ host: { lookUp: async () => removed }, installationOf: async () => null });
  const ends = (add: Queue["add"]) =>
    withMissingRepositoryCheck(locateRepository, { add }, log, () => {})(job, () =>
      Promise.reject(new OutOfReach("missing", 404, "GitHub answered 404")),
    );
  await expect(ends(() => Promise.reject(new Transient("the database is away")))).rejects.toBeInstanceOf(Transient);
  await expect(ends(() => Promise.reject(new Error("a bug")))).rejects.toBeInstanceOf(OutOfReach);
});
