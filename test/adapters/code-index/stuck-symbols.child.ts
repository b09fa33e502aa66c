// The process that reads names, with a grammar that never ends on one text.
import type { SymbolsQuestion } from "../../../src/adapters/code-index/symbols-process.ts";

process.on("message", (question: SymbolsQuestion) => {
  while (question.kind === "read" && question.files.some(({ text }) => text.includes("never ends")));
});
await import("../../../src/adapters/code-index/symbols-process.ts");
