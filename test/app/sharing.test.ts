// Sharing among an owner's repositories: what a private repository remembers never reaches a public one, in any form.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Precedents } from "../../src/domain/retrieval.ts";
import { BACKUP, summaryOf } from "./given.ts";
import { comment, remembering, smallTalk } from "./remembered.ts";
import { openStage, type Stage } from "./stage.ts";

const SHARING = { ".kodiai.yml": "knowledge:\n  sharing:\n    enabled: true\n" };

let stage: Stage;
let heard: Precedents[] = [];

beforeAll(async () => {
  stage = await openStage({
    app: {
      memory: { patience: { answerMs: 60_000 } },
      onStep: (_job, room, value) => {
        if (room === "retrieve") heard.push(value as Precedents);
      },
    },
  });
});
afterEach(() => {
  heard = [];
  expect(stage.world.violations).toEqual([]);
});
afterAll(() => stage.close());

async function repositoryOf(name: string, isPrivate: boolean) {
  return stage.world.repository("acme", name, { files: SHARING, private: isPrivate });
}

async function reviewIn(repository: Awaited<ReturnType<typeof repositoryOf>>) {
  const pull = await stage.world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await stage.settled(pull);
  return { body: summaryOf(stage.world, pull).body, precedents: heard.at(-1) };
}

test("a public repository hears nothing of a private one, though both share and say the same", async () => {
  const secret = await repositoryOf("vault", true);
  const open = await repositoryOf("shop", false);
  const SECRET = "Vault builds its backup command from strings: pass subprocess.run a list, without shell=True.";
  await remembering(stage, [comment(secret, "1", { text: SECRET }), ...smallTalk(secret, 9), ...smallTalk(open, 9)]);
  const { body, precedents } = await reviewIn(open);
  expect(precedents?.gate.retrieve).toBe(true);
  expect(precedents?.provenance.sharedPoolUsed).toBe(false);
  // Neither its words, nor its name, nor its address, nor that there is one.
  expect(JSON.stringify(precedents)).not.toMatch(/vault/i);
  expect(JSON.stringify(precedents)).not.toContain(`github.com/${secret.id}`);
  expect(body).not.toMatch(/vault|Seen before/i);
});

test("a private repository hears what a public one of its owner remembers", async () => {
  const open = await repositoryOf("tools", false);
  const closed = await repositoryOf("ledger", true);
  await remembering(stage, [comment(open, "1"), ...smallTalk(closed, 9)]);
  const { precedents } = await reviewIn(closed);
  expect(precedents?.provenance).toMatchObject({ sharedPoolUsed: true });
  expect(precedents?.provenance.repoSources).toContain("acme/tools");
});
