// Which language a memory speaks about, as a canonical id: what was stored, else its tags or its path.
import { canonicalLanguage, UNKNOWN_LANGUAGE } from "../domain/language.ts";
import type { Corpus } from "../domain/memory.ts";

export interface ChunkOrigin {
  readonly corpus?: Corpus;
  /** As stored: any spelling; absent or empty in rows that are older than the column. */
  readonly language?: string | null;
  readonly path?: string | null;
  readonly tags?: readonly string[];
}

/** Extensions of the languages that reviews are mostly about, for rows without a stored language. */
const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries({
    typescript: "ts tsx mts cts",
    javascript: "js jsx mjs cjs",
    python: "py pyi pyx",
    java: "java",
    kotlin: "kt kts",
    go: "go",
    rust: "rs",
    ruby: "rb rake",
    php: "php",
    c: "c",
    cpp: "cpp cc cxx hpp hxx hh",
    csharp: "cs",
    fsharp: "fs fsx",
    objectivec: "m",
    objectivecpp: "mm",
    swift: "swift",
    scala: "scala sc",
    groovy: "groovy gradle",
    dart: "dart",
    elixir: "ex exs",
    erlang: "erl",
    haskell: "hs",
    ocaml: "ml mli",
    clojure: "clj cljs cljc",
    lua: "lua",
    perl: "pl pm",
    r: "r",
    julia: "jl",
    shell: "sh bash zsh",
    powershell: "ps1 psm1",
    sql: "sql",
    html: "html htm",
    css: "css",
    scss: "scss",
    vue: "vue",
    svelte: "svelte",
    zig: "zig",
    nix: "nix",
    hcl: "tf hcl",
    protocolbuffer: "proto",
    graphql: "graphql gql",
    solidity: "sol",
  }).flatMap(([language, extensions]) => extensions.split(" ").map((extension) => [extension, language] as const)),
);

/** Tags and languages of prose that say nothing about the code it is about. */
const GENERAL = new Set(["general", "markdown", "text", "plaintext", "restructuredtext", "asciidoc", UNKNOWN_LANGUAGE]);

/**
 * The canonical id, or `unknown`. The stored language speaks first; a document's or wiki page's is that of its first tag that is not
 * general; rows without one are told by the extension of their path.
 */
export function chunkLanguage({ corpus, language, path, tags = [] }: ChunkOrigin): string {
  if (corpus === "doc" || corpus === "wiki") {
    const named = [language ?? "", ...tags].map(canonicalLanguage).find((id) => !GENERAL.has(id));
    return named ?? UNKNOWN_LANGUAGE;
  }
  const stored = language?.trim() ?? "";
  return stored === "" ? byPath(path ?? "") : canonicalLanguage(stored);
}

function byPath(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const dot = name.lastIndexOf(".");
  return (dot > 0 ? BY_EXTENSION.get(name.slice(dot + 1)) : undefined) ?? UNKNOWN_LANGUAGE;
}
