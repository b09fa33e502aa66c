// The grammars that come with Kodiai. ast-grep accepts dynamic languages once per process and
// silently ignores a second registration, so all of them are registered here and nowhere else.
import go from "@ast-grep/lang-go";
import java from "@ast-grep/lang-java";
import php from "@ast-grep/lang-php";
import python from "@ast-grep/lang-python";
import ruby from "@ast-grep/lang-ruby";
import rust from "@ast-grep/lang-rust";
import { kind, parse, parseAsync, registerDynamicLanguage, type SgNode } from "@ast-grep/napi";

registerDynamicLanguage({ go, java, php, python, ruby, rust });

/** Larger files are not parsed: parsing is linear, but the rules' queries add up. */
const MAX_TEXT = 262_144;
/** A longer line is minified or data. Written code stays far below. */
const MAX_LINE = 20_000;

/** ast-grep's name of a grammar, by canonical language id; the path decides TypeScript. */
const GRAMMARS: ReadonlyMap<string, string> = new Map([
  ["javascript", "JavaScript"],
  ["typescript", "TypeScript"],
  ["tsx", "Tsx"],
  ["python", "python"],
  ["go", "go"],
  ["java", "java"],
  ["ruby", "ruby"],
  ["rust", "rust"],
  ["php", "php"],
]);

/** The grammar for a rule's language key (`typescript`, `tsx`, `go`, …); null without one. */
export function grammarOf(language: string): string | null {
  return GRAMMARS.get(language) ?? null;
}

/** A grammar's number of a kind of node, 0 for none: ast-grep compiles nothing to compare it. */
export function kindNumber(language: string, name: string): number {
  return kind(knownGrammar(language), name);
}

/** Parses a text with the grammar of a language key. Throws without such a grammar. */
export function parseText(language: string, text: string): SgNode {
  return parse(knownGrammar(language), text).root();
}

/** The same on another thread. */
export async function parseAside(language: string, text: string): Promise<SgNode> {
  return (await parseAsync(knownGrammar(language), text)).root();
}

function knownGrammar(language: string): string {
  const grammar = grammarOf(language);
  if (grammar === null) throw new Error(`no grammar for ${language}`);
  return grammar;
}

/** Why a text is not parsed, or null when it is. */
export function unfit(text: string): string | null {
  if (text.length > MAX_TEXT) return "larger than 256 KiB";
  const isLong = text.split("\n").some((line) => line.length > MAX_LINE);
  return isLong ? `a line is longer than ${MAX_LINE} characters` : null;
}
