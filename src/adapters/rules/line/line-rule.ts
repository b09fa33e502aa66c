// The common shape of rules that read one added line at a time.
import { isPipelinePath, isShownPath } from "../../../domain/code/paths.ts";
import type { InspectedFile } from "../../../ports.ts";
import { addedLines, type KnownLine } from "../known-lines.ts";
import type { LineRule, Match } from "../rule.ts";

/** Whether a line is one to speak about, or what exactly was found there. */
type Search = (text: string, at: KnownLine) => boolean | string | null;
/** UTF-16 units of a line that a pattern reads at once: time grows with the line only. */
const PIECE = 4000;
/** More than any pattern matches. */
const OVERLAP = 400;
type Files = (file: InspectedFile) => boolean;

/**
 * Matches of one search over the added lines.
 *
 * @param search a pattern, looked for outside comments, or a function that gets every line
 */
export function searchLines(file: InspectedFile, search: RegExp | Search): Match[] {
  const matches: Match[] = [];
  for (const at of addedLines(file)) {
    for (const text of piecesOf(at.text)) {
      const hit = search instanceof RegExp ? !isComment(text) && search.test(text) : search(text, at);
      if (!hit) continue;
      matches.push(matchAt(at.line, hit === true ? undefined : hit));
      break;
    }
  }
  return matches;
}

/** The line; a long one in pieces, which begin with an ellipsis where something is before them. */
export function piecesOf(text: string): readonly string[] {
  if (text.length <= PIECE) return [text];
  const pieces = Array.from({ length: Math.ceil(text.length / (PIECE - OVERLAP)) }, (_, at) => {
    const from = at * (PIECE - OVERLAP);
    return `${at === 0 ? "" : "…"}${text.slice(from, from + PIECE)}`;
  });
  return isComment(text) ? [] : pieces;
}

/** Speaks about a line outside comments in which one of these occurs. */
export function anyOf(...patterns: readonly RegExp[]): Search {
  return (text) => !isComment(text) && patterns.some((pattern) => pattern.test(text));
}

/** The check of a rule that searches the lines of some files. */
export function linesOf(files: Files, search: RegExp | Search): LineRule["check"] {
  return (file) => (files(file) ? searchLines(file, search) : []);
}

function named(path: RegExp): Files {
  return (file) => path.test(file.facts.path);
}

/** A match on one line. */
export function matchAt(line: number, detail?: string): Match {
  return { startLine: line, line, detail };
}

/** True for a line that only a comment fills, in any language of configuration and scripts. */
export function isComment(text: string): boolean {
  return /^\s*(?:#(?!!)|\/\/|\/?\*|;|--(?=[-\s]|$)|<!--|%|rem\s)/i.test(text);
}

const SCRIPT =
  /\.(?:sh|bash|zsh|ksh|ps1|bat|cmd|mk|dockerfile)$|(?:^|\/)(?:Dockerfile|Containerfile|Makefile|GNUmakefile|Jenkinsfile|Vagrantfile|justfile)[^/]*$/i;
/** Configuration and environment files, Dockerfiles included. */
export const isConfig = named(
  /\.(?:ya?ml|json|jsonc|json5|toml|ini|cfg|cnf|conf|config|properties|env|tfvars|tf|hcl|xml|plist|npmrc|netrc|pypirc)$|(?:^|\/)\.(?:env|npmrc|netrc|pypirc)(?:\.[\w-]+)?$|(?:^|\/)(?:Dockerfile|Containerfile)[^/]*$|\.dockerfile$/i,
);

/** Shell scripts, Makefiles, Dockerfiles, pipelines: files whose lines are commands. */
export function holdsCommands(file: InspectedFile): boolean {
  return SCRIPT.test(file.facts.path) || isPipelinePath(file.facts.path) || file.facts.language === "shell";
}

/** Workflows and actions of GitHub Actions. */
export const isWorkflow = named(/(?:^|\/)\.github\/(?:workflows|actions)\/.+\.ya?ml$|(?:^|\/)action\.ya?ml$/i);

/** Tests, and files that show or measure: documentation, samples, templates, benchmarks. */
export function isAside({ facts: { kind, path, isServing } }: InspectedFile): boolean {
  if (isServing === true) return false;
  return kind === "test" || kind === "docs" || isShownPath(path);
}
