// A grammar that never ends, in the process that reads names.
import { fork } from "node:child_process";
import { expect, test } from "vitest";
import { codeSymbols } from "../../../src/adapters/code-index/symbols.ts";
import { changed, snapshotOf } from "../contracts/symbols.ts";

test("a file that gets the grammar stuck is reported, and the others are read", { timeout: 90_000 }, async () => {
  const program = new URL("./stuck-symbols.child.ts", import.meta.url);
  const symbols = codeSymbols(() => fork(program, { serialization: "advanced" }));
  try {
    const head = snapshotOf({
      "a.ts": "export const rate = 1;\n",
      "b.ts": "rate; // never ends\n",
      "c.ts": "f(rate);\n",
    });
    const found = await symbols.find(head, changed("rate"));
    expect(found.degraded).toEqual([
      { part: "symbols", reason: expect.stringContaining("1 file was not searched for names of this change") },
    ]);
    expect(found.symbols.get("rate")).toMatchObject({
      definitions: [{ path: "a.ts" }],
      references: [{ path: "c.ts", line: 1 }],
    });
  } finally {
    symbols.close();
  }
});
