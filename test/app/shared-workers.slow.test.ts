// Large pull requests of one repository, and a two-line pull request of another: it waits for none
// of them.
import { afterEach, expect, test } from "vitest";
import { says } from "../fakes/anthropic/replies.ts";
import { type FakeAnthropic, type Reply, startAnthropic } from "../fakes/anthropic/server.ts";
import type { Pull, Repository } from "../fakes/github/conversation.ts";
import { type Harness, openHarness, until } from "./app-harness.ts";
import { BACKUP, said } from "./change-builders.ts";

let harness: Harness | undefined;
let anthropic: FakeAnthropic | undefined;
let letGo = () => {};
afterEach(async () => {
  letGo();
  await harness?.close();
  await anthropic?.close();
});

const CALM = says({ findings: [], ruleFindings: [], walkthrough: "Backs the shop up every night." });
const LARGE = { "src/table.ts": `export const table = [\n${'  "row",\n'.repeat(10_000)}];\n`, "ops/big.py": BACKUP };

/** The model answers about large changes only once it is let go. */
async function play(workers?: number) {
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const late: Reply = (response, call) => void held.then(() => CALM(response, call));
  anthropic = await startAnthropic({ replies: ({ body }) => (JSON.stringify(body).includes("big.py") ? late : CALM) });
  const model = {
    apiKey: "sk-ant-0123456789abcdef",
    baseUrl: anthropic.url,
    names: { main: "claude-sonnet-5-5", small: "claude-haiku-5-5" },
    structuredOutput: "on" as const,
    temperature: null,
    contextTokens: null,
  };
  harness = await openHarness({
    app: { model, ...(workers === undefined ? {} : { workers }) },
    owners: ["acme", "globex"],
  });
  const { world } = harness;
  const repository = (owner: string, name: string) =>
    world.repository(owner, name, { files: { "README.md": "# A\n" } });
  const large = async (where: Repository, count: number) => {
    const pulls: Pull[] = [];
    for (let number = 0; number < count; number += 1)
      pulls.push(await world.pullRequest(where, { title: `Move it all ${number}`, files: LARGE }));
    return pulls;
  };
  return { harness, world, repository, large };
}

const running = (at: Harness) => at.rows("SELECT id FROM jobs WHERE lane = 'review' AND state = 'running'").length;

test("large pull requests of one repository leave a worker to another repository [R28]", async () => {
  const { harness: at, world, repository, large } = await play();
  const pulls = await large(await repository("acme", "monolith"), 3);
  await until("a question about a large change", () => (anthropic?.requests.length ?? 0) > 0);
  const small = await world.pullRequest(await repository("acme", "shop"), {
    title: "Back up",
    files: { "ops/backup.py": BACKUP },
  });
  expect(await at.settled(small)).toMatchObject({ state: "done", attempt: 1 });
  expect(said(world, small)).toEqual(["ops/backup.py:3 shell-from-strings"]);
  expect(pulls.map((pull) => world.comments(pull).summary)).toEqual([[], [], []]);
  letGo();
  for (const pull of pulls) expect(await at.settled(pull)).toMatchObject({ state: "done", attempt: 1 });
});

test("a large change without a free slot frees its worker, and its try does not count [R28]", async () => {
  const { harness: at, world, repository, large } = await play(4);
  const pulls = [
    ...(await large(await repository("acme", "monolith"), 3)),
    ...(await large(await repository("globex", "monolith"), 2)),
  ];
  const states = () => pulls.map((pull) => at.jobs(pull).at(-1)?.outcome ?? null);
  await until("two that run, three that were given back", () => states().filter((one) => one !== null).length === 3);
  expect(running(at)).toBe(2);
  const small = await world.pullRequest(await repository("globex", "shop"), {
    title: "Back up",
    files: { "ops/backup.py": BACKUP },
  });
  expect(await at.settled(small)).toMatchObject({ state: "done", attempt: 1 });
  expect(new Set(states())).toEqual(new Set([null, "waiting until a process has memory for a large change"]));
  // Each was taken once: what waits for room is not looked at again and again.
  expect(at.rows("SELECT max(token) AS taken FROM jobs WHERE lane = 'review'")).toEqual([{ taken: 1 }]);
  letGo();
  for (const pull of pulls) expect(await at.settled(pull)).toMatchObject({ state: "done", attempt: 1 });
});
