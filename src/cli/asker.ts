// Set-up's questions: prompts in a terminal; elsewhere the default, or an error that names the flag.
import { cancel, confirm, isCancel, text } from "@clack/prompts";
import { UsageError } from "./usage.ts";

/** Asks the user, or answers with the defaults. */
export interface Asker {
  /** @throws UsageError naming the flag if there is no terminal to ask at and no default */
  text(
    question: string,
    flag: string,
    fallback: string | null,
    problem: (word: string) => string | null,
  ): Promise<string>;
  /** `fallback` without a terminal. */
  confirm(question: string, fallback: boolean): Promise<boolean>;
}

/** A pipe cannot answer, and `--yes` turns questions off. */
export function askerFor(isQuiet: boolean): Asker {
  return !isQuiet && process.stdin.isTTY === true && process.stdout.isTTY === true ? TERMINAL : NO_TERMINAL;
}

/** Ctrl-C at a question: not an error, and the completed steps stay. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

const TERMINAL: Asker = {
  async text(message, _flag, fallback, problem) {
    const initial = fallback === null ? {} : { initialValue: fallback };
    const word = await text({ message, ...initial, validate: (typed) => problem((typed ?? "").trim()) ?? undefined });
    return answered(word).trim();
  },
  confirm: async (message, initialValue) => answered(await confirm({ message, initialValue })),
};

const NO_TERMINAL: Asker = {
  async text(_question, flag, fallback, problem) {
    if (fallback === null)
      throw new UsageError(`needs ${flag}, because there is no terminal to ask at, or --yes was given`);
    const wrong = problem(fallback);
    if (wrong !== null) throw new UsageError(`${flag} ${wrong}`);
    return fallback;
  },
  confirm: async (_question, fallback) => fallback,
};

function answered<T>(answer: T): Exclude<T, symbol> {
  if (!isCancel(answer)) return answer as Exclude<T, symbol>;
  cancel("Stopped. Completed steps stay; run the command again to resume.");
  throw new Cancelled("stopped");
}
