// What doctor says of memory, as the operator reads it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { EmbeddingSpace } from "../../src/domain/memory.ts";
import { openMemoryFile, reclaimFile } from "../../src/store/memory/memory-file.ts";
import { storedMemory } from "../../src/store/memory/stored-memory.ts";
import { chosenEmbedder } from "../../src/wire/models.ts";
import { memoryRecord } from "../adapters/contracts/memory.ts";
import { json, scriptedServer, status } from "../fakes/scripted-server.ts";
import { kodiai, verb } from "./kodiai.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "kodiai-doctor-"));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

async function doctor(env: Readonly<Record<string, string>> = {}, run = verb) {
  const { code, out } = await run(["doctor", "--all", "--data-dir", dataDir], {
    cwd: dataDir,
    env: { NO_COLOR: "1", ...env },
  });
  return { code, lines: out.split("\n").map((line) => line.trimEnd()) };
}

async function remember(space: EmbeddingSpace, ...vectors: readonly (Float32Array | null)[]) {
  const db = await openMemoryFile(join(dataDir, "memory.db"));
  await storedMemory(db, () => reclaimFile(db)).remember(
    vectors.map((vector) => ({ record: memoryRecord(), vector })),
    space,
  );
  await db.close();
}

const ones = (dimension: number) => new Float32Array(dimension).fill(1);

test("an empty memory, the embedder and the extension are reported", async () => {
  const { code, lines } = await doctor();
  expect(code).toBe(0);
  expect(lines).toContainEqual(expect.stringMatching(/^ok {5}memory {5}nothing remembered yet$/));
  expect(lines).toContain("ok     search     the database compares up to 2,000 vectors, usearch more");
  expect(lines).toContainEqual(expect.stringMatching(/^ok {5}embedder {3}local: .+ \(\d+ numbers\)$/));
});

test("a machine for which usearch has no build is searched by the database alone, and that is reported", async () => {
  const { space } = await chosenEmbedder({ kind: "local" });
  await remember(space, ones(space.dimension));
  const without = join(dataDir, "without.cjs");
  writeFileSync(
    without,
    `const { Module } = require("node:module");
     const load = Module._load;
     Module._load = (name, ...rest) => {
       if (name === "usearch") throw new Error("no prebuilt binary");
       return load(name, ...rest);
     };`,
  );
  const { code, lines } = await doctor({ NODE_OPTIONS: `--require=${without}` }, kodiai);
  expect(code).toBe(0);
  expect(lines).toContainEqual(
    expect.stringMatching(/^note {3}usearch {4}no build for \w+ \w+; the database compares vectors instead/),
  );
});

test("vectors are counted by their model, and how many the embedder cannot compare", async () => {
  const { space } = await chosenEmbedder({ kind: "local" });
  await remember(space, ones(space.dimension), ones(space.dimension), null);
  await remember({ model: "voyage-code-3", dimension: 1024 }, ones(1024));
  const { code, lines } = await doctor();
  expect(code).toBe(0);
  expect(lines).toContainEqual(expect.stringMatching(/^ok {5}memory {5}4 memories of 1 repository/));
  expect(lines).toContainEqual(
    `note   vectors    2 of ${space.model} (${space.dimension} numbers); 1 of voyage-code-3 (1024 numbers); ` +
      "1 memory without one, found by words; 1 of another model than the embedder's: not compared; run `kodiai index` and import again",
  );
});

test("an embedding server is asked for a vector: its answer is reported, or the reason of its failure", async () => {
  const server = await scriptedServer();
  const env = {
    KODIAI_EMBEDDINGS: "http",
    KODIAI_EMBEDDINGS_URL: server.url,
    KODIAI_EMBEDDINGS_MODEL: "nomic-embed-text",
  };
  server.script(json({ data: [{ index: 0, embedding: [1, 2, 3, 4] }] }));
  expect((await doctor(env)).lines).toContain("ok     embedder   http: nomic-embed-text (4 numbers)");
  server.script(status(500));
  const { code, lines } = await doctor(env);
  expect(code).toBe(3);
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^broken embedder {3}http: nomic-embed-text: the service answered 500.*memory is searched by words$/,
    ),
  );
  await server.close();
});

test("an unreadable memory is reported with its fix", async () => {
  writeFileSync(join(dataDir, "memory.db"), "hello ".repeat(2_000));
  const { code, lines } = await doctor();
  expect(code).toBe(3);
  expect(lines).toContainEqual(expect.stringMatching(/^broken memory {5}.*restore a backup.*reviews run without it/));
});

test("a misspelt variable is named with the one that was meant, also where no server is configured", async () => {
  const { code, lines } = await doctor({ KODIAI_MODLE: "claude-sonnet-5-5" });
  expect(code).toBe(0);
  expect(lines).toContain("note   variables  KODIAI_MODLE is not a variable of Kodiai; did you mean KODIAI_MODEL?");
});
