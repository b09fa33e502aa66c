// The other side of symbols.ts: texts in, their words, definitions and references out, in a process that can be ended while a
// grammar is stuck.
import type { Definition, Reference } from "../../domain/code/symbols.ts";
import { fileDefinitions, fileReferences } from "./file-symbols.ts";
import { type WordIndex, wordIndex } from "./word-index.ts";

export interface SymbolFile {
  readonly path: string;
  readonly text: string;
}

export type SymbolsQuestion =
  | { readonly kind: "words"; readonly texts: readonly string[] }
  | {
      readonly kind: "read";
      readonly files: readonly SymbolFile[];
      /** Whose definitions are wanted; null: everything that can enclose a line. */
      readonly defined: ReadonlySet<string> | null;
      readonly used: ReadonlySet<string>;
    };

/** One for each file of the question. */
export interface ReadSymbols {
  readonly definitions: readonly Definition[];
  readonly references: ReadonlyMap<string, readonly Reference[]>;
}

/** Of one name in one file. */
const MOST_REFERENCES = 10;

function read({ path, text }: SymbolFile, defined: ReadonlySet<string> | null, used: ReadonlySet<string>): ReadSymbols {
  const all = fileDefinitions(path, text, defined ?? undefined);
  return {
    definitions: defined === null ? all : all.filter(({ name }) => defined.has(name)),
    references: used.size === 0 ? new Map() : fileReferences(path, text, used, MOST_REFERENCES),
  };
}

process.on("message", (question: SymbolsQuestion) => {
  const answer: readonly WordIndex[] | readonly ReadSymbols[] =
    question.kind === "words"
      ? question.texts.map(wordIndex)
      : question.files.map((file) => read(file, question.defined, question.used));
  process.send?.(answer);
});
// The parent is gone: nobody asks any more.
process.on("disconnect", () => process.exit(0));
