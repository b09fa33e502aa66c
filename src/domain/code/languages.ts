// The language of a changed file by name, neighbours and content; each language's share.

import { canonicalLanguage, UNKNOWN_LANGUAGE } from "../language.ts";
import type { LanguageShare } from "../signals.ts";
import {
  BY_EXTENSION,
  BY_FILENAME,
  fromShebang,
  LANGUAGE_TYPES,
  type LanguageType,
  languageFromContent,
} from "./language-from-content.ts";
import { folderOf, nameOf } from "./paths.ts";

export interface Language {
  /** Canonical id: `cpp`, `typescript`, or `unknown`. */
  readonly language: string;
  /** Display name: `C++`; TSX is `TypeScript`. "Unknown" when unknown. */
  readonly name: string;
  /** GitHub's own name, or null: `TSX`. */
  readonly linguist: string | null;
  readonly type: LanguageType | "unknown";
}

const UNKNOWN: Language = { language: UNKNOWN_LANGUAGE, name: "Unknown", linguist: null, type: "unknown" };

/** Basenames that people write in any case, or with a suffix, where linguist knows one spelling. */
const LOOSE_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(?:docker|container)file(?:\.[\w-]+)?$/i, "Dockerfile"],
  [/^(?:gnu)?makefile$/i, "Makefile"],
  [/^cmakelists\.txt$/i, "CMake"],
  [/^jenkinsfile$/i, "Groovy"],
  [/^(?:rake|gem|vagrant|pod|brew)file$/i, "Ruby"],
];

/**
 * @param path any path; only its last two parts matter. `constructor`, `.ts` and `ts` are unknown
 * @param around `siblings`: other paths of the change, which decide whether a `.h` is C, C++ or
 * Objective-C (the same folder comes first); `content`: the first characters of the file or its
 * added lines, for ambiguous names; `partial`: the content is not the file's beginning, so that a
 * missing `#!` line proves nothing
 * @returns never throws; unknown when undecided
 */
export function classifyLanguage(
  path: string,
  around: { readonly siblings?: readonly string[]; readonly content?: string; readonly partial?: boolean } = {},
): Language {
  const siblings = around.siblings ?? [];
  const content = around.content ?? "";
  const mayGuess = content === "" || around.partial === true;
  const named = linguistName(path, siblings, content) ?? (mayGuess ? guessProgram(path, siblings) : undefined);
  // A name of data or prose says less than the interpreter: `bin/LICENSE` may be a program.
  const isProgram = named !== undefined && LANGUAGE_TYPES.get(named) === "programming";
  const name = isProgram ? named : (fromShebang(content) ?? named);
  if (name === undefined) return UNKNOWN;
  return {
    language: canonicalLanguage(name),
    // Its canonical id means TypeScript.
    name: name === "TSX" ? "TypeScript" : name,
    linguist: name,
    type: LANGUAGE_TYPES.get(name) ?? "unknown",
  };
}

/**
 * Whether a language takes part in the shares. Programming and markup do, as in GitHub's own
 * statistics, and so do the query and schema languages that linguist files under data: reviewers
 * comment on their lines. JSON, YAML and Markdown do not: a lock file or a page of prose would
 * drown the code beside it.
 */
export function isCode(language: Language): boolean {
  return language.type === "programming" || language.type === "markup" || CODE_AMONG_DATA.has(language.linguist ?? "");
}

const CODE_AMONG_DATA = new Set(["SQL", "GraphQL", "Protocol Buffer", "CUE", "Thrift", "Pkl"]);

/**
 * @param files the language of each file, with its added plus removed lines
 * @returns largest first, ties by name; shares sum to 1, or [] when no line of code changed
 */
export function languageShares(
  files: readonly { readonly language: Language; readonly changedLines: number }[],
): readonly LanguageShare[] {
  const code = files.filter(({ language }) => isCode(language));
  const lines = (some: typeof files) => some.reduce((sum, one) => sum + Math.max(0, one.changedLines), 0);
  const total = lines(code);
  if (total === 0) return [];
  return [...Map.groupBy(code, ({ language }) => language.language)]
    .map(([language, own]) => {
      const name = own[0]?.language.name ?? language;
      return { language, name, files: own.length, changedLines: lines(own), share: lines(own) / total };
    })
    .sort((a, b) => b.changedLines - a.changedLines || (a.name < b.name ? -1 : 1));
}

function linguistName(path: string, siblings: readonly string[], content: string): string | undefined {
  const base = nameOf(path);
  const byName = BY_FILENAME.get(base);
  if (byName?.length === 1) return byName[0];
  const loose = LOOSE_NAMES.find(([pattern]) => pattern.test(base));
  if (loose !== undefined) return loose[1];

  const extension = knownExtension(base);
  const candidates = byName ?? BY_EXTENSION.get(extension) ?? [];
  if (candidates.length === 1) return candidates[0];
  const byContent = content === "" ? undefined : languageFromContent(extension, candidates, content);
  if (byContent !== undefined) return byContent;
  if (extension === ".h") return headerLanguage(path, siblings);
  // Linguist's name for includes shared by several languages of C's family.
  if (extension === ".inc" && neighbourhood(siblings).byFolder.has(folderOf(path))) return "C++";
  return preferLanguage(extension, candidates);
}

/** The longest known extension: `.blade.php` before `.php`; "" without one. */
function knownExtension(base: string): string {
  const lower = base.toLowerCase();
  for (let dot = lower.indexOf(".", 1); dot !== -1; dot = lower.indexOf(".", dot + 1)) {
    const extension = lower.slice(dot);
    if (BY_EXTENSION.has(extension)) return extension;
  }
  return "";
}

// Decides from the path alone whether a file without an extension is a program, or a licence, a
// note, a list. When the content is known, its `#!` line decides instead.

/** Folders of sources, inputs or texts; a file without an extension there is no program. */
const OTHER_FOLDERS = new Set(
  (
    "src lib include pkg app corpus license licenses input inputs output outputs " +
    "data texts files images logs public static target config .bundle .git git " +
    "info secrets streams .well-known json"
  ).split(" "),
);

/** Names of files that are read, not run. */
const OTHER_NAMES =
  /(?:^|[-_])(?:licen[cs]e|readme|notice|authors|changelog|copyright|config|summary|version|token|key|keyfile|toolchain|hosts|kubeconfig|file|link|user|data|example|sample|template|empty|valid|invalid|marker|plan|excluded?|sources)\d*$/i;

/** Folders of programs with any name. */
const SCRIPT_FOLDERS = new Set(
  "bin sbin script scripts tools ci hooks git_hooks .git_hooks githooks .githooks .husky init.d build-aux".split(" "),
);

/** Names of scripts at the root; another single word there is usually a note or a list. */
const TASK_AT_ROOT = /-|^(?:autogen|bootstrap|build|configure|gradlew|install|make|run|setup|start|test)/;

/** Programs of a Ruby project; their neighbours in `bin` are Ruby too. */
const RUBY_STUBS = new Set(["rails", "rake", "bundle", "rspec", "rubocop", "spring", "brakeman", "importmap"]);

/**
 * The language of a program without an extension, by its path alone: nine in ten such names below
 * the root are shell. Undefined when the file is probably no program: `LICENSE-MIT`, `constructor`.
 */
function guessProgram(path: string, siblings: readonly string[]): string | undefined {
  const parts = path.split("/");
  const folder = parts.at(-2) ?? "";
  // `commit-msg.sample` of git's hooks, `config.guess` of autoconf, `foo-config.in` of configure.
  const base = (parts.at(-1) ?? "").replace(/(?<=.)\.(?:sample|in|guess|sub)$/, "");
  if (base === "artisan") return "PHP";
  if (!/^[a-z][A-Za-z0-9_-]{1,100}$/.test(base)) return undefined;
  if (folder === "bin") return inBin(base, parts, siblings);
  if (SCRIPT_FOLDERS.has(folder)) return "Shell";
  if (OTHER_FOLDERS.has(folder) || OTHER_NAMES.test(base) || base !== parts.at(-1)) return undefined;
  return parts.length > 1 || TASK_AT_ROOT.test(base) ? "Shell" : undefined;
}

function inBin(base: string, parts: readonly string[], siblings: readonly string[]): string {
  if (parts.includes("node_modules")) return "JavaScript";
  const bin = parts.slice(0, -1).join("/");
  const ruby = RUBY_STUBS.has(base) || siblings.includes(`${bin}/rails`) || siblings.includes(`${bin}/rake`);
  return ruby ? "Ruby" : "Shell";
}

// A `.h` is C, C++ or Objective-C, and an `.inc` may be one of them; the neighbours decide.

/** Extension of a neighbour → the language of a header beside it. */
const NEIGHBOURS: ReadonlyMap<string, string> = new Map([
  ...["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "inl", "cu"].map(
    (extension) => [extension, "C++"] as const,
  ),
  ["m", "Objective-C"],
  ["mm", "Objective-C"],
  ["c", "C"],
]);

type Counts = Map<string, number>;

/** Called for each header of a change, but its thousands of paths are counted once. */
const known = new WeakMap<readonly string[], ReturnType<typeof count>>();

/**
 * The language of a header by the files around it: the most common in its own folder, else C++ when
 * the change has any, else C. On a tie C++ wins over Objective-C and both over C, because a C
 * compiler reads neither's headers.
 */
function headerLanguage(path: string, siblings: readonly string[]): string {
  const { byFolder, everywhere } = neighbourhood(siblings);
  const beside = byFolder.get(folderOf(path));
  if (beside === undefined) return everywhere.has("C++") ? "C++" : "C";
  const count = (language: string) => beside.get(language) ?? 0;
  return ["C++", "Objective-C", "C"].reduce((best, each) => (count(each) > count(best) ? each : best));
}

function neighbourhood(paths: readonly string[]) {
  const found = known.get(paths) ?? count(paths);
  known.set(paths, found);
  return found;
}

function count(paths: readonly string[]) {
  const byFolder = new Map<string, Counts>();
  const everywhere: Counts = new Map();
  for (const path of paths) {
    const language = NEIGHBOURS.get(extensionOf(path));
    if (language === undefined) continue;
    const folder = byFolder.get(folderOf(path)) ?? new Map<string, number>();
    byFolder.set(folderOf(path), folder);
    for (const counts of [folder, everywhere]) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return { byFolder, everywhere };
}

function extensionOf(path: string): string {
  const base = nameOf(path);
  const dot = base.lastIndexOf(".");
  return dot > 0 ? base.slice(dot + 1).toLowerCase() : "";
}

// The language of an extension with several claimants when the content does not decide.

/**
 * The most likely language where it is not the first programming language of the table: counted on
 * labelled paths of public repositories that have the extension, else the language with far more
 * public code.
 */
const PREFERRED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "Roff Manpage": ".1 .2 .3 .4 .5 .6 .7 .8 .9 .man",
    AsciiDoc: ".asc",
    Brainfuck: ".b .bf",
    "Visual Basic 6.0": ".bas .frm",
    BrighterScript: ".bs",
    INI: ".cfg",
    xBase: ".ch",
    OpenCL: ".cl",
    SQL: ".ddl .sql",
    "Microsoft Developer Studio Project": ".dsp",
    Eiffel: ".e",
    JavaScript: ".es .gs",
    Fortran: ".f .for",
    PHP: ".fcgi .inc .php",
    Frege: ".fr",
    FreeMarker: ".ftl",
    HLSL: ".fx",
    GAP: ".g",
    GDScript: ".gd",
    HTML: ".html",
    SWIG: ".i",
    "Objective-J": ".j",
    jq: ".jq",
    Lex: ".l",
    "Lean 4": ".lean",
    "Objective-C": ".m",
    M4Sugar: ".m4",
    "Monkey C": ".mc",
    Markdown: ".md",
    "Modula-2": ".mod",
    Moocode: ".moo",
    Roff: ".ms",
    "ROS Interface": ".msg",
    Nushell: ".nu",
    "OpenEdge ABL": ".p",
    "pkg-config": ".pc",
    "XML Property List": ".plist",
    Puppet: ".pp",
    QMake: ".pro",
    "Java Properties": ".properties",
    q: ".q",
    "Qt Script": ".qs",
    Reason: ".re",
    "Ren'Py": ".rpy",
    Rust: ".rs",
    "RouterOS Script": ".rsc",
    "Unix Assembly": ".s",
    "KiCad Schematic": ".sch",
    ShaderLab: ".shader",
    "RPM Spec": ".spec",
    "SubRip Text": ".srt",
    mdsvex: ".svx",
    "World of Warcraft Addon Data": ".toc",
    Scilab: ".tst",
    Text: ".txt",
    Verilog: ".v",
    XML: ".workflow",
    YAML: ".yaml .yml",
  }).flatMap(([language, extensions]) => extensions.split(" ").map((extension) => [extension, language])),
);

/**
 * @param extension lower-cased, with its dot
 * @param candidates linguist names that claim the extension
 * @returns undefined without candidates
 */
export function preferLanguage(extension: string, candidates: readonly string[]): string | undefined {
  const preferred = PREFERRED.get(extension);
  if (preferred !== undefined && candidates.includes(preferred)) return preferred;
  return candidates.find((name) => LANGUAGE_TYPES.get(name) === "programming") ?? candidates[0];
}
