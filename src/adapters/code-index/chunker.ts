// Chunks of code from a process of its own: a parse cannot be interrupted from within, and some texts never end.
import type { ChildProcess } from "node:child_process";
import type { CodeChunker, CodeChunks } from "../../ports/memory.ts";
import { askChild, readingChild } from "../reading-child.ts";
import type { ChunkQuestion } from "./chunk-process.ts";
import { CHUNKED_LANGUAGES } from "./cut-code.ts";

/** Ten thousand lines take a third of a second; what takes this long is made to, and grows until it is ended. */
const TIMEOUT_MS = 5_000;
/** The process is not worth keeping alive for the next index. */
const IDLE_MS = 2_000;

/**
 * A chunker whose process starts with the first file and ends by itself when nobody asks. Files are cut one at a time.
 *
 * @param timeoutMs a file that takes longer is left out, and says so
 */
export function astChunker(timeoutMs = TIMEOUT_MS): CodeChunker {
  let child: ChildProcess | null = null;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const end = () => {
    child?.kill("SIGKILL");
    child = null;
  };
  const ask = async (question: ChunkQuestion): Promise<CodeChunks> => {
    clearTimeout(idle);
    child ??= start();
    const answer = await answerOf(child, question, timeoutMs);
    if (typeof answer === "string") {
      end();
      return { chunks: [], skipped: [answer] };
    }
    idle = setTimeout(end, IDLE_MS).unref();
    return answer;
  };
  return {
    languages: new Set(CHUNKED_LANGUAGES),
    chunks(path, language, text) {
      const next = last.then(() => ask({ path, language, text }));
      last = next;
      return next;
    },
  };
}

function start(): ChildProcess {
  return readingChild(new URL("./chunk-process.ts", import.meta.url));
}

/** The chunks, or why there are none. */
async function answerOf(child: ChildProcess, question: ChunkQuestion, ms: number): Promise<CodeChunks | string> {
  const told = await askChild<CodeChunks>(child, question, { ms });
  if ("answer" in told) return told.answer;
  if (told.silence === "too long") return `parsing took longer than ${ms / 1_000} s`;
  return told.silence === "ended" ? "the parser ended without an answer" : "the parser cannot be started";
}
