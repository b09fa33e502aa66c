// Set-up's questions: prompts in a terminal; elsewhere the default, or an error naming the flag.

import { cancel, confirm, isCancel, text } from "@clack/prompts";
import { UsageError } from "../config/usage-error.ts";

export type Asker = ReturnType<typeof askerFor>;

/** A pipe cannot answer. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** `--yes` turns questions off. */
export function askerFor(isQuiet: boolean) {
  const asks = !isQuiet && canAsk();
  return {
    /** @throws UsageError naming the flag if there is no terminal to ask at */
    async text(message: string, flag: string, problem: (word: string) => string | null): Promise<string> {
      if (!asks) throw new UsageError(`needs ${flag}, because there is no terminal to ask at, or --yes was given`);
      const word = await text({ message, validate: (typed) => problem((typed ?? "").trim()) ?? undefined });
      return answered(word).trim();
    },
    async confirm(message: string, initialValue: boolean): Promise<boolean> {
      return asks ? answered(await confirm({ message, initialValue })) : initialValue;
    },
  };
}

/** Ctrl-C at a question: not an error, and the completed steps stay. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (!isCancel(answer)) return answer as Exclude<T, symbol>;
  cancel("Stopped. Completed steps stay; run the command again to resume.");
  throw new Cancelled("stopped");
}
