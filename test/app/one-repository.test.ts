// What leaves with a review goes to one repository only, and holds no secret: its tokens, and what
// is sent to be embedded.
import { afterAll, beforeAll, expect, test } from "vitest";
import { json, type ScriptedServer, scriptedServer } from "../fakes/scripted-server.ts";
import { type Harness, openHarness } from "./app-harness.ts";
import { BACKUP, BALANCE } from "./change-builders.ts";

const TOKEN = `ghp_${"x7Rk2mQ9wLz4vB8nT1cY6pD3sF5hJ0aGeUiO"}`;

let server: ScriptedServer;
let harness: Harness;
beforeAll(async () => {
  server = await scriptedServer();
  server.script((response, request) => {
    const texts = request.body.input as readonly string[];
    json({ data: texts.map((_, index) => ({ index, embedding: [1, 0, 0, 0, 0, 0, 0, index + 1] })) })(
      response,
      request,
    );
  });
  const embeddings = {
    kind: "http",
    baseUrl: server.url,
    model: "nomic-embed-text",
    dimension: 8,
    apiKey: null,
  } as const;
  harness = await openHarness({ app: { embeddings } });
});
afterAll(async () => {
  await harness.close();
  await server.close();
});

test("no secret of a change is sent to be embedded, and each token reaches one repository with what the work needs [T18]", async () => {
  const { world } = harness;
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  await world.repository("acme", "bank", { files: { "README.md": "# Bank\n" } });
  // Only where something is remembered is anything asked of memory.
  await harness.settled(await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } }));
  server.received.splice(0);
  const files = { "src/balance.py": BALANCE, "src/login.py": `TOKEN = "${TOKEN}"\n` };
  const pull = await world.pullRequest(repository, { title: `Log in with ${TOKEN}`, body: `It is ${TOKEN}`, files });
  expect(await harness.settled(pull)).toMatchObject({ state: "done" });

  expect(server.received.length).toBeGreaterThan(1);
  expect(JSON.stringify(server.received.map(({ body }) => body))).not.toContain(TOKEN);
  const minted = world.requests.filter(({ path }) => path.endsWith("/access_tokens")).map(({ body }) => body);
  expect(minted.length).toBeGreaterThan(0);
  for (const asked of minted as { repository_ids?: number[]; repositories?: string[]; permissions?: object }[]) {
    expect([...(asked.repository_ids ?? []), ...(asked.repositories ?? [])]).toHaveLength(1);
    expect(Object.entries(asked.permissions ?? {})).toContainEqual(["metadata", "read"]);
    expect(asked.permissions).not.toHaveProperty("contents", "write");
  }
});
