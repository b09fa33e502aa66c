// Names in code by grammars and by words, in a process that may get stuck.
import { fork } from "node:child_process";
import { once } from "node:events";
import { afterAll, expect, test } from "vitest";
import { codeSymbols } from "../../../src/adapters/code-index/symbols.ts";
import { changed, snapshotOf, symbolsContract } from "../contracts/symbols.ts";

// One process for all of them, as a server has one for its reviews.
const shared = codeSymbols();
afterAll(() => shared.close());
symbolsContract("the reading process", shared.ofReview);

test("after its process was ended, the next question starts another", async () => {
  const symbols = codeSymbols();
  try {
    const head = snapshotOf({ "a.ts": "export const rate = 1;\n" });
    expect((await symbols.find(head, changed("rate"))).symbols.has("rate")).toBe(true);
    symbols.close();
    expect((await symbols.find(head, changed("rate"))).symbols.has("rate")).toBe(true);
  } finally {
    symbols.close();
  }
});

test("the process that reads names ends with its parent, however that ends", async () => {
  const parent = fork(new URL("./symbols-parent.child.ts", import.meta.url));
  const [reader] = (await once(parent, "message")) as [number];
  expect(isRunning(reader)).toBe(true);
  parent.kill("SIGKILL");
  // By itself it would end when nothing was asked for half a minute.
  await expect.poll(() => isRunning(reader)).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
