// The other side of symbols.ts: texts in, their words, definitions and references out, in a process
// that can be ended while a grammar is stuck.
import type { Definition, Reference } from "../../domain/code/symbols.ts";
import { answerMessages } from "../reading-child.ts";
import { fileLinks } from "./file-links.ts";
import { fileDefinitions, fileReferences } from "./file-symbols.ts";
import { wordIndex } from "./word-index.ts";

export interface SymbolFile {
  readonly path: string;
  readonly text: string;
}

export type SymbolsQuestion =
  | { readonly kind: "words"; readonly texts: readonly string[] }
  | { readonly kind: "links"; readonly files: readonly SymbolFile[]; readonly called: ReadonlySet<string> }
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

answerMessages((question: SymbolsQuestion) => {
  if (question.kind === "words") return question.texts.map(wordIndex);
  if (question.kind === "links") return question.files.map(({ path, text }) => fileLinks(path, text, question.called));
  return question.files.map((file) => read(file, question.defined, question.used));
});
