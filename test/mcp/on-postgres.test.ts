// The MCP tools over a memory in PostgreSQL: the official client, a real process over stdio, no
// file beside it.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { memory } from "../../src/cli/memory/memory.ts";
import { findingSource } from "../../src/domain/memory.ts";
import { exportLine } from "../../src/learn/remember/parse-row.ts";
import { type Clone, newClone } from "../cli/kodiai.ts";
import { givenRecord } from "../learn/memory-builders.ts";
import { testDatabase } from "../postgres.ts";

const MAIN = new URL("../../src/cli/main.ts", import.meta.url).pathname;
const given = await testDatabase();

describe.skipIf(given === null)("the tools over a memory in PostgreSQL", () => {
  let clone: Clone;
  let client: Client;
  const folder = mkdtempSync(join(tmpdir(), "kodiai-mcp-postgres-"));
  // biome-ignore lint/suspicious/noExplicitAny: the shape differs from tool to tool, and each test says which it expects
  const call = async (name: string, words: Record<string, unknown>): Promise<any> => {
    const { structuredContent, isError } = await client.callTool({ name, arguments: words });
    expect(isError ?? false).toBe(false);
    return structuredContent;
  };

  beforeAll(async () => {
    clone = newClone();
    const said = givenRecord({ text: "A retried charge needs the same idempotency key.", outcome: "accepted" });
    const finding = {
      ...givenRecord({
        corpus: "finding",
        sourceId: findingSource(12, "fnd_0123456789ab"),
        text: "eval runs what a caller sends",
      }),
      outcome: "declined" as const,
    };
    clone.write({
      "src/pay/charge.ts": "export function charge(key: string) {\n  return send({ key });\n}\n",
      "local.jsonl": `${[said, finding].map(exportLine).join("\n")}\n`,
    });
    clone.commit("Lay the ground");
    vi.stubEnv("DATABASE_URL", given?.url ?? "");
    const quiet = vi.spyOn(console, "log").mockImplementation(() => undefined);
    await memory(["import", join(clone.path, "local.jsonl"), "--repo", clone.path]);
    quiet.mockRestore();
    vi.unstubAllEnvs();
    const env = {
      ...getDefaultEnvironment(),
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "",
      DATABASE_URL: given?.url ?? "",
      KODIAI_DATA_DIR: folder,
    };
    client = new Client({ name: "test", version: "1" });
    const args = [MAIN, "mcp", "--allow-write", "--model", "off"];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: clone.path, env, stderr: "pipe" }),
    );
  });
  afterAll(async () => {
    await client?.close();
    clone?.remove();
    rmSync(folder, { recursive: true });
    await given?.drop();
  });

  test("search_memory finds by words and by meaning, and keeps to what it is asked for", async () => {
    const found = await call("search_memory", { query: "idempotency key of a retried charge", top: 5 });
    expect(found.results[0]).toMatchObject({ text: expect.stringContaining("A retried charge needs") });
    const keyword = await call("search_memory", { query: "what eval runs", method: "keyword", top: 1 });
    expect(keyword.results.map(({ text }: { text: string }) => text)).toEqual([expect.stringContaining("eval runs")]);
  });

  test("explain_finding, should_retrieve and review_diff read the same memory", async () => {
    const reported = await call("explain_finding", { id: "fnd_0123456789ab", pull: 12 });
    expect(reported).toMatchObject({ state: "remembered", memory: { outcome: "declined" } });
    const gate = await call("should_retrieve", {
      query: "why does src/pay/charge.ts send a key?",
      projectId: `local/${basename(clone.path)}`,
    });
    expect(gate).toMatchObject({ shouldRetrieve: expect.any(Boolean) });
    const diff = [
      ...["diff --git a/src/pay/charge.ts b/src/pay/charge.ts", "--- a/src/pay/charge.ts", "+++ b/src/pay/charge.ts"],
      ...["@@ -1,3 +1,4 @@", " export function charge(key: string) {", "+  const rule = eval(key);"],
      ...["   return send({ key });", " }", ""],
    ].join("\n");
    const review = await call("review_diff", { diff, title: "Evaluate rules" });
    expect(JSON.stringify(review.findings)).toContain("eval");
  });

  test("what is remembered is found by the next question, and no file is made", async () => {
    const kept = await call("remember", {
      text: "We retry in the client, never in the gateway.",
      path: "src/pay/charge.ts",
    });
    expect(kept).toMatchObject({ id: expect.stringMatching(/^mem_/), state: "added" });
    const { results } = await call("search_memory", { query: "retry in the client or the gateway", top: 3 });
    expect(results.map(({ id }: { id: string }) => id)).toContain(kept.id);
    expect(readdirSync(folder)).toEqual([]);
  });
});
