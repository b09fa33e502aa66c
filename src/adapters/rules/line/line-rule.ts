// The common shape of rules that read one added line at a time.
import type { InspectedFile } from "../../../ports.ts";
import type { Match } from "../rule.ts";
import { addedLines, type KnownLine, LONGEST_WRITTEN_LINE } from "./known-lines.ts";

/** What was found in a line; `replacement` is the whole line as it should be. */
export interface Hit {
  readonly detail?: string;
  readonly replacement?: string;
}

/**
 * Matches of one search over the added lines that a person may have written.
 *
 * @param search gets the text and its place; null when there is nothing to say
 */
export function searchLines(file: InspectedFile, search: (text: string, at: KnownLine) => Hit | null): Match[] {
  const matches: Match[] = [];
  for (const at of addedLines(file)) {
    if (at.text.length > LONGEST_WRITTEN_LINE) continue;
    const hit = search(at.text, at);
    if (hit !== null) matches.push(matchAt(at.line, hit));
  }
  return matches;
}

/** The search of most rules: one pattern, outside comments. */
export function byPattern(pattern: RegExp, detail?: string): (text: string) => Hit | null {
  return (text) => (isComment(text) || !pattern.test(text) ? null : { detail });
}

/** A match on one line. */
export function matchAt(line: number, hit: Hit): Match {
  const suggestion = hit.replacement === undefined ? undefined : { startLine: line, line, text: hit.replacement };
  return { startLine: line, line, detail: hit.detail, suggestion };
}

/** True for a line that only a comment fills, in any of the languages that configuration and scripts are written in. */
export function isComment(text: string): boolean {
  return /^\s*(?:#(?!!)|\/\/|\/?\*|;|--(?=[-\s]|$)|<!--|%|rem\s)/i.test(text);
}

const CONFIG =
  /\.(?:ya?ml|json|jsonc|json5|toml|ini|cfg|cnf|conf|config|properties|env|tfvars|tf|hcl|xml|plist|npmrc|netrc|pypirc)$|(?:^|\/)\.(?:env|npmrc|netrc|pypirc)(?:\.[\w-]+)?$|(?:^|\/)(?:Dockerfile|Containerfile)[^/]*$|\.dockerfile$/i;
const SCRIPT =
  /\.(?:sh|bash|zsh|ksh|ps1|bat|cmd|mk|dockerfile)$|(?:^|\/)(?:Dockerfile|Containerfile|Makefile|GNUmakefile|Jenkinsfile|Vagrantfile|justfile)[^/]*$/i;
const PIPELINE =
  /(?:^|\/)(?:\.github\/(?:workflows|actions)\/.+|\.gitlab-ci[^/]*|\.gitlab\/.+|azure-pipelines[^/]*|\.travis|appveyor|\.circleci\/config|bitbucket-pipelines|cloudbuild|\.drone|buildspec|\.woodpecker[^/]*|action)\.ya?ml$/i;
const WORKFLOW = /(?:^|\/)\.github\/(?:workflows|actions)\/.+\.ya?ml$|(?:^|\/)action\.ya?ml$/i;

/** Configuration and environment files, Dockerfiles included. */
export function isConfig(file: InspectedFile): boolean {
  return CONFIG.test(file.facts.path);
}

/** Shell scripts, Makefiles, Dockerfiles, pipelines: files whose lines are commands. */
export function holdsCommands(file: InspectedFile): boolean {
  return SCRIPT.test(file.facts.path) || PIPELINE.test(file.facts.path) || file.facts.language === "shell";
}

/** Workflows and actions of GitHub Actions. */
export function isWorkflow(file: InspectedFile): boolean {
  return WORKFLOW.test(file.facts.path);
}

/** Files that show rather than run: documentation, samples, templates to copy. */
export function isSampleFile(file: InspectedFile): boolean {
  return (
    file.facts.kind === "docs" ||
    /\.(?:example|sample|template|tmpl|dist|tpl)$|(?:^|[/._-])(?:examples?|samples?|templates?|demos?|fixtures?|testdata|mocks?|__snapshots__)(?:[/._-]|$)/i.test(
      file.facts.path,
    )
  );
}
