// A grammar that never ends, in the process that reads names.
import { fork } from "node:child_process";
import { expect, test } from "vitest";
import { codeSymbols } from "../../../src/adapters/code-index/symbols.ts";
import { changed, snapshotOf } from "../contracts/symbols.ts";

test("a file that gets the grammar stuck is reported, and the others are read", async () => {
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

test("a review whose files get the grammar stuck delays no other, and is given up after three of them [T22]", async () => {
  const program = new URL("./stuck-symbols.child.ts", import.meta.url);
  const symbols = codeSymbols(() => fork(program, { serialization: "advanced" }));
  try {
    const [hostile, innocent] = [symbols.ofReview(), symbols.ofReview()];
    const events: string[] = [];
    await innocent.outline("src/a.ts", "");
    const stuck = Array.from({ length: 24 }, (_, at) =>
      hostile.outline(`src/${at}.ts`, "rate; // never ends\n").then(() => void events.push("stuck")),
    );
    const asked = Array.from({ length: 3 }, (_, at) =>
      innocent.outline(`src/${at}.ts`, "function rate() {\n}\n").then(([first]) => void events.push(first?.name ?? "")),
    );
    await Promise.all([...stuck, ...asked]);
    // One stuck file before each question of the other review, and none after the third.
    expect(events.slice(0, 6)).toEqual(["stuck", "rate", "stuck", "rate", "stuck", "rate"]);
    expect(events.slice(6)).toEqual(Array.from({ length: 21 }, () => "stuck"));
    expect(innocent.missed()).toEqual([]);
    expect(hostile.missed()).toEqual([
      { part: "symbols", reason: expect.stringContaining("so that no others were read after them") },
    ]);
  } finally {
    symbols.close();
  }
});
