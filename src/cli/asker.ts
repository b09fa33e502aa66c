// Questions to whoever set-up is run by: in a terminal with prompts, elsewhere with the default or not at all.
import { cancel, confirm, isCancel, text } from "@clack/prompts";
import { UsageError } from "./usage.ts";

/** Asks a person, or stands in for one. */
export interface Asker {
  readonly isPerson: boolean;
  /** @throws UsageError naming the flag where nobody can be asked and there is no default */
  text(
    question: string,
    flag: string,
    fallback: string | null,
    problem: (word: string) => string | null,
  ): Promise<string>;
  /** `fallback` where nobody can be asked. */
  confirm(question: string, fallback: boolean): Promise<boolean>;
}

/** Nobody types into a pipe; and `--yes` says not to ask. */
export function askerFor(isQuiet: boolean): Asker {
  return !isQuiet && process.stdin.isTTY === true && process.stdout.isTTY === true ? TERMINAL : NOBODY;
}

/** Ctrl-C at a question: nothing is wrong, and what was done so far stays. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

const TERMINAL: Asker = {
  isPerson: true,
  async text(message, _flag, fallback, problem) {
    const initial = fallback === null ? {} : { initialValue: fallback };
    const word = await text({ message, ...initial, validate: (typed) => problem((typed ?? "").trim()) ?? undefined });
    return answered(word).trim();
  },
  confirm: async (message, initialValue) => answered(await confirm({ message, initialValue })),
};

const NOBODY: Asker = {
  isPerson: false,
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
  cancel("Stopped. What was done stays; run the command again to go on.");
  throw new Cancelled("stopped");
}
