// Decides which changed files are reviewed, and why the others are not. The list is our own, not linguist's vendored
// label, which would leave out every workflow file. Everything left out is reported by name; `pathFilters` of
// .kodiai.yml overrides the list.

import { globPattern } from "../config/patterns.ts";
import type { LeftOut } from "../domain/omissions.ts";
import type { FileDiff } from "../domain/pull-request.ts";

const LOCK_FILES = new Set(
  (
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock " +
    "cargo.lock go.sum go.work.sum poetry.lock uv.lock pdm.lock pipfile.lock pixi.lock " +
    "gemfile.lock composer.lock packages.lock.json project.assets.json flake.lock gradle.lockfile " +
    "buildscript-gradle.lockfile mix.lock pubspec.lock podfile.lock package.resolved cartfile.resolved " +
    ".terraform.lock.hcl module.bazel.lock conan.lock rebar.lock symfony.lock"
  ).split(" "),
);

type Reason = readonly [reason: string, pattern: RegExp];

/** In any folder: people do not write these by hand. */
const ALWAYS_OUT: readonly Reason[] = [
  ["installed packages", /(?:^|\/)(?:node_modules|bower_components|jspm_packages)\//],
  ["installed packages", /(?:^|\/)\.yarn\/(?:cache|releases|plugins|sdks|unplugged)\/|(?:^|\/)\.pnp\.(?:c|m)?js$/],
  ["minified", /[.-]min\.[a-z]{1,5}$/i],
  ["source map", /\.(?:js|mjs|cjs|css|ts|wasm)\.map$/i],
  ["test snapshot", /\.snap$|(?:^|\/)__snapshots__\/|\.ambr$/],
];

/** In production code only: tests, fixtures, migrations and CI are reviewed in folders of any name. */
const MOSTLY_OUT: readonly Reason[] = [
  ["vendored", /(?:^|\/)(?:vendor|third[-_]?party|3rd[-_]?party|Pods|Carthage)\//i],
  ["build output", /(?:^|\/)dist\//],
  // `build/` alone holds build scripts in many repositories; only what compilers and bundlers put below it is output.
  [
    "build output",
    /(?:^|\/)build\/(?:static|lib|libs|classes|generated|assets|dist|out|esm|cjs|js|css|intermediates|tmp)\//,
  ],
  ["build output", /(?:^|\/)(?:\.next|\.nuxt|\.output|_next\/static|htmlcov|coverage\/lcov-report)\//],
  ["generated", /(?:^|\/)(?:generated|__generated__|\.generated)\//i],
  [
    "generated",
    /[._](?:generated|gen|g|freezed|designer|pb|pbobjc|grpc)\.[a-z.]{1,10}$|_pb2(?:_grpc)?\.pyi?$|_pb\.(?:d\.ts|js|ts|rb)$/i,
  ],
  ["generated", /\.pb\.(?:gw|validate)\.go$|(?:^|\/)zz_generated[._][^/]{1,100}$|_generated\.[a-z]{1,5}$/],
];

const NEVER_OUT =
  /(?:^|\/)(?:\.github|\.circleci|\.buildkite|\.gitlab|\.husky)\/|(?:^|\/)(?:\.gitlab-ci|\.travis|azure-pipelines|appveyor|bitbucket-pipelines)\.ya?ml$|(?:^|\/)Jenkinsfile|(?:^|\/)(?:tests?|__tests__|specs?|testdata|fixtures?|__fixtures__|e2e|migrations?|migrate)\/|[._-](?:test|spec)\.[a-z]{1,5}$|_test\.go$|(?:^|\/)test_[^/]{1,200}\.py$/i;

const SUBMODULE = "160000";
const SYMBOLIC_LINK = "120000";

/**
 * Splits the changed files into reviewed and left out, both in the given order.
 *
 * @param files every changed file
 * @param pathFilters globs of the configuration. `!` leaves out; the last match wins; a glob without `/` matches names
 * in any folder. A positive match brings back what our list leaves out. With a positive glob in the list, files that
 * match none are left out; with only negative ones everything else stays in
 * @param headTextOf the head text of a path if already known: generators mark the first lines
 */
export function selectFiles(
  files: readonly FileDiff[],
  pathFilters: readonly string[],
  headTextOf: (path: string) => string | undefined = () => undefined,
): { readonly reviewed: readonly FileDiff[]; readonly leftOut: readonly LeftOut[] } {
  const filter = compiled(pathFilters);
  const reviewed: FileDiff[] = [];
  const leftOut: LeftOut[] = [];
  for (const file of files) {
    const wish = filter(file.path);
    const reason = wish === "review" ? null : (wish ?? reasonAgainst(file, headTextOf(file.path)));
    if (reason === null) reviewed.push(file);
    else leftOut.push({ path: file.path, reason });
  }
  return { reviewed, leftOut };
}

/** Why a path is left out whatever its file holds; null when it is not. */
export function byPathReason(pathFilters: readonly string[]): (path: string) => string | null {
  const filter = compiled(pathFilters);
  return (path) => {
    const wish = filter(path);
    const file = { path, status: "modified", binary: false, oldMode: null, newMode: null, hunks: [] } as const;
    return wish === "review" ? null : (wish ?? reasonAgainst(file, ""));
  };
}

/** `review`, a reason to leave the path out, or null when no filter matches. */
function compiled(pathFilters: readonly string[]): (path: string) => string | null {
  const rules = pathFilters.flatMap((filter) => {
    const negative = filter.startsWith("!");
    const glob = globPattern(filter.slice(negative ? 1 : 0), { anyFolder: true });
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
 * Why our own list leaves a file out, or null.
 *
 * @param headText the head file's text, or undefined when it is unknown
 */
export function reasonAgainst(file: Judged, headText: string | undefined): string | null {
  const { path } = file;
  const modes = [file.newMode, file.oldMode];
  if (modes.includes(SUBMODULE)) return "submodule";
  if (modes.includes(SYMBOLIC_LINK)) return "symbolic link";
  if (LOCK_FILES.has(path.slice(path.lastIndexOf("/") + 1).toLowerCase())) return "lock file";
  const byName = reasonOf(ALWAYS_OUT, path);
  if (byName !== undefined) return byName;
  if (file.binary) return "binary";
  if (NEVER_OUT.test(path)) return null;
  return reasonOf(MOSTLY_OUT, path) ?? declaresGenerated(file, headText);
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

/** The tag or the words in capitals; in other case only beside "generated": "do not edit the line below" is prose. */
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
 * A header that this very change adds to an existing file does not count: two words must not exempt a file from review.
 *
 * @param file the diff; its hunks give the first lines when `headText` is unknown
 * @param headText the head file's text, or undefined
 */
function declaresGenerated(file: Judged, headText: string | undefined): string | null {
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
