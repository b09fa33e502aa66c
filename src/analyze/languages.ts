// What language a changed file is written in, and how much of the change each language has: by name, neighbours, contents.
import { canonicalLanguage, UNKNOWN_LANGUAGE } from "../domain/language.ts";
import type { LanguageShare } from "../domain/signals.ts";
import { guessProgram } from "./guess-program.ts";
import { headerLanguage, includedLanguage } from "./header-language.ts";
import { languageFromContent } from "./language-from-content.ts";
import { BY_EXTENSION, BY_FILENAME, LANGUAGE_TYPES, type LanguageType } from "./language-table.ts";
import { preferLanguage } from "./prefer-language.ts";

export interface Language {
  /** Canonical id: `cpp`, `typescript`, or `unknown`. */
  readonly language: string;
  /** What people read: `C++`; TSX is `TypeScript`. "Unknown" when unknown. */
  readonly name: string;
  /** GitHub's own name, or null: `TSX`. */
  readonly linguist: string | null;
  readonly type: LanguageType | "unknown";
}

const UNKNOWN: Language = { language: UNKNOWN_LANGUAGE, name: "Unknown", linguist: null, type: "unknown" };

/** Names whose canonical id stands for a broader language, shown by that language's name. */
const SHOWN = new Map([["TSX", "TypeScript"]]);

/** Basenames that people write in any case, or with a suffix, where linguist knows one spelling. */
const LOOSE_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(?:docker|container)file(?:\.[\w-]+)?$/i, "Dockerfile"],
  [/^(?:gnu)?makefile$/i, "Makefile"],
  [/^cmakelists\.txt$/i, "CMake"],
  [/^jenkinsfile$/i, "Groovy"],
  [/^(?:rake|gem|vagrant|pod|brew)file$/i, "Ruby"],
];

/**
 * The language of one file.
 *
 * @param path any path; only its last two parts matter. `constructor`, `.ts` and `ts` are unknown
 * @param around `siblings`: other paths of the change, which decide whether a `.h` is C, C++ or Objective-C (those of the
 *   same folder speak first); `content`: the first characters of the file or its added lines, where the name leaves a choice;
 *   `partial`: the content is not the file's beginning, so that the absence of a `#!` line says nothing
 * @returns never throws; unknown when nothing tells
 */
export function classifyLanguage(
  path: string,
  around: { readonly siblings?: readonly string[]; readonly content?: string; readonly partial?: boolean } = {},
): Language {
  const siblings = around.siblings ?? [];
  const content = around.content ?? "";
  const mayGuess = content === "" || around.partial === true;
  const name = linguistName(path, siblings, content) ?? (mayGuess ? guessProgram(path, siblings) : undefined);
  return name === undefined ? UNKNOWN : languageNamed(name);
}

/**
 * Whether a language takes part in the shares. Programming and markup do, as in GitHub's own statistics: reviewers speak
 * about their lines. So do the query and schema languages that linguist files under data. JSON, YAML, Markdown do not:
 * a lock file or a page of prose would drown the code it comes with.
 */
export function isCode(language: Language): boolean {
  return language.type === "programming" || language.type === "markup" || CODE_AMONG_DATA.has(language.linguist ?? "");
}

const CODE_AMONG_DATA = new Set(["SQL", "GraphQL", "Protocol Buffer", "CUE", "Thrift", "Pkl"]);

/**
 * Each language's part of the change.
 *
 * @param files the language of each file, with its added plus removed lines
 * @returns largest first, ties by name; shares sum to 1, or [] when no line of code changed
 */
export function languageShares(
  files: readonly { readonly language: Language; readonly changedLines: number }[],
): readonly LanguageShare[] {
  const found = new Map<string, { name: string; files: number; changedLines: number }>();
  for (const { language, changedLines } of files) {
    if (!isCode(language)) continue;
    const share = found.get(language.language) ?? { name: language.name, files: 0, changedLines: 0 };
    share.files++;
    share.changedLines += Math.max(0, changedLines);
    found.set(language.language, share);
  }
  const total = [...found.values()].reduce((sum, share) => sum + share.changedLines, 0);
  if (total === 0) return [];
  return [...found]
    .map(([language, share]) => ({ language, ...share, share: share.changedLines / total }))
    .sort((a, b) => b.changedLines - a.changedLines || (a.name < b.name ? -1 : 1));
}

function languageNamed(name: string): Language {
  return {
    language: canonicalLanguage(name),
    name: SHOWN.get(name) ?? name,
    linguist: name,
    type: LANGUAGE_TYPES.get(name) ?? "unknown",
  };
}

function linguistName(path: string, siblings: readonly string[], content: string): string | undefined {
  const base = basename(path);
  const byName = BY_FILENAME.get(base);
  if (byName?.length === 1) return byName[0];
  const loose = LOOSE_NAMES.find(([pattern]) => pattern.test(base));
  if (loose !== undefined) return loose[1];

  const extension = knownExtension(base);
  const candidates = byName ?? BY_EXTENSION.get(extension) ?? [];
  if (candidates.length === 1) return candidates[0];
  const told = content === "" ? undefined : languageFromContent(extension, candidates, content);
  if (told !== undefined) return told;
  if (extension === ".h") return headerLanguage(path, siblings);
  const included = extension === ".inc" ? includedLanguage(path, siblings) : undefined;
  if (included !== undefined) return included;
  if (candidates.length > 0) return preferLanguage(extension, candidates, isProgramming);
  return undefined;
}

/** The longest extension that the table knows: `.blade.php` before `.php`; "" when none. A leading dot starts a name. */
function knownExtension(base: string): string {
  const lower = base.toLowerCase();
  for (let dot = lower.indexOf(".", 1); dot !== -1; dot = lower.indexOf(".", dot + 1)) {
    const extension = lower.slice(dot);
    if (BY_EXTENSION.has(extension)) return extension;
  }
  return "";
}

function isProgramming(name: string): boolean {
  return LANGUAGE_TYPES.get(name) === "programming";
}

function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
