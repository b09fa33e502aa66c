// Whose words reach whom: random lives of repositories, held against a model that knows nothing of
// SQL.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Repo } from "../../../src/domain/job.ts";
import { buildRetrievalContextSection } from "../../../src/domain/memory/precedent-section.ts";
import { type MemoryRecord, repoKey } from "../../../src/domain/memory.ts";
import { admits, crossing, scopeOf } from "../../../src/retrieve/query/scope.ts";
import { rankedMemory } from "../../retrieve/retrieve-builders.ts";
import { memoryRecord, SPACE, vectorAt } from "./memory.ts";
import type { OpenMemory, OpenMemoryPorts } from "./memory-ports.ts";

const SLOTS = 4;
const VISIBILITIES = ["private", "internal", "public"] as const;
const slot = fc.nat({ max: SLOTS - 1 });
const owner = fc.integer({ min: 1, max: 2 });
const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("remember" as const), slot, pull: owner, old: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("relabel" as const),
      slot,
      owner,
      visibility: fc.constantFrom(...VISIBILITIES),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("give" as const), slot, gives: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("outdate" as const), slot }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const), slot }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("leave" as const), slot }) },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/**
 * Two hosts with the same numbers, of repositories and of owners: 1 of one is not 1 of the other.
 * Lives share neither.
 */
function newborn(life: number): Repo[] {
  return Array.from({ length: SLOTS }, (_, at) => ({
    host: at % 2 === 0 ? "github.com" : "github.acme.corp",
    id: life * 2 + Math.floor(at / 2) + 1,
    ownerId: life * 2 + 1,
    owner: "acme",
    name: `r${at}`,
    visibility: "private",
  }));
}

interface World {
  readonly life: number;
  readonly repos: Repo[];
  /** How the repository was first told, which a slow job may still believe. */
  readonly first: readonly Repo[];
  /** What each lets others have. */
  readonly gives: boolean[];
  records: { readonly of: number; record: MemoryRecord }[];
}

/** Stands in everything that a repository of this slot remembers, and nowhere else. */
const canaryOf = (life: number, of: number) => `canary${life}x${of}`;

/**
 * Words that everybody uses, with the canary as code, name, path, address, quote, person and
 * reason.
 */
function secrets(life: number, of: number): Partial<MemoryRecord> {
  const canary = canaryOf(life, of);
  return {
    text: `The handshake here should always check that the connection was closed, @${canary}. See \`${canary}()\` in src/${canary}.ts, https://${canary}.example.com/ and "said ${canary} yesterday" of ${canary}.`,
    replies: [`agreed, ${canary}`],
    path: `src/${canary}.ts`,
    symbol: canary,
    hunk: `@@ -1 +1 @@\n+${canary}()`,
    flaggedCode: `${canary}()`,
    tags: ["error handling", canary],
    decided: { at: 1, by: canary, reason: `because of ${canary}`, sha: canary, weight: "reason" },
  };
}

async function play({ memory, labels }: OpenMemoryPorts, world: World, step: Act): Promise<void> {
  const repo = world.repos[step.slot] as Repo;
  const own = world.records.filter(({ of }) => of === step.slot);
  const [oldest] = own;
  switch (step.kind) {
    case "remember": {
      // Before anything is remembered there is no label that could be narrower than what the job
      // believes.
      const { ownerId, visibility } = step.old && own.length > 0 ? (world.first[step.slot] as Repo) : repo;
      const record = memoryRecord(
        { repo: repoKey(repo), ownerId, visibility, ...secrets(world.life, step.slot) },
        { pull: step.pull, author: canaryOf(world.life, step.slot) },
      );
      world.records.push({ of: step.slot, record });
      await memory.remember([{ record, vector: vectorAt(0) }], SPACE);
      return;
    }
    case "relabel": {
      const now = { ...repo, ownerId: world.life * 2 + step.owner, visibility: step.visibility };
      world.repos[step.slot] = now;
      // What one owner gave is not the next one's.
      if (now.ownerId !== repo.ownerId) world.gives[step.slot] = false;
      await labels.relabel(now);
      return;
    }
    case "give":
      world.gives[step.slot] = step.gives;
      await labels.give(repo, step.gives);
      return;
    case "outdate":
      if (oldest === undefined) return;
      oldest.record = { ...oldest.record, stale: true };
      await memory.remember([{ record: oldest.record, vector: vectorAt(0) }], SPACE);
      return;
    case "forget":
      if (oldest === undefined) return;
      world.records = world.records.filter((one) => one !== oldest);
      await memory.forget(repoKey(repo), [oldest.record.id]);
      return;
    case "leave":
      world.records = world.records.filter(({ of }) => of !== step.slot);
      await memory.forgetRepository(repoKey(repo));
  }
}

const OPEN = { private: 0, internal: 1, public: 2 } as const;

/**
 * What a person would say: mine; or, if I take and they give, of the same company on the same
 * server, and no more secret than I am.
 */
function mayHear(world: World, target: number, of: number, takes: boolean): boolean {
  const [hearer, speaker] = [world.repos[target] as Repo, world.repos[of] as Repo];
  if (of === target) return true;
  return (
    takes &&
    world.gives[of] === true &&
    speaker.host === hearer.host &&
    speaker.ownerId === hearer.ownerId &&
    OPEN[speaker.visibility] >= OPEN[hearer.visibility]
  );
}

/**
 * Every id that any way of asking gives to a pull request of the target, before the stage's own
 * second look and after it.
 */
async function retrieved({ recall }: OpenMemoryPorts, world: World, target: number, pull: number, takes: boolean) {
  const repo = world.repos[target] as Repo;
  const scope = scopeOf({ repo, pull: { number: pull } }, takes);
  const [[nearest = []], [matching = []], records] = await Promise.all([
    recall.nearest(scope, [vectorAt(0)], SPACE, 50, {}),
    recall.matching(scope, ["handshake"], 50, {}),
    recall.records(
      scope,
      world.records.map(({ record }) => record.id),
    ),
  ]);
  const raw = new Set([...nearest, ...matching, ...records].map(({ id }) => id));
  const admitted = records.filter((record) => admits(scope, repo.visibility, record)).map(({ id }) => id);
  // What a model is shown, and what else could be made of it.
  const reported = records.flatMap((record) => {
    const crossed = crossing(scope, repo.visibility, record);
    return crossed?.kind === "pattern" ? [crossed.record] : [];
  });
  const section = buildRetrievalContextSection(
    reported.map((record) => rankedMemory(record)),
    { maxChars: 100_000, delimiter: "=".repeat(32), repo: `${repo.owner}/${repo.name}` },
  );
  return { raw, admitted, reported, section };
}

/** @param lives how many lives are tried */
export function isolationContract(name: string, open: OpenMemory, lives: number): void {
  test(`${name}: no memory reaches a repository without access to it, and each repository finds all of its own [005-07][T15]`, {
    timeout: 3_600_000,
  }, async () => {
    const opened = await open();
    let life = 0;
    // Patterns that one repository heard of another.
    let crossed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { minLength: 3, maxLength: 12 }),
        fc.array(fc.boolean(), { minLength: SLOTS, maxLength: SLOTS }),
        fc.boolean(),
        slot,
        owner,
        async (acts, gives, takes, target, pull) => {
          life += 1;
          const repos = newborn(life);
          const world: World = { life, repos: [...repos], first: repos, gives: repos.map(() => false), records: [] };
          for (const [at, will] of gives.entries()) await play(opened, world, { kind: "give", slot: at, gives: will });
          for (const step of acts) await play(opened, world, step);
          const { raw, admitted, reported: patterns, section } = await retrieved(opened, world, target, pull, takes);
          for (const of of repos.keys()) {
            if (of === target) continue;
            expect(`${JSON.stringify(patterns)}${section}`).not.toContain(canaryOf(life, of));
          }
          crossed += patterns.filter(({ sharing }) => sharing === "pattern").length;
          const reported = (id: string) => world.records.find(({ record }) => record.id === id);
          for (const id of raw) {
            const source = reported(id);
            expect(source, "somebody else's, or forgotten").toBeDefined();
            if (source === undefined) return;
            expect(source.record.stale).toBe(false);
            const [hearer, speaker] = [world.repos[target] as Repo, world.repos[source.of] as Repo];
            // The store alone: never another server or company, never to the public what is not
            // public.
            const isPool = takes && world.gives[source.of] && speaker.host === hearer.host;
            expect(source.of === target || (isPool && speaker.ownerId === hearer.ownerId)).toBe(true);
            expect(source.of === target || hearer.visibility !== "public" || speaker.visibility === "public").toBe(
              true,
            );
            expect(source.of === target && source.record.provenance.pull === pull).toBe(false);
          }
          for (const id of admitted) expect(mayHear(world, target, reported(id)?.of ?? -1, takes)).toBe(true);
          const mine = world.records
            .filter(({ of, record }) => of === target && !record.stale && record.provenance.pull !== pull)
            .map(({ record }) => record.id);
          expect([...raw]).toEqual(expect.arrayContaining(mine));
        },
      ),
      { numRuns: lives, seed: 20_261_122 },
    );
    // Lives in which nothing may cross prove nothing about what does.
    expect(crossed).toBeGreaterThan(Math.min(5, lives / 20));
    await opened.close();
  });
}
