// A committable suggestion replaces lines for good: it is kept only when it is certain.
import type { Finding, Suggestion } from "../../domain/finding.ts";
import type { FileDiff } from "../../domain/pull-request.ts";

/** Lines replaced, and lines of the replacement, at most: a larger rewrite is for people. */
const MOST_LINES = 20;
/** For a model's suggestion: a one-click commit should be readable at a glance. */
const MOST_OF_A_MODEL = 10;

/**
 * The finding's suggestion if it may be offered for committing, else null.
 * It replaces exactly the commented lines of the head, in one hunk that agrees with the head's
 * text; it changes something; neither side is longer than 20 lines; nothing in it could close its
 * fence; all lines end alike. A model's has at most 10 lines, and is for source that no tool runs
 * by its name.
 * @param headText the whole head file if known, else null: then only the hunk's lines are checked
 */
export function suggestion(finding: Finding, file: FileDiff, headText: string | null): Suggestion | null {
  const offer = finding.suggestion;
  if (offer === null || finding.side !== "RIGHT") return null;
  if (offer.startLine !== finding.startLine || offer.line !== finding.line) return null;
  const replaced = linesInOneHunk(file, offer.startLine, offer.line);
  const most = finding.source === "rule" ? MOST_LINES : MOST_OF_A_MODEL;
  if (most < MOST_LINES && !isCommittable(file.path)) return null;
  if (replaced === null || replaced.length > most) return null;
  const head = headText?.split("\n");
  if (head && !replaced.every((text, index) => head[offer.startLine - 1 + index] === text)) return null;
  const plain = replaced.map((text) => text.replace(/\r$/, ""));
  if (!isSafe(offer.text, plain, most)) return null;
  const ofWindows = replaced.filter((text) => text.endsWith("\r")).length;
  if (ofWindows === 0) return offer;
  return ofWindows === replaced.length ? { ...offer, crlf: true } : null;
}

function linesInOneHunk(file: FileDiff, first: number, last: number): readonly string[] | null {
  for (const hunk of file.hunks) {
    const lines = hunk.lines.filter(({ newLine }) => newLine !== null && newLine >= first && newLine <= last);
    if (lines.length > 0) return lines.length === last - first + 1 ? lines.map(({ text }) => text) : null;
  }
  return null;
}

/** GitHub writes UTF-8: a byte that is none (U+FFFD) is lost; a lone CR alters more than shown. */
function isSafe(text: string, replaced: readonly string[], most: number): boolean {
  const lines = text.split("\n");
  if (lines.length > most || text === replaced.join("\n")) return false;
  if (/[\r\uFFFD]/.test(text)) return false;
  return !lines.some((line) => /^\s*(?:```|~~~)/.test(line));
}

/**
 * Where a model's suggestion may be committed with one click: in source that takes effect when its
 * program is built or started. The change may have manipulated the model, so nothing that runs,
 * installs or instructs: no shells, build languages, prose and data, and no file that a tool runs
 * by its name.
 */
const SOURCE = new Set(
  [
    "c h cc cpp cxx c++ hh hpp hxx inl ipp m mm cu cuh d zig nim v odin s asm",
    "go rs swift java kt scala clj cljs cljc cs fs fsi vb dart",
    "js jsx mjs cjs ts tsx mts cts vue svelte astro elm",
    "py pyi pyx rb php pl pm lua tcl r jl ex erl hrl hs ml mli lisp scm rkt cr hx gd pas f90 f95 f03 adb ads cob",
    "html htm css scss sass less styl erb ejs hbs twig pug liquid",
    "sql proto thrift graphql gql sol vy glsl hlsl wgsl vert frag sv vhd vhdl",
  ].flatMap((line) => line.split(" ")),
);

/** Matched against the path with `/` before it, so at any depth; source files only. */
const STARTED_BY_NAME: readonly RegExp[] = [
  // Folders of tools and builds, and of scripts that people and CI run.
  /\/(?:\.[^/]+|s?bin|scripts?|ci|buildSrc|build-logic|magefiles|Formula|Casks)\//i,
  /\/\.[^/]*$/,
  // `Makefile.PL`, `gulpfile.babel.ts`, `Dockerfile.go`
  /\/(?:Jenkins|Docker|Container|Make|GNUmake|Rake|Gem|Pod|Pip|Proc|Vagrant|gulp|grunt|jake|cake|nox|tox|fab|conan|danger|mage|task|just|snake|tilt|robo)file(?:\.[^/]*)?$/i,
  // Run when something is installed, built or tested.
  /\/(?:setup|build|configure|(?:pre|post)?-?install|[a-z]+[_-](?:cli-)?build|extconf|conftest|(?:site|user)customize|versioneer|testem)\.[^/.]+$/i,
  /\/(?:conf|dodo|tasks|duties|pavement)\.py$/i,
  /\/(?:premake\d?|xmake)\.lua$/i,
  /\/(?:rector|ecs|deploy|castor)\.php$/i,
  /\/(?:Package(?:@[^/]*)?|Project)\.swift$/i,
  /\/(?:project|profiles)\.clj$/i,
  /\/project\/[^/]+\.scala$/i,
  /\.(?:build|target)\.cs$/i,
  /\/make\.jl$/i,
  // Configuration that is code.
  /[._-](?:conf|config|setup|preset)\.[^/.]+$/i,
  /\/(?:webpack|rollup|vite|vitest|jest|karma|metro|babel|esbuild|tsup|cypress|playwright|wdio|protractor|nightwatch|postcss|tailwind)(?:[.-][^/]*)?\.[cm]?[jt]s$/i,
];

/** @param path from the root of the repository, with `/` */
function isCommittable(path: string): boolean {
  const [, extension = ""] = /\.([^./]+)$/.exec(path) ?? [];
  return SOURCE.has(extension.toLowerCase()) && !STARTED_BY_NAME.some((pattern) => pattern.test(`/${path}`));
}
