// Chunks of code from a process of its own: a parse cannot be interrupted from within, and some texts never end.
import type { CodeChunker, CodeChunks } from "../../ports/memory.ts";
import { readingChild, readingProcess, type Silence } from "../reading-child.ts";
import type { ChunkQuestion } from "./chunk-process.ts";
import { CHUNKED_LANGUAGES } from "./cut-code.ts";

/** Ten thousand lines take a third of a second; what takes this long is made to, and grows until it is ended. */
const TIMEOUT_MS = 5_000;
/** The process is not worth keeping alive for the next index. */
const IDLE_MS = 2_000;

/**
 * A chunker whose process starts with the first file and ends by itself when idle. Files are cut one at a time.
 *
 * @param timeoutMs a file that takes longer is left out, and says so
 */
export function astChunker(timeoutMs = TIMEOUT_MS): CodeChunker {
  const start = () => readingChild(new URL("./chunk-process.ts", import.meta.url));
  const reading = readingProcess(start, { ms: timeoutMs, idleMs: IDLE_MS });
  return {
    languages: new Set(CHUNKED_LANGUAGES),
    async chunks(path, language, text) {
      const result = await reading.ask<CodeChunks>({ path, language, text } satisfies ChunkQuestion);
      return "answer" in result ? result.answer : { chunks: [], skipped: [whyNone(result.silence, timeoutMs)] };
    },
  };
}

function whyNone(silence: Silence, ms: number): string {
  if (silence === "too long") return `parsing took longer than ${ms / 1_000} s`;
  return silence === "ended" ? "the parser ended without an answer" : "the parser cannot be started";
}
