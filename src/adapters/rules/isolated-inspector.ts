// Rules in a process of their own: a parse cannot be interrupted from within, and 100 kB can take
// ten seconds or a gigabyte. Meanwhile this process answers webhooks.
import type { InspectedFile, Inspection, Inspector } from "../../ports.ts";
import { groupBySize } from "../group-by-size.ts";
import { type ReadingLimits, readingChild, readingProcess, type Silence } from "../reading-child.ts";
import type { InspectQuestion } from "./inspect-process.ts";
import { joinInspections, onlyDegraded } from "./inspection.ts";

const MB = 1024 * 1024;
/**
 * A usual change takes some tens of milliseconds, the slowest one measured 3 s; the process rests
 * at some 150 MB. After three files that ended it only lines of the review's other files are read.
 */
const LIMITS: ReadingLimits = {
  ...{ ms: 5_000, bytes: 340 * MB, restingBytes: 240 * MB, stuckFiles: 3 },
  ...{ idleMs: null, reviewMs: Number.POSITIVE_INFINITY },
};

/** An inspector with a process beside it. */
export interface IsolatedInspector extends Inspector {
  close(): void;
}

/**
 * The reviewer without a model. Its process starts at once and stays; when a file gets it stuck it
 * is ended and started again, and the file is read by the rules that need no syntax tree.
 *
 * @param over other limits; in tests only
 */
export function isolatedInspector(over: Partial<ReadingLimits> = {}): IsolatedInspector {
  const limits = { ...LIMITS, ...over };
  const reading = readingProcess(start, limits);
  void reading.begin();

  return {
    async inspect(files, settings, customRules) {
      const reader = reading.reader();
      const parts: Inspection[] = [];

      /** What was found, or why nothing could be, as the end of a sentence about the files. */
      async function ask(some: readonly InspectedFile[], onlyLines = false): Promise<Inspection | string> {
        const question: InspectQuestion = { files: some, settings, customRules, onlyLines };
        const result = await reader.ask<Inspection>(question, onlyLines ? 0 : some.length);
        return "answer" in result ? result.answer : whyNone(result.silence, limits);
      }

      async function askOne(file: InspectedFile): Promise<void> {
        const whole = await ask([file]);
        if (typeof whole !== "string") return void parts.push(whole);
        const lines = await ask([file], true);
        const { path } = file.diff;
        parts.push(onlyDegraded({ part: "structural-rules", reason: `${path}: ${whole}`, paths: [path] }));
        parts.push(
          typeof lines === "string"
            ? onlyDegraded({ part: "rules", reason: `${path}: ${lines}, lines included`, paths: [path] })
            : lines,
        );
      }

      // Without files: what is wrong with the repository's own rules.
      const problems = await ask([]);
      parts.push(typeof problems === "string" ? onlyDegraded({ part: "rules", reason: problems }) : problems);
      for (const some of groupBySize(files, unitsOf, MESSAGE)) {
        const whole = some.length === 1 ? null : await ask(some);
        if (whole !== null && typeof whole !== "string") parts.push(whole);
        // Several together got the process stuck: one after the other.
        else for (const file of some) await askOne(file);
      }
      return joinInspections(parts);
    },
    close: reading.end,
  };
}

/** UTF-16 units and files of one message. A usual change is one message. */
const MESSAGE = { size: 131_072, count: 20 };

function unitsOf({ headText, diff }: InspectedFile): number {
  return headText?.length ?? diff.hunks.length * 1_000;
}

/** Of V8's heap. Syntax trees are outside of it. */
const HEAP = "--max-old-space-size=192";

function start() {
  return readingChild(new URL("./inspect-process.ts", import.meta.url), [HEAP]);
}

function whyNone(silence: Silence, { ms, bytes }: ReadingLimits): string {
  const reasons: Readonly<Record<Silence, string>> = {
    "too long": `took longer than ${ms / 1_000} s`,
    "too large": `took more than ${Math.round(bytes / MB)} MB`,
    ended: "ended the process that read it",
    "not started": "the process that reads could not be started",
    "given up": "not read by rules that need syntax, since other files of this change could not be read in time",
  };
  return reasons[silence];
}
