// Decides which changed files are reviewed, and why the others are not. Only the base branch leaves
// a file out: by `pathFilters`, by `.gitattributes`, or as a lock file. A file that only the change
// shows as generated or vendored is spared: rules read it, so that nobody hides code that way.

import { attributesOf } from "../config/git-attributes.ts";
import { fileGlob } from "../config/patterns.ts";
import { isLockFile, isTestPath, nameOf, withoutExtension } from "../domain/code/paths.ts";
import { type LeftOut, SUBMODULE } from "../domain/omissions.ts";
import type { FileDiff } from "../domain/pull-request.ts";

type Reason = readonly [reason: string, pattern: RegExp];

/** In any folder: people do not write these by hand. */
const ALWAYS_OUT: readonly Reason[] = [
  ["installed packages", /(?:^|\/)(?:node_modules|bower_components|jspm_packages)\//],
  ["installed packages", /(?:^|\/)\.yarn\/(?:cache|releases|plugins|sdks|unplugged)\/|(?:^|\/)\.pnp\.(?:c|m)?js$/],
  ["minified", /[.-]min\.[a-z]{1,5}$/i],
  ["source map", /\.(?:js|mjs|cjs|css|ts|wasm)\.map$/i],
  ["test snapshot", /\.snap$|(?:^|\/)__snapshots__\/|\.ambr$/],
];

/** In production code only: tests, fixtures, migrations and CI are always reviewed. */
const MOSTLY_OUT: readonly Reason[] = [
  ["vendored", /(?:^|\/)(?:vendor|third[-_]?party|3rd[-_]?party|Pods|Carthage)\//i],
  ["build output", /(?:^|\/)dist\//],
  // `build/` often holds scripts; only what compilers and bundlers put below it is output.
  [
    "build output",
    /(?:^|\/)build\/(?:static|lib|libs|classes|generated|assets|dist|out|esm|cjs|js|css|intermediates|tmp)\//,
  ],
  ["build output", /(?:^|\/)(?:\.next|\.nuxt|\.output|_next\/static|htmlcov|coverage\/lcov-report)\//],
  ["type declarations", /\.d\.(?:ts|mts|cts)$/],
  ["generated", /(?:^|\/)(?:generated|__generated__|\.generated)\//i],
  [
    "generated",
    /[._](?:generated|gen|g|freezed|designer|pb|pbobjc|grpc)\.[a-z.]{1,10}$|_pb2(?:_grpc)?\.pyi?$|_pb\.(?:d\.ts|js|ts|rb)$/i,
  ],
  ["generated", /\.pb\.(?:gw|validate)\.go$|(?:^|\/)zz_generated[._][^/]{1,100}$|_generated\.[a-z]{1,5}$/],
];

const NEVER_OUT =
  /(?:^|\/)(?:\.github|\.circleci|\.buildkite|\.gitlab|\.husky)\/|(?:^|\/)(?:\.gitlab-ci|\.travis|azure-pipelines|appveyor|bitbucket-pipelines)\.ya?ml$|(?:^|\/)Jenkinsfile|(?:^|\/)(?:tests?|__tests__|specs?|testdata|fixtures?|__fixtures__|e2e|migrations?|migrate)\/|[._-](?:test|spec)\.[a-z]{1,5}$|_test\.go$|(?:^|\/)test_[^/]{1,200}\.py$/i;

const SUBMODULE_MODE = "160000";
const SYMBOLIC_LINK = "120000";
const LINK = "symbolic link";

/** Whether a path is a link or a submodule, which have no text of their own. */
export function isLinkOrSubmodule({ newMode }: Pick<FileDiff, "newMode">): boolean {
  return newMode === SYMBOLIC_LINK || newMode === SUBMODULE_MODE;
}

/** What the base branch says about paths. */
export interface BaseChoice {
  readonly pathFilters: readonly string[];
  /** The text of its `.gitattributes`; "" without one. */
  readonly attributes: string;
}

/** A file that rules read and the model does not, and why. */
interface Spared {
  readonly file: FileDiff;
  readonly reason: string;
}

/**
 * Splits the changed files into reviewed, spared and left out, each in the given order.
 *
 * @param files every changed file
 * @param ofBase the base's word; its `pathFilters` are globs of the configuration. `!` leaves out;
 * the last match wins; a glob without `/` matches names in any folder. A positive match brings back
 * what everything else leaves out or spares. With a positive glob in the list, files that match
 * none are left out; with only negative ones everything else stays in
 * @param headTextOf the head text of a path if already known: generators mark the first lines
 */
export function selectFiles(
  files: readonly FileDiff[],
  ofBase: ReturnType<typeof wordOfBase>,
  headTextOf: (path: string) => string | undefined = () => undefined,
): {
  readonly reviewed: readonly FileDiff[];
  readonly spared: readonly Spared[];
  readonly leftOut: readonly LeftOut[];
} {
  const hides = hidingLinks(files, ofBase);
  const reviewed: FileDiff[] = [];
  const spared: Spared[] = [];
  const leftOut: LeftOut[] = [];
  for (const file of files) {
    const { path } = file;
    const unreadable = unreadableReason(file);
    const decided = ofBase(path);
    // A submodule with the name of a lock file is none.
    const isNameOnly = unreadable === SUBMODULE && typeof decided === "object" && decided?.reason === LOCK_FILE;
    const word = isNameOnly ? null : decided;
    const looks = () => looksUnwritten(path) ?? (file.binary ? null : declaresGenerated(file, headTextOf(path)));
    // Of a removed file nothing is left to read.
    const exempt = file.status === "removed" ? { isExempt: true as const } : {};
    if (unreadable === LINK && !hides(file)) leftOut.push({ path, reason: LINK, isExempt: true });
    else if (typeof word === "object" && word !== null) leftOut.push({ ...word, ...exempt });
    else if (unreadable !== null) leftOut.push({ path, reason: unreadable, ...exempt });
    else {
      const reason = word === null ? looks() : null;
      if (reason === null) reviewed.push(file);
      else spared.push({ file, reason });
    }
  }
  return { reviewed, spared, leftOut };
}

/**
 * What the base branch decides of a path: why it is left out, `review` in any case, or null.
 *
 * @param base see selectFiles
 */
export function wordOfBase(base: BaseChoice): (path: string) => LeftOut | "review" | null {
  const filter = compiled(base.pathFilters);
  const marked = attributesOf(base.attributes);
  const wordOn = (path: string): LeftOut | "review" | null => {
    const wish = filter(path);
    if (wish !== null) return wish === "review" ? wish : { path, reason: wish };
    if (isLockFile(path)) return { path, reason: LOCK_FILE, isExempt: true };
    const mark = marked(path);
    if (mark === null) return null;
    return mark === "own" ? "review" : { path, reason: `${mark} (.gitattributes)`, isExempt: true };
  };
  const known = new Map<string, ReturnType<typeof wordOn>>();
  return (path) => {
    const word = known.get(path);
    if (word !== undefined) return word;
    const found = wordOn(path);
    known.set(path, found);
    return found;
  };
}

const LOCK_FILE = "lock file";

/** Why a file has no lines to read, by the head or, if it was removed, by the base. */
function unreadableReason({ oldMode, newMode, status, binary, hunks }: Judged): string | null {
  const mode = status === "removed" ? (oldMode ?? newMode) : newMode;
  if (mode === SUBMODULE_MODE) return SUBMODULE;
  if (mode === SYMBOLIC_LINK) return LINK;
  if (binary) return "binary";
  return isPointer(hunks, status === "removed" ? "added" : "removed") ? "Git LFS pointer" : null;
}

/**
 * A diff shows three lines around a change, so of a file that has more than a pointer it would show
 * one of them. Git LFS takes every address that it ever used, and blank lines around.
 */
const POINTER =
  /^\s*version https?:\/\/(?:git-lfs\.github\.com|hawser\.github\.com|git-media\.io)\/(?:spec\/)?v[\w/]{1,20}\s*\n(?:ext-\d-[\w.-]+ [\w.:-]+\s*\n){0,10}oid \w+:[0-9a-f]+\s*\nsize \d+\s*$/;

/** @param other lines of the side that is not looked at */
function isPointer([hunk, second]: Judged["hunks"], other: "added" | "removed"): boolean {
  if (hunk === undefined || second !== undefined || hunk.lines.length > 40) return false;
  const lines = hunk.lines.filter(({ kind }) => kind !== other);
  return POINTER.test(lines.map(({ text }) => `${trimmed(text)}\n`).join(""));
}

/**
 * Links under whose name code may run that rules do not read: the target has another ending, or is
 * a file of the same change that is a test or that the base leaves out. Files count by their names,
 * since a link to a folder gives them other paths. Every other link adds no unread line.
 */
function hidingLinks(files: readonly FileDiff[], ofBase: ReturnType<typeof wordOfBase>): (link: FileDiff) => boolean {
  /** By name, each kind of such files once: thousands of links may have targets of one name. */
  const named = new Map<string, Map<string, FileDiff>>();
  for (const file of files) {
    const name = nameOf(file.path).toLowerCase();
    const kinds = named.get(name) ?? new Map<string, FileDiff>();
    const kind = [endingOf(file.path), isTestPath(file.path), typeof (ofBase(file.path) ?? "") === "object"].join();
    named.set(name, kinds.set(kind, file));
  }
  return ({ path, hunks }) => {
    const target = hunks.flatMap(({ lines }) => lines).findLast(({ kind }) => kind === "added")?.text;
    if (target === undefined || (endingOf(path) !== "" && endingOf(path) !== endingOf(target))) return true;
    const isOther = (file: FileDiff) =>
      endingOf(file.path) !== endingOf(path) ||
      isTestPath(file.path) !== isTestPath(path) ||
      typeof (ofBase(file.path) ?? "") === "object";
    return [...(named.get(nameOf(target).toLowerCase())?.values() ?? [])].some(isOther);
  };
}

/** The ending of a file's name, in small letters, with its dots; "" without one. */
export function endingOf(path: string): string {
  return path.slice(withoutExtension(path).length).toLowerCase();
}

/** Why a path looks as if no person wrote the file, or null. */
export function looksUnwritten(path: string): string | null {
  const always = reasonOf(ALWAYS_OUT, path);
  if (always !== undefined) return always;
  return NEVER_OUT.test(path) ? null : (reasonOf(MOSTLY_OUT, path) ?? null);
}

/** `review`, a reason to leave the path out, or null when no filter matches. */
function compiled(pathFilters: readonly string[]): (path: string) => string | null {
  const rules = pathFilters.flatMap((filter) => {
    const negative = filter.startsWith("!");
    const glob = fileGlob(filter.slice(negative ? 1 : 0));
    // The configuration has reported an invalid one.
    return "problem" in glob ? [] : [{ filter, negative, matches: glob.matches }];
  });
  const isSelection = rules.some((rule) => !rule.negative);
  return (path) => {
    const last = rules.findLast((rule) => rule.matches(path));
    if (last === undefined) return isSelection ? "no glob of pathFilters matches" : null;
    return last.negative ? `pathFilters: ${last.filter}` : "review";
  };
}

type Judged = Pick<FileDiff, "path" | "status" | "binary" | "oldMode" | "newMode" | "hunks">;

/**
 * Why a text of a tree is not worth reading (lock file, vendored, generated, minified), or null.
 *
 * @param text if known: generators mark the first lines
 */
export function leftOutReason(path: string, text?: string): string | null {
  const file = { path, status: "added", binary: false, oldMode: null, newMode: null, hunks: [] } as const;
  return isLockFile(path) ? LOCK_FILE : (looksUnwritten(path) ?? declaresGenerated(file, text));
}

function reasonOf(reasons: readonly Reason[], path: string): string | undefined {
  return reasons.find(([, pattern]) => pattern.test(path))?.[0];
}

/** Generators write their header first; further down the words mean something else. */
const FIRST_LINES = 5;

/** Go's convention allows a licence before its line, and fixes the line's form. */
const GO_LINES = 30;
const GO = /^\/\/ Code generated .{0,200} DO NOT EDIT\.$/;

/** The words must be in a comment; code that prints them does not count. */
const COMMENT = /^\W{0,20}(?:\/\/|#|\/\*|\*|--|<!--|;|%|"""|'''|REM\b|\{-|\(\*)/;

/**
 * The tag, or the words in capitals; in lower case only beside "generated", else they are prose.
 */
const WORDS = /@generated(?![\w-])|\bDO NOT EDIT\b/;
const GENERATED_WORDS = /generated\b.{0,100}\bdo not (?:edit|modify)\b/i;

interface Line {
  readonly number: number;
  readonly text: string;
  readonly added: boolean;
}

/**
 * The reason to leave a file out because its header says that it is generated, or null.
 *
 * A header that the change adds to an existing file does not count: two words must not exempt it.
 *
 * @param file the diff; its hunks give the first lines when `headText` is unknown
 * @param headText the head file's text, or undefined
 */
function declaresGenerated(file: Judged, headText: string | undefined): string | null {
  if (NEVER_OUT.test(file.path)) return null;
  const lines = firstLines(file, headText);
  const header = lines.find(
    ({ number, text }) =>
      GO.test(text) ||
      (number <= FIRST_LINES && COMMENT.test(text) && (WORDS.test(text) || GENERATED_WORDS.test(text))),
  );
  if (header === undefined || (header.added && file.status !== "added")) return null;
  const words = WORDS.exec(header.text)?.[0] ?? "";
  return words.startsWith("@") ? "generated (header says @generated)" : "generated (header says DO NOT EDIT)";
}

function firstLines(file: Judged, headText: string | undefined): readonly Line[] {
  const inDiff = new Map(
    file.hunks
      .flatMap((hunk) => hunk.lines)
      .filter((line) => line.newLine !== null && line.newLine <= GO_LINES)
      .map((line) => [line.newLine, line]),
  );
  if (headText === undefined) {
    return [...inDiff.values()].map(({ newLine, text, kind }) => ({
      number: newLine ?? 0,
      text: trimmed(text),
      added: kind === "added",
    }));
  }
  const texts = headText.slice(0, 20_000).split("\n", GO_LINES);
  return texts.map((text, at) => ({
    number: at + 1,
    text: trimmed(text),
    added: inDiff.get(at + 1)?.kind === "added",
  }));
}

function trimmed(text: string): string {
  return text.slice(0, 1000).replace(/\r$/, "");
}
