// Decides between several possible languages by the file's content: `#!` lines, editor modelines, then one distinctive
// word each. The text is untrusted and cut to a few thousand characters, and every pattern reads a line in one pass.
import { nameOf } from "../domain/code/paths.ts";
import { canonicalLanguage } from "../domain/language.ts";
import { BY_EXTENSION, BY_ID, BY_INTERPRETER } from "./language-table.ts";
import { tellingWords } from "./telling-words.ts";

/**
 * The decisive part is at the top. Linguist reads far more; nineteen in twenty of its samples are decided by this much.
 */
const READ = 2000;

const XML = /^\uFEFF?\s{0,20}<\?xml[ \t]/;

/**
 * The language that the text itself indicates.
 *
 * @param extension the longest known extension, lower-cased with its dot, or "" when the name has none
 * @param candidates linguist names that claim the extension; distinctive words apply only to these
 * @param content the beginning of the file, or its known lines; only the first 2,000 characters are read
 * @returns a linguist name, or undefined when undecided
 */
export function languageFromContent(
  extension: string,
  candidates: readonly string[],
  content: string,
): string | undefined {
  const head = content.slice(0, READ).replaceAll("\r", "");
  if (candidates.length > 1) {
    if (candidates.includes("XML") && XML.test(head)) return "XML";
    const match = tellingWords(extension).find(
      ({ language, pattern }) => candidates.includes(language) && pattern.test(head),
    );
    const mode = fromModeline(head);
    return match?.language ?? candidates.find((candidate) => candidate === mode);
  }
  return fromShebang(head) ?? fromModeline(head);
}

/** `#!/usr/bin/env -S python3 -u` → Python. An interpreter of several languages counts for its first. */
function fromShebang(head: string): string | undefined {
  const line = /^\uFEFF?#![ \t]*([^\n]{1,300})/.exec(head)?.[1];
  if (line === undefined) return undefined;
  const words = line.split(/\s+/);
  const program = nameOf(words[0] ?? "");
  const word =
    program === "env" ? words.slice(1).find((each) => !each.startsWith("-") && !each.includes("=")) : program;
  const interpreter = nameOf(word ?? "");
  const names = BY_INTERPRETER.get(interpreter) ?? BY_INTERPRETER.get(interpreter.replace(/[\d.]{1,20}$/, ""));
  return names?.includes("JavaScript") ? "JavaScript" : names?.includes("Perl") ? "Perl" : names?.[0];
}

/** `-*- mode: perl -*-` of Emacs and `vim: set ft=perl` on the first five lines. */
function fromModeline(head: string): string | undefined {
  const top = head
    .split("\n", 5)
    .map((line) => line.slice(0, 300))
    .join("\n");
  const word =
    /-\*-[^\n]{0,80}?\bmode:\s*([\w+#-]{1,40})/i.exec(top)?.[1] ??
    /-\*-\s*([\w+#-]{1,40})\s*-\*-/.exec(top)?.[1] ??
    /\b(?:vim?|ex):[^\n]{0,80}?\b(?:ft|filetype|syntax)=([\w+#-]{1,40})/.exec(top)?.[1];
  if (word === undefined) return undefined;
  return BY_ID.get(canonicalLanguage(word)) ?? BY_EXTENSION.get(`.${word.toLowerCase()}`)?.[0];
}
