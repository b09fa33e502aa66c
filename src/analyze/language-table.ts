// GitHub's language data (linguist), unpacked once into maps. The packed table is generated:
// scripts/generate-languages.ts.
import { canonicalLanguage } from "../domain/language.ts";
import packed from "./language-table.json" with { type: "json" };

/** `programming` is code, `markup` is HTML and the like, `data` is JSON and the like, `prose` is text for people. */
export type LanguageType = "programming" | "markup" | "data" | "prose";

interface Packed {
  readonly type: string;
  readonly extensions?: string;
  readonly filenames?: string;
  readonly interpreters?: string;
}

const LANGUAGES = Object.entries(packed.languages as Readonly<Record<string, Packed>>);

/** Every linguist name with its type. */
export const LANGUAGE_TYPES: ReadonlyMap<string, LanguageType> = new Map(
  LANGUAGES.map(([name, { type }]) => [name, type as LanguageType]),
);

/** Lower-cased extension with its dot (`.ts`, `.blade.php`) → the linguist names that claim it. */
export const BY_EXTENSION = claims((language) => language.extensions?.toLowerCase());

/** Exact basename (`Gemfile`) → linguist names. */
export const BY_FILENAME = claims((language) => language.filenames);

/** Interpreter of a `#!` line → linguist names. */
export const BY_INTERPRETER = claims((language) => language.interpreters);

/** Canonical id → linguist name, for words in modelines. When two names share an id, the first by name. */
export const BY_ID: ReadonlyMap<string, string> = new Map(
  LANGUAGES.toReversed().map(([name]) => [canonicalLanguage(name), name]),
);

function claims(words: (language: Packed) => string | undefined): ReadonlyMap<string, readonly string[]> {
  const all = LANGUAGES.flatMap(
    ([name, one]) =>
      words(one)
        ?.split(" ")
        .map((word) => ({ word, name })) ?? [],
  );
  const byWord = Map.groupBy(all, ({ word }) => word);
  return new Map([...byWord].map(([word, claimed]) => [word, [...new Set(claimed.map(({ name }) => name))]]));
}
