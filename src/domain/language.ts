// One canonical id per language. Display names have many spellings; memory, rules and boosts
// compare ids only.

export const UNKNOWN_LANGUAGE = "unknown";

/** Spellings that the general rule below does not unify. */
const SAME = new Map([
  ["golang", "go"],
  ["js", "javascript"],
  ["ts", "typescript"],
  ["tsx", "typescript"],
  ["jsx", "javascript"],
  ["py", "python"],
  ["rb", "ruby"],
  ["rs", "rust"],
  ["cxx", "cpp"],
  ["objc", "objectivec"],
  ["objectivecpp", "objectivecpp"],
  ["bash", "shell"],
  ["sh", "shell"],
  ["zsh", "shell"],
  ["yml", "yaml"],
  ["docker", "dockerfile"],
  ["viml", "vimscript"],
]);

/**
 * The canonical id of a language name: `C++` → `cpp`, `C#` → `csharp`, `F#` → `fsharp`,
 * `Objective-C` → `objectivec`, `TypeScript` → `typescript`. Empty or "Unknown" → `unknown`.
 * Idempotent.
 */
export function canonicalLanguage(name: string): string {
  // Most names are ids already, and this runs for several hundred memories: a third of a
  // microsecond each.
  const id = /^[a-z0-9]+$/.test(name)
    ? name
    : name
        .toLowerCase()
        .replaceAll("+", "p")
        .replaceAll("#", "sharp")
        .replace(/[^\p{L}\p{N}]/gu, "");
  return SAME.get(id) ?? (id === "" ? UNKNOWN_LANGUAGE : id);
}

/**
 * language → languages whose experience partly applies. Symmetric when both directions are listed.
 */
const RELATED: ReadonlyMap<string, readonly string[]> = new Map([
  ["c", ["cpp"]],
  ["cpp", ["c"]],
  ["typescript", ["javascript"]],
  ["javascript", ["typescript"]],
  ["objectivec", ["c", "cpp"]],
  ["objectivecpp", ["cpp", "objectivec", "c"]],
  ["kotlin", ["java"]],
  ["css", ["scss", "sass", "less"]],
  ["scss", ["css", "sass", "less"]],
  ["sass", ["css", "scss", "less"]],
  ["less", ["css", "scss", "sass"]],
]);

/** Canonical ids related to a canonical id; [] when none. */
export function relatedLanguages(language: string): readonly string[] {
  return RELATED.get(language) ?? [];
}
