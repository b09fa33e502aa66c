// Eight reviews at the same time, each as large as a pull request can be, in a process with a small
// heap: it stays small and ends all.
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { says } from "../fakes/anthropic/replies.ts";
import { type FakeAnthropic, startAnthropic } from "../fakes/anthropic/server.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import { BALANCE } from "./change-builders.ts";
import { type Deployment, deployment, type ServerProcess } from "./server-process.ts";

const NIGHTLY = process.env.NIGHTLY === "1";
if (!NIGHTLY) console.warn("skipped: pull requests of 3,000 files and 200,000 lines at once; NIGHTLY=1 reviews them");
const MOST_BYTES = 512 * 1024 * 1024;
/** Ten times what the long version took. */
const WATCHDOG_MS = 900_000;
/** How much larger the long version is. */
const TIMES = NIGHTLY ? 10 : 1;

const many = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`src/part-${at}.py`, at % 100 === 0 ? BALANCE : `value_${at} = ${at}\n`]),
  );
const long = (count: number, lines: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `src/long-${at}.ts`,
      `${Array.from({ length: lines }, (_line, n) => `export const value${n} = compute(${at}, ${n});`).join("\n")}\n`,
    ]),
  );
const wide = (characters: number) => ({
  "src/wide.py": `data = "${"lorem ipsum ".repeat(characters / 12)}"\n${BALANCE}`,
});

/** Two of each, so that also the worst meets itself. */
const CHANGES: readonly (() => Readonly<Record<string, string>>)[] = [
  () => many(300 * TIMES),
  () => long(1, 20_000 * TIMES),
  () => long(10 * TIMES, 2_000),
  () => wide(1_000_000 * TIMES),
].flatMap((one) => [one, one]);

let deployed: Deployment;
let anthropic: FakeAnthropic;
let server: ServerProcess;
beforeAll(async () => {
  anthropic = await startAnthropic({
    replies: () => says({ findings: [], ruleFindings: [], walkthrough: "Moves everything." }),
  });
  deployed = await deployment();
  server = await deployed.start({
    ANTHROPIC_BASE_URL: anthropic.url,
    ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef",
    KODIAI_WORKERS: "8",
    // As the image starts it (Dockerfile), with less of a heap than it would take.
    NODE_OPTIONS: "--max-semi-space-size=16 --max-old-space-size=384",
  });
});
afterAll(async () => {
  await deployed.close();
  await anthropic.close();
});

/**
 * Resident bytes of the larger of server and worker process, and of the largest that reads for
 * them.
 */
function largest(): { readonly own: number; readonly reader: number } {
  const all = readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, parent, group] = readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      const resident = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1] ?? 0);
      return [{ name, parent, group, bytes: resident * 1024 }];
    } catch {
      return [];
    }
  });
  const own = String(server.child.pid);
  // The worker leads a group of its own.
  const leaders = all.filter(({ name, parent }) => name === own || parent === own).map(({ name }) => name);
  const among = all.filter(({ group = "" }) => leaders.includes(group));
  const most = (isOwn: boolean) =>
    Math.max(0, ...among.filter(({ name }) => leaders.includes(name) === isOwn).map(({ bytes }) => bytes));
  return { own: most(true), reader: most(false) };
}

test.skipIf(process.platform !== "linux")(
  "eight of the largest pull requests at once are reviewed in 512 MiB, with a heap of 384 [R22]",
  async () => {
    const { world } = deployed;
    const pulls: Pull[] = [];
    // Told only when all of them are there.
    for (const [at, change] of CHANGES.entries()) {
      const repository = await world.repository("acme", `shop-${at}`, { files: { "README.md": "# Shop\n" } });
      pulls.push(await world.pullRequest(repository, { title: "Move everything", files: change(), draft: true }));
    }
    const since = performance.now();
    for (const pull of pulls) await world.readyForReview(pull);
    let most = { own: 0, reader: 0 };
    const ended = () => server.log().match(/"outcome":"posted|"state":"parked"/g)?.length ?? 0;
    const isUp = () => server.child.exitCode === null && server.child.signalCode === null;
    while (ended() < CHANGES.length && isUp() && performance.now() - since < WATCHDOG_MS) {
      const now = largest();
      most = { own: Math.max(most.own, now.own), reader: Math.max(most.reader, now.reader) };
      // What is read is the most there ever was; reading of all processes costs those that are
      // measured.
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    const mib = (bytes: number) => Math.round(bytes / 1024 / 1024);
    console.log(
      `8 reviews at once: ${mib(most.own)} MiB, readers ${mib(most.reader)} MiB, ${Math.round((performance.now() - since) / 1_000)} s`,
    );
    const open = pulls
      .filter((pull) => world.comments(pull).summary.length === 0)
      .map(({ repository }) => repository.name);
    expect(open, server.log().slice(-2_000)).toEqual([]);
    expect(server.log().match(/"outcome":"posted/g)).toHaveLength(CHANGES.length);
    expect(isUp()).toBe(true);
    expect(most.own).toBeLessThanOrEqual(MOST_BYTES);
    expect(most.reader).toBeLessThanOrEqual(MOST_BYTES);
    expect(world.violations).toEqual([]);
  },
  2 * WATCHDOG_MS,
);
