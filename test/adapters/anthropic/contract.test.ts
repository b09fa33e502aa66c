import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AnthropicSettings } from "../../../src/adapters/anthropic/model.ts";
import { recordingTape, replayingTape } from "../../../src/adapters/anthropic/replay-tape.ts";
import type { Model } from "../../../src/ports/model.ts";
import { fails, says } from "../../fakes/anthropic/replies.ts";
import { startAnthropic } from "../../fakes/anthropic/server.ts";
import { expectSafe, modelContract } from "../contracts/model.ts";
import { DELIMITER, FOUND, modelFor, QUESTION, settingsFor } from "./asked.ts";

for (const [name, structuredOutput] of [
  ["a server that holds replies to a schema", "on"],
  ["a server that is told the schema in words", "off"],
] as const) {
  modelContract(name, {
    async with(replies, use) {
      await using server = await startAnthropic({ replies });
      await use(modelFor(server.url, { structuredOutput }));
    },
  });
}

const noServer: AnthropicSettings["fetch"] = () => expect.fail("the replay reached for a server");

function replayed(folder: string): Model {
  return modelFor("https://model.invalid", { fetch: noServer, tape: replayingTape(folder) });
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "kodiai-tape-"));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

modelContract("a replay of what was recorded", {
  with: (replies, use) =>
    inFolder(async (folder) => {
      await using server = await startAnthropic({ replies });
      const recording = modelFor(server.url, { tape: recordingTape(folder) });
      const replaying = replayed(folder);
      await use({
        ...replaying,
        async ask(request, signal) {
          const live = await recording.ask(request, signal);
          const again = await replaying.ask(request, signal);
          const ms = expect.any(Number);
          expect(again).toEqual({ ...live, usage: { ...live.usage, ms } });
          return again;
        },
      });
    }),
});

test("a recording is one file a reply that people can read", () =>
  inFolder(async (folder) => {
    await using server = await startAnthropic({ replies: [fails(529), says("Broken: {"), says(FOUND)] });
    const answer = await modelFor(server.url, { tape: recordingTape(folder) }).ask(QUESTION);
    expect(answer).toMatchObject({ kind: "answered", usage: { requests: 3 } });
    const files = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
    expect(readdirSync(folder).every((name) => /^review-[0-9a-f]{16}\.json$/.test(name))).toBe(true);
    expect(files).toHaveLength(2);
    const [first] = files.filter(({ question }) => question.repair === undefined);
    expect(first.reply).toMatchObject({ stop_reason: "end_turn", text: ["Broken: {"] });
    expect(first.question.user[0]).toBe("<kodiai-delimiter-1>");
    const [second] = files.filter(({ question }) => question.repair !== undefined);
    expect(second.reply.json).toEqual(FOUND);
  }));

test("the delimiter, the model and the server are not part of the question; every other word is", () =>
  inFolder(async (folder) => {
    await using server = await startAnthropic({ replies: [says(FOUND)] });
    await modelFor(server.url, { tape: recordingTape(folder) }).ask(QUESTION);
    const withUser = (text: string) => ({ ...QUESTION, user: [{ text, cache: true }, ...QUESTION.user.slice(1)] });
    const text = QUESTION.user[0]?.text ?? "";
    const other = withUser(text.replaceAll(DELIMITER, "kodiai-ffffffffffffffffffffffffffffffff"));
    const names = { main: "qwen3-coder", small: "qwen3-coder" };
    const settings = {
      ...settingsFor("https://model.invalid"),
      names,
      structuredOutput: "off" as const,
      fetch: noServer,
    };
    const replaying = modelFor("https://model.invalid", { ...settings, tape: replayingTape(folder) });
    expect(await replaying.ask(other)).toMatchObject({ kind: "answered", value: FOUND });
    expect(await replaying.ask(withUser(`${text} `))).toMatchObject({ failure: "unreachable" });
    const mixed = text.replace(DELIMITER, "kodiai-ffffffffffffffffffffffffffffffff");
    expect(await replaying.ask(withUser(mixed))).toMatchObject({ failure: "unreachable" });
    expect(await replaying.ask({ ...QUESTION, tier: "small" })).toMatchObject({ failure: "unreachable" });
  }));

test("a reply that nobody recorded is a failure that names the file, at once and as often as asked", () =>
  inFolder(async (folder) => {
    const model = replayed(folder);
    for (let time = 0; time < 7; time++) {
      const answer = await model.ask(QUESTION);
      expect(answer).toMatchObject({ kind: "failed", failure: "unreachable", notBefore: null, usage: { requests: 1 } });
      expect(answer).toMatchObject({ detail: expect.stringContaining(join(folder, "review-")) });
      expectSafe(answer);
    }
  }));

test.each(["", "null", "{}", '{"question":{},"reply":{"text":5}}', "[[["])(
  "a recording that holds %j is a failure",
  (text) =>
    inFolder(async (folder) => {
      await using server = await startAnthropic({ replies: [says(FOUND)] });
      await modelFor(server.url, { tape: recordingTape(folder) }).ask(QUESTION);
      writeFileSync(join(folder, readdirSync(folder)[0] ?? ""), text);
      expect(await replayed(folder).ask(QUESTION)).toMatchObject({
        failure: "unreachable",
        detail: expect.stringContaining("cannot be read"),
      });
    }),
);
