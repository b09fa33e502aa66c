// Classifies whole changes. A class applies only when every changed file belongs to it; a single
// other file makes the change worth a search.
import { isLockFile } from "../../domain/code/paths.ts";
import type { LeftOut } from "../../domain/omissions.ts";
import type { DiffLine, FileDiff, Hunk, PullRequestContext } from "../../domain/pull-request.ts";
import type { FileFacts, Risk } from "../../domain/signals.ts";

type ChangedFiles = Pick<PullRequestContext, "files" | "leftOut">;

/** Every changed path, reviewed or left out. */
export function changedPaths({ files, leftOut }: ChangedFiles): readonly string[] {
  return [...files, ...leftOut].map(({ path }) => path);
}

/** Reasons of left-out files that belong to a class; any other reason may hide something. */
const LEFT_OUT: readonly (readonly [RegExp, "lock" | "made" | "empty"])[] = [
  [/^lock file$/, "lock"],
  [
    /^(?:vendored|build output|installed packages|type declarations|minified|source map|test snapshot|generated)\b/,
    "made",
  ],
  [/^(?:binary|submodule|symbolic link|Git LFS pointer)$|^pathFilters: |^no glob of pathFilters matches$/, "empty"],
];

/** Whether something changed, and all of it is of one kind. */
function isWholly(
  { files, leftOut }: ChangedFiles,
  isFile: (file: FileDiff) => boolean,
  isLeftOut: (file: LeftOut) => boolean,
): boolean {
  return files.length + leftOut.length > 0 && files.every(isFile) && leftOut.every(isLeftOut);
}

/** Lock files only. */
export function isLockFilesOnly(changed: ChangedFiles): boolean {
  return isWholly(changed, isLocked, (file) => classOf(file) === "lock" || isLocked(file));
}

/**
 * Written by programs or by others: generated, vendored, build output, snapshots; lock files may
 * accompany them. Files that gather kept for review are written by people, in any folder.
 */
export function isGeneratedOnly({ files, leftOut }: ChangedFiles): boolean {
  const reasons = leftOut.map(classOf);
  return (
    reasons.includes("made") &&
    reasons.every((reason) => reason === "made" || reason === "lock") &&
    files.every(isLocked)
  );
}

/** No line to review: left out for known reasons, binary, or renamed without a changed line. */
export function isNothingToReview(changed: ChangedFiles): boolean {
  return isWholly(changed, isWithoutLines, (file) => classOf(file) !== "unknown");
}

/** Manifests and lock files only: every path is evidence of the dependency risk, or a lock file. */
export function isManifestsOnly(changed: ChangedFiles, risks: readonly Risk[]): boolean {
  const evidence = risks.find(({ id }) => id === "dependencies")?.evidence ?? [];
  const manifests = new Set(evidence.map(({ path }) => path));
  const isOne = (file: { readonly path: string }) => manifests.has(file.path);
  return isWholly(
    changed,
    (file) => isOne(file) || isLocked(file),
    (file) => isOne(file) || classOf(file) === "lock",
  );
}

function isLocked({ path }: { readonly path: string }): boolean {
  return isLockFile(path);
}

function isWithoutLines({ binary, complete, additions, deletions, hunks }: FileDiff): boolean {
  return binary || (complete && additions === 0 && deletions === 0 && hunks.length === 0);
}

function classOf({ reason }: LeftOut): "lock" | "made" | "empty" | "unknown" {
  return LEFT_OUT.find(([pattern]) => pattern.test(reason))?.[1] ?? "unknown";
}

// Changes without effect on programs: white space and whole comment lines; in doubt it is code.

interface Grammar {
  /** Starts of comments that end with their line. */
  readonly line: readonly string[];
  readonly block: boolean;
  /** True when leading white space has a meaning. */
  readonly indented: boolean;
}

const C_LIKE: Grammar = { line: ["//"], block: true, indented: false };
const HASH: Grammar = { line: ["#"], block: false, indented: false };
const GRAMMARS: ReadonlyMap<string, Grammar> = new Map([
  ..."typescript javascript java kotlin go rust c cpp csharp swift scala groovy dart objectivec objectivecpp zig solidity"
    .split(" ")
    .map((language) => [language, C_LIKE] as const),
  ["php", { line: ["//", "#"], block: true, indented: false }],
  ["css", { line: [], block: true, indented: false }],
  ["scss", C_LIKE],
  ["python", { ...HASH, indented: true }],
  ["ruby", HASH],
  ["perl", HASH],
  ["r", HASH],
  ["julia", HASH],
  ["elixir", HASH],
  ["shell", HASH],
  ["sql", { line: ["--"], block: true, indented: false }],
  ["lua", { line: ["--"], block: false, indented: false }],
  ["haskell", { line: ["--"], block: false, indented: true }],
]);

/** Comments that tools interpret. */
const DIRECTIVE =
  /^\W{0,10}(?:!|@ts-|ts-|eslint|tslint|jshint|biome-|prettier-|istanbul|c8 |v8 |webpack|@vite|@flow|@jsx|@type|@param|@returns?|@deprecated|@internal|<reference|#|go:|\+build|export |nolint|lint:|noqa|type:|pylint|mypy|pyright|ruff|flake8|fmt:|isort|pragma|nosec|nosonar|coverage|coding[:=]|-\*-|frozen_string_literal|rubocop|shellcheck|sonar|clang-format|NOLINT|swiftlint|ktlint|phpcs|phpstan|psalm|checkstyle|spotless|codeql|language=|sourceMappingURL|to-?do|fix-?me)/i;

/** A comment with code is disabled or explained code. */
const CODE_IN_COMMENT =
  /[;{}]\s*$|=>|\w\([^)]{0,200}\)|^\W{0,10}(?:import|return|const|let|var|def|class|if)\b.{0,200}[({=:]/;

/**
 * True when every file has a language with known comments, was delivered in full, and is the same
 * before and after without comments, blank lines and insignificant white space.
 */
export function isCommentsOnly(files: readonly FileDiff[], facts: readonly FileFacts[]): boolean {
  const languages = new Map(facts.map(({ path, language }) => [path, language]));
  const isComments = (file: FileDiff) => {
    const grammar = GRAMMARS.get(languages.get(file.path) ?? "");
    const isPlain = file.status === "modified" && file.complete && !file.binary;
    const isChanged = file.additions + file.deletions > 0;
    return grammar !== undefined && isChanged && isPlain && file.hunks.every((hunk) => sameCode(hunk, grammar));
  };
  return files.length > 0 && files.every(isComments);
}

function sameCode(hunk: Hunk, grammar: Grammar): boolean {
  // In a multi-line text, white space and comment signs are content.
  if (hunk.lines.some(({ text }) => /`|"""|'''|<<[-~]?\w|R"\(/.test(text))) return false;
  const before = codeLines(hunk.lines, "added", grammar);
  const after = codeLines(hunk.lines, "removed", grammar);
  return before.length === after.length && before.every((line, index) => line === after[index]);
}

function codeLines(lines: readonly DiffLine[], without: DiffLine["kind"], grammar: Grammar): readonly string[] {
  let inBlock = false;
  return lines
    .filter(({ kind }) => kind !== without)
    .flatMap(({ text }) => {
      const trimmed = text.slice(0, 2_000).trim();
      const read = readLine(trimmed, inBlock, grammar);
      inBlock = read.inBlock;
      return read.comment ? [] : [normalised(text, grammar)];
    });
}

/** Whether a whole line is comment (or blank), and whether a block comment is open after it. */
function readLine(trimmed: string, inBlock: boolean, grammar: Grammar) {
  if (grammar.block && (inBlock || trimmed.startsWith("/*"))) {
    const end = trimmed.indexOf("*/", inBlock ? 0 : 2);
    const whole = end === -1 || end === trimmed.length - 2;
    return { comment: whole && isPlainComment(trimmed), inBlock: end === -1 };
  }
  const isLine = grammar.line.some((start) => trimmed.startsWith(start));
  return { comment: trimmed === "" || (isLine && isPlainComment(trimmed)), inBlock: false };
}

function isPlainComment(trimmed: string): boolean {
  const words = trimmed.replace(/^(?:\/\/+|\/\*+|\*(?!\/)|#|--)/, "");
  return !DIRECTIVE.test(words) && !CODE_IN_COMMENT.test(words) && !/^#!/.test(trimmed);
}

function normalised(text: string, { indented }: Grammar): string {
  const kept = indented ? text.trimEnd() : text.trim();
  // Inside quotes every space counts.
  return /["']/.test(kept) ? kept : kept.replace(/(?<=\S)\s+/g, " ");
}

// A release: the project's own version and its changelog change, and nothing else.

const CHANGELOG = /(?:^|\/)(?:CHANGE(?:S|LOG)|HISTORY|NEWS|RELEASES?|RELEASE[-_]NOTES)(?:\.[a-z]{1,5})?$/i;

/** A line that is only a version's field; in a POM, where dependencies have one, a snapshot's. */
const VERSION_LINE =
  /^\s{0,40}(?:"?version"?\s?[:=]|__version__\s?=|VERSION\s?=|(?:pub |public |export )?(?:static |final )?const (?:string )?version\s?=)\s{0,4}["']?(v?\d[\w.+-]{0,60})["']?[,;]?\s*$|^\s{0,40}<version>(\d[\w.+-]{0,60}-SNAPSHOT|\d[\w.+-]{0,60})<\/version>\s*$|^(v?\d{1,6}\.\d[\w.+-]{0,60})\s*$/i;

const RELEASE_TITLE =
  /\brelease\b|\bversion packages\b|\bprepare\b.{0,40}\bversion\b|^\W{0,3}v?\d+\.\d+[\w.+-]{0,40}\W{0,3}$|\bbump version\b/i;

/**
 * True when every reviewed file is a changelog, or changes only version fields with the same
 * values: one version before, one after. A bump of another project's version is not a release, so
 * the title or a changelog must indicate one too.
 *
 * @param isBump whether the pull request is a dependency bump
 */
export function isReleaseCommit(files: readonly FileDiff[], title: string, isBump: boolean): boolean {
  if (isBump || !files.every(({ complete, status }) => complete && status === "modified")) return false;
  const changelogs = files.filter(({ path }) => CHANGELOG.test(path));
  const others = files.filter(({ path }) => !CHANGELOG.test(path));
  const lines = others.flatMap(changedLines);
  const [before, after] = [onlyVersion(lines, "removed"), onlyVersion(lines, "added")];
  if (before === null || after === null) return false;
  const isPom = others.some(({ path }) => path.endsWith(".xml"));
  if (isPom && !`${before}${after}`.includes("-SNAPSHOT")) return false;
  const bare = after.replace(/^v/, "");
  const said = changelogs.flatMap(changedLines).filter(({ kind }) => kind === "added");
  return RELEASE_TITLE.test(title) || said.some(({ text }) => text.includes(bare));
}

/** The one version of these lines, or null when a line has something else or versions differ. */
function onlyVersion(lines: readonly DiffLine[], kind: DiffLine["kind"]): string | null {
  const [first = null, ...others] = new Set(lines.filter((line) => line.kind === kind).map(versionOf));
  return others.length === 0 ? first : null;
}

function changedLines({ hunks }: FileDiff): readonly DiffLine[] {
  return hunks.flatMap(({ lines }) => lines).filter(({ kind, text }) => kind !== "context" && text.trim() !== "");
}

function versionOf({ text }: DiffLine): string | null {
  const [, field, pom, bare] = (text.length > 300 ? null : VERSION_LINE.exec(text)) ?? [];
  return field ?? pom ?? bare ?? null;
}

// A few lines of prose: changed documentation without a command or an example.

/** Larger texts are worth comparing with earlier comments on texts. */
const SMALL_DOCS_LINES = 20;

const PROSE =
  /\.(?:md|markdown|rst|txt|adoc|asciidoc)$|(?:^|\/)(?:LICEN[CS]E|COPYING|NOTICE|AUTHORS|CONTRIBUTORS)(?:[.-][\w.-]{1,40})?$/i;

const FENCE = /^\s{0,20}(?:`{3,}|~{3,}|-{4,}\s*$|\.\. code|\[source)/;

/** A command line: a prompt, or the name of a common tool with words after it. */
const COMMAND =
  /^\s{0,20}(?:[$>%]\s|(?:[-*]\s+)?`?(?:npm|npx|yarn|pnpm|bun|deno|pip3?|pipx|uv|poetry|conda|cargo|rustup|go|git|gh|docker|docker-compose|podman|kubectl|helm|terraform|make|cmake|brew|apt|apt-get|yum|dnf|curl|wget|ssh|scp|sudo|bash|sh|python3?|node|java|mvn|gradle|gem|bundle|composer|export|cd|chmod|systemctl)\s+[\w./@-])/i;

/** True when every file is documentation by kind and by extension. */
export function isDocsOnly(files: readonly FileDiff[], facts: readonly FileFacts[]): boolean {
  const kinds = new Map(facts.map(({ path, kind }) => [path, kind]));
  return files.length > 0 && files.every(({ path }) => kinds.get(path) === "docs" && PROSE.test(path));
}

/**
 * True when at most 20 lines changed, all delivered, and none of them is code: inside or at a
 * fence, indented like a block, or a command.
 *
 * @param headTexts locate the fences of a file; without its text a hunk with a fence counts as code
 */
export function isSmallProse(files: readonly FileDiff[], headTexts: ReadonlyMap<string, string>): boolean {
  const changed = files.reduce((sum, { additions, deletions }) => sum + additions + deletions, 0);
  return (
    changed <= SMALL_DOCS_LINES &&
    files.every((file) => file.complete && !file.hunks.some((hunk) => touchesCode(hunk, headTexts.get(file.path))))
  );
}

function touchesCode(hunk: Hunk, head: string | undefined): boolean {
  const changed = hunk.lines.filter(({ kind }) => kind !== "context");
  if (changed.some(isCodeLine)) return true;
  if (head === undefined) return hunk.lines.some(({ text }) => FENCE.test(text));
  const last = hunk.newStart + hunk.newLines;
  const fenced = fencedLines(head, last);
  return hunk.lines.some(({ newLine, kind }, at) => {
    // A removed line was next to its neighbours in the head.
    const beside = newLine ?? hunk.lines.slice(at).find((line) => line.newLine !== null)?.newLine ?? null;
    return kind !== "context" && beside !== null && fenced.has(beside);
  });
}

function isCodeLine({ text }: DiffLine): boolean {
  return FENCE.test(text) || COMMAND.test(text) || /^(?: {4}|\t)\s*[^\s*+\-\d>]/.test(text);
}

/** Numbers of the lines inside fences, including the fences, up to a line. */
function fencedLines(head: string, last: number): ReadonlySet<number> {
  const fenced = new Set<number>();
  let open = false;
  for (const [index, line] of head.split("\n", last).entries()) {
    const fence = FENCE.test(line);
    if (open || fence) fenced.add(index + 1);
    if (fence) open = !open;
  }
  return fenced;
}
