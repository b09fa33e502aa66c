// A YAML parser's complaint in words that tell a person what to do.
import type { ErrorCode } from "yaml";
import { shown } from "./located.ts";

const TEXTS: Partial<Record<ErrorCode, string>> = {
  BAD_INDENT: "the indentation does not fit; keys of one level begin in the same column",
  TAB_AS_INDENT: "a tab stands where spaces are needed; indent with spaces",
  MULTILINE_IMPLICIT_KEY: "a key goes over several lines; is a `:` or a closing quote missing?",
  BLOCK_AS_IMPLICIT_KEY: "two `key: value` stand on one line; put text that holds `: ` in quotes",
  MISSING_CHAR: "a character is missing; is a quote, a bracket or the space after `:` or `-` left out?",
  UNEXPECTED_TOKEN: "something stands where it does not belong; put text with special characters in quotes",
  BAD_SCALAR_START: "text cannot begin with this character; put it in quotes",
  BAD_DQ_ESCAPE: "an escape in double quotes is not known; use single quotes for text with backslashes",
  BAD_ALIAS: "`*` begins an alias; put globs such as `*.md` in quotes",
  MULTIPLE_DOCS: "it holds more than one document; remove everything from the second `---` on",
  RESOURCE_EXHAUSTION: "it is nested too deeply",
  KEY_OVER_1024_CHARS: "a key is longer than 1,024 characters",
};

const OPEN_BRACKET = "a `[` or `{` is not closed, or what follows it is not indented";

/**
 * @param code the `yaml` library's error code
 * @param original its own words, quoted in part when we have none of ours
 */
export function yamlErrorText(code: ErrorCode, original: string): string {
  const text = original.startsWith("Flow ") ? OPEN_BRACKET : (TEXTS[code] ?? shown(original.split("\n", 1)[0] ?? ""));
  return `not valid YAML, so the whole file is left aside: ${text}`;
}
