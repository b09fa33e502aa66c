// The other side of chunker.ts: one file in, its chunks out, in a process that can be ended while a grammar is stuck.
import { cutCode } from "./cut-code.ts";

/** What is asked. */
export interface ChunkQuestion {
  readonly path: string;
  readonly language: string;
  readonly text: string;
}

process.on("message", (question: ChunkQuestion) => {
  process.send?.(cutCode(question.path, question.language, question.text));
});
// The parent has ended, so no more requests come.
process.on("disconnect", () => process.exit(0));
