// The programming languages that a document is about, from its front matter and its code blocks.
import { canonicalLanguage } from "../../domain/language.ts";

/** Languages of reviewed files. Other words after a fence (`console`, `text`) name none. */
const PROGRAMMING = new Set(
  (
    "c cpp csharp fsharp clojure cmake cuda crystal dart elixir elm erlang fortran go groovy haskell java javascript " +
    "julia kotlin lua nim nix objectivec objectivecpp ocaml perl php powershell python r ruby rust scala solidity sql " +
    "starlark svelte swift typescript vue vimscript zig assembly glsl graphql protocolbuffer terraform hcl"
  ).split(" "),
);

/** Languages beside the one a document is about: a Python guide begins with `pip install`. */
const BESIDE = new Set("shell json yaml toml ini xml html css scss dockerfile makefile".split(" "));

/** Spellings of fences that are not names of languages. */
const SPELLINGS = new Map(
  Object.entries({
    shell: "console shellsession",
    protocolbuffer: "proto protobuf",
    powershell: "ps1 pwsh",
    kotlin: "kt",
    csharp: "cs",
    haskell: "hs",
    elixir: "ex",
    graphql: "gql",
    terraform: "tf",
    json: "jsonc json5",
    python: "py3 python3 pycon",
    javascript: "mjs",
    cpp: "hpp",
  }).flatMap(([language, spellings]) => spellings.split(" ").map((spelling) => [spelling, language] as const)),
);

/** The canonical id of a word that names a language, or null. */
function namedLanguage(word: string): string | null {
  const id = canonicalLanguage(word.slice(0, 40));
  const spelled = SPELLINGS.get(id) ?? id;
  return PROGRAMMING.has(spelled) || BESIDE.has(spelled) ? spelled : null;
}

/**
 * The language of a fence's info string: `python title="a.py"`, `{.python .numberLines}`,
 * `language-ts`, `js{1,3}`.
 *
 * @returns a canonical id, or null
 */
export function fenceLanguage(info: string): string | null {
  const [, word = ""] = /^\s{0,10}\{?\s{0,5}\.?(?:language-|lang-)?([\w+#.-]{1,40})/.exec(info.slice(0, 200)) ?? [];
  return word === "" ? null : namedLanguage(word);
}

/** Tags from lines by language: programming languages first, more lines first, ties by name. */
export function languageTags(lines: ReadonlyMap<string, number>): string[] {
  return [...lines]
    .sort(([a, n], [b, m]) => Number(BESIDE.has(a)) - Number(BESIDE.has(b)) || m - n || (a < b ? -1 : 1))
    .map(([language]) => language);
}

/** Keys of a front matter that can name languages. `lang` is the human language of a page. */
const KEYS = /^(?:languages?|tags|keywords|topics|categories|applyTo|globs)\s{0,5}:(.{0,2000})$/i;

/**
 * Languages named in a front matter, in its order. Read by lines, because few words matter.
 *
 * @param lines between the `---`
 */
export function frontMatterLanguages(lines: readonly string[]): string[] {
  let inList = false;
  const found = lines.slice(0, 200).flatMap((line) => {
    // On the line of the key, or as a list below it.
    const value = KEYS.exec(line)?.[1];
    const item = value ?? (inList ? LIST_ITEM.exec(line)?.[1] : undefined);
    inList = value === undefined ? item !== undefined : value.trim() === "";
    return (item ?? "").split(/[\s,"'[\]*/]+/).map((word) => namedLanguage(word.replace(/^\./, "")));
  });
  return [...new Set(found.filter((language) => language !== null))];
}

const LIST_ITEM = /^\s{0,20}-\s{1,5}(.{1,200})$/;

/** Languages named like everyday words or letters, which such a word in a name usually is. */
const EVERYDAY = new Set("c r go dart crystal elm nim nix zig swift julia assembly vue svelte sql make".split(" "));

/**
 * Languages in a document's path: `docs/python/style.md`, `Python-Style-Guide.md`. A folder may
 * have any language's name; in a file's name everyday words do not count.
 *
 * @returns canonical ids in the order of the path
 */
export function pathLanguages(path: string): string[] {
  const folders = path.slice(0, 1_000).split("/");
  const name = folders.pop() ?? "";
  const words = name.replace(/\.[^.]{1,10}$/, "").split(/[^\p{L}\p{N}+#]+/u);
  const found = [...folders.map(namedLanguage), ...words.map(namedLanguage).filter((id) => !EVERYDAY.has(id ?? ""))];
  return [...new Set(found.filter((id) => id !== null && PROGRAMMING.has(id)))] as string[];
}
