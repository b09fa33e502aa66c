// A review of several questions, and a process that dies between them: what was answered is not
// asked, and not paid for, again.
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { says } from "../fakes/anthropic/replies.ts";
import { type FakeAnthropic, type ModelCall, type Reply, startAnthropic } from "../fakes/anthropic/server.ts";
import { drafted } from "../fakes/scripted-model.ts";
import { until } from "./app-harness.ts";
import { said, summaryOf } from "./change-builders.ts";
import { type Deployment, deployment } from "./server-process.ts";

let deployed: Deployment;
let anthropic: FakeAnthropic;
beforeEach(async () => {
  [deployed, anthropic] = [await deployment(), await startAnthropic()];
});
afterEach(async () => {
  await deployed.close();
  await anthropic.close();
});

/** Files of which a model with this context reads about one a question. */
const CONTEXT_TOKENS = "12000";
const PARTS = ["one", "two", "three", "four"];
const files = Object.fromEntries(
  PARTS.map((part) => [
    `src/${part}.py`,
    `${Array.from({ length: 220 }, (_, at) => `${part}_${at} = read("${part}", ${at})`).join("\n")}\n`,
  ]),
);

const found = (prompt: string) =>
  PARTS.filter((part) => prompt.includes(`${part}_7 = read(`)).map((part) =>
    drafted({
      path: `src/${part}.py`,
      quote: `${part}_7 = read("${part}", 7)`,
      title: `The ${part} is read twice`,
      confidence: 1,
    }),
  );
const answers = ({ prompt, system }: ModelCall): Reply =>
  system.startsWith("You check drafted")
    ? says({ findings: [] })
    : says({ findings: found(prompt), ruleFindings: [], walkthrough: "Reads four things." });
const silence: Reply = () => {};

/** What was asked, without what is new in each prompt. */
const questions = () =>
  anthropic.requests.map(({ system, prompt }) => (system + prompt).replaceAll(/kodiai-[0-9a-f]{32}/g, "fence"));

test("only the questions that a dying process was asking are asked again, and the review is whole [R33]", async () => {
  const env = {
    ANTHROPIC_BASE_URL: anthropic.url,
    ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef",
    KODIAI_MODEL_CONTEXT_TOKENS: CONTEXT_TOKENS,
  };
  const { world } = deployed;
  let isQuiet = true;
  anthropic.script((call) => (isQuiet && call.number >= 2 ? silence : answers(call)));
  const first = await deployed.start(env);
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const pull = await world.pullRequest(repository, { title: "Read four things", files });
  const kept = () => {
    const db = new Database(join(deployed.dataDir, "queue.db"), { readonly: true });
    try {
      return db.prepare("SELECT count(*) FROM replies").pluck().get();
    } finally {
      db.close();
    }
  };
  await until("two answers are kept and others are awaited", () => anthropic.requests.length > 3 && kept() === 2);
  first.child.kill("SIGKILL");
  await first.ended();
  const before = questions();
  isQuiet = false;

  const second = await deployed.start(env);
  await until("the job ended", () => second.log().includes('"state":"done"'));
  const after = questions().slice(before.length);
  expect(after.filter((question) => before.slice(0, 2).includes(question))).toEqual([]);
  // Those that were under way, once each.
  expect(after.filter((question) => before.slice(2).includes(question))).toHaveLength(before.length - 2);
  expect(new Set(after).size).toBe(after.length);
  expect(said(world, pull).map((line) => line.split(" ")[0])).toHaveLength(PARTS.length);
  expect(summaryOf(world, pull).body).toMatch(/^\*\*4 \w+ findings open\*\*/);
  expect(kept()).toBe(0);
});
