// Rules in a process of their own: a parse cannot be interrupted from within, and a source of a hundred kilobytes can be
// written so that it takes ten seconds or a gigabyte. Meanwhile this process answers webhooks.
import type { ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { oneAtATime } from "../../domain/one-at-a-time.ts";
import type { InspectedFile, Inspection, Inspector } from "../../ports.ts";
import { groupBySize } from "../group-by-size.ts";
import { askChild, readingChild, residentBytes, type Silence } from "../reading-child.ts";
import type { InspectQuestion } from "./inspect-process.ts";
import { joinInspections } from "./join-inspections.ts";

interface InspectLimits {
  /** For one message. A usual change takes some tens of milliseconds, the worst that got through 3 s. */
  readonly fileMs: number;
  /** Resident, of the process that reads, while it reads. */
  readonly bytes: number;
  /** What it may hold afterwards: memory that grammars took does not come back. It needs some 150 MB. */
  readonly restingBytes: number;
  /** Files that may end the process; after that only lines of the review's other files are read. */
  readonly stuckFiles: number;
}

const MB = 1024 * 1024;
const LIMITS: InspectLimits = { fileMs: 5_000, bytes: 340 * MB, restingBytes: 240 * MB, stuckFiles: 3 };
/** Starting takes a second, and several on a machine that has much to do. */
const STARTS = 6;

/** An inspector with a process beside it. */
export interface IsolatedInspector extends Inspector {
  /** Ends the process. */
  close(): void;
}

type Rules = Extract<InspectQuestion, { readonly kind: "rules" }>;

/**
 * The reviewer without a model. Its process starts at once and stays; when a file gets it stuck it is ended and started
 * again, and the file is read by the rules that need no syntax tree.
 *
 * @param over other limits; in tests only
 */
export function isolatedInspector(over: Partial<InspectLimits> = {}): IsolatedInspector {
  const limits = { ...LIMITS, ...over };
  let child: ChildProcess | null = start();
  /** The rules that the process holds now. */
  let holds: Rules | null = null;
  let isOpen = true;
  /** One question at a time, for all reviews together. */
  const inTurn = oneAtATime();

  const end = () => {
    child?.kill("SIGKILL");
    [child, holds] = [null, null];
  };

  async function asked(question: InspectQuestion): Promise<Inspection | string> {
    child ??= start();
    const answer = await answerOf(child, question, limits);
    if (typeof answer === "string" || (await residentBytes(child?.pid)) > limits.restingBytes) {
      end();
      // The next file finds it ready.
      if (isOpen) child = start();
    }
    return answer;
  }

  async function prepared(rules: Rules): Promise<Inspection | string> {
    if (holds === rules) return NOTHING;
    const problems = await asked(rules);
    holds = typeof problems === "string" ? null : rules;
    return problems;
  }

  const ask = (rules: Rules, files: readonly InspectedFile[], onlyLines = false) =>
    inTurn(async () => {
      const ready = await prepared(rules);
      return typeof ready === "string" ? ready : asked({ kind: "files", files, onlyLines });
    });

  /** One file after the other, where several together got the process stuck. */
  async function oneByOne(rules: Rules, files: readonly InspectedFile[], trouble: Trouble): Promise<Inspection[]> {
    const parts: Inspection[] = [];
    for (const file of files) {
      const whole = trouble.stuck < limits.stuckFiles ? await ask(rules, [file]) : MANY_STUCK;
      if (typeof whole === "string" && whole !== MANY_STUCK) trouble.stuck += 1;
      parts.push(...(typeof whole === "string" ? await byLines(rules, file, whole) : [whole]));
    }
    return parts;
  }

  async function byLines(rules: Rules, file: InspectedFile, why: string): Promise<Inspection[]> {
    const read = await ask(rules, [file], true);
    const lines = typeof read === "string" ? degraded("rules", file, `${read}, lines included`) : read;
    return [degraded("structural-rules", file, why), lines];
  }

  return {
    async inspect(files, settings, customRules, { onRead = () => {} } = {}) {
      const rules: Rules = { kind: "rules", settings, customRules };
      const parts: Inspection[] = [await inTurn(() => prepared(rules)).then(orDegraded)];
      const trouble: Trouble = { stuck: 0 };
      for (const some of groupBySize(files, unitsOf, MESSAGE)) {
        const whole = trouble.stuck < limits.stuckFiles ? await ask(rules, some) : MANY_STUCK;
        parts.push(...(typeof whole === "string" ? await oneByOne(rules, some, trouble) : [whole]));
        onRead(some.length);
      }
      return joinInspections(parts);
    },
    close() {
      isOpen = false;
      end();
    },
  };
}

/** Files of one review for which another process is worth its start. */
const FILES_EACH = 100;

/** An isolated inspector that reads large changes with one process a core; those besides the first end with the review. */
export function parallelInspector(): IsolatedInspector {
  const first = isolatedInspector();
  return {
    async inspect(files, settings, customRules, during) {
      const processes = Math.min(availableParallelism(), Math.max(1, Math.ceil(files.length / FILES_EACH)));
      const each = Math.ceil(files.length / processes);
      const others = Array.from({ length: processes - 1 }, () => isolatedInspector());
      try {
        const parts = [first, ...others].map((inspector, at) =>
          inspector.inspect(files.slice(at * each, (at + 1) * each), settings, customRules, during),
        );
        return joinInspections(await Promise.all(parts));
      } finally {
        for (const other of others) other.close();
      }
    },
    close: first.close,
  };
}

/** How many files of one review ended the process. */
interface Trouble {
  stuck: number;
}

/** UTF-16 units and files that travel in one message: a usual change is one, and costs one way there and back. */
const MESSAGE = { size: 131_072, count: 20 };

function unitsOf({ headText, diff }: InspectedFile): number {
  return headText?.length ?? diff.hunks.length * 1_000;
}

const NOTHING: Inspection = { findings: [], heldBack: [], degraded: [] };
const MANY_STUCK = "not read by rules that need syntax, since other files of this change could not be read in time";

function degraded(part: string, file: InspectedFile, reason: string): Inspection {
  return { ...NOTHING, degraded: [{ part, reason: `${file.diff.path}: ${reason}` }] };
}

function orDegraded(problems: Inspection | string): Inspection {
  return typeof problems === "string" ? { ...NOTHING, degraded: [{ part: "rules", reason: problems }] } : problems;
}

/** Of V8's heap. Syntax trees are outside of it. */
const HEAP = "--max-old-space-size=192";

function start(): ChildProcess {
  return readingChild(new URL("./inspect-process.ts", import.meta.url), [HEAP]);
}

/** What was found, or why nothing could be, as what is said of a file. */
async function answerOf(
  child: ChildProcess,
  question: InspectQuestion,
  { fileMs, bytes }: InspectLimits,
): Promise<Inspection | string> {
  // The first question finds a process that has yet to start.
  const ms = question.kind === "rules" ? STARTS * fileMs : fileMs;
  const result = await askChild<Inspection>(child, question, { ms, bytes });
  if ("answer" in result) return result.answer;
  const said: Readonly<Record<Silence, string>> = {
    "too long": `took longer than ${fileMs / 1_000} s`,
    "too large": `took more than ${Math.round(bytes / MB)} MB`,
    ended: "ended the process that read it",
    "not started": "the process that reads could not be started",
  };
  return said[result.silence];
}
