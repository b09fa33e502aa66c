import { expect, test } from "vitest";
import { astChunker } from "../../../src/adapters/code-index/chunker.ts";
import { cutCode } from "../../../src/adapters/code-index/cut-code.ts";

const CODE = "export function total(items: number[]) {\n  return items.length;\n}\n";

test("chunks from the process are those of the grammar", async () => {
  const chunker = astChunker();
  expect(await chunker.chunks("a.ts", "typescript", CODE)).toEqual(cutCode("a.ts", "typescript", CODE));
  const answers = await Promise.all(
    ["f", "g", "h"].map((name) => chunker.chunks("a.js", "javascript", `function ${name}() {}`)),
  );
  expect(answers.map(({ chunks }) => chunks[0]?.symbol)).toEqual(["f", "g", "h"]);
});

test("a text on which the grammar is stuck is left out, and the next file is cut", async () => {
  const chunker = astChunker(4_000);
  const stuck = await chunker.chunks("a.js", "javascript", "/*\n".repeat(80_000));
  expect(stuck).toEqual({ chunks: [], skipped: ["parsing took longer than 4 s"] });
  expect((await chunker.chunks("a.ts", "typescript", CODE)).chunks.length).toBe(1);
  expect(await chunker.chunks("a.hs", "haskell", "main = 1")).toEqual({
    chunks: [],
    skipped: ["not parsed: no grammar for haskell"],
  });
});

test("chunkable languages are named by canonical id", () => {
  const { languages } = astChunker();
  expect([...languages].sort()).toEqual(["go", "java", "javascript", "php", "python", "ruby", "rust", "typescript"]);
  expect(languages.has("constructor")).toBe(false);
});
