// A `.h` is C, C++ or Objective-C, and an `.inc` may be theirs; the name does not say. The neighbours do.

/** Extension of a neighbour → what a header beside it is written in. */
const NEIGHBOURS: ReadonlyMap<string, string> = new Map([
  ...["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "inl", "cu"].map(
    (extension) => [extension, "C++"] as const,
  ),
  ["m", "Objective-C"],
  ["mm", "Objective-C"],
  ["c", "C"],
]);

type Counts = Map<string, number>;

interface Neighbourhood {
  readonly byFolder: ReadonlyMap<string, Counts>;
  readonly everywhere: Counts;
}

/** One change asks for each of its headers: its thousands of paths are counted once. */
const known = new WeakMap<readonly string[], Neighbourhood>();

/**
 * The language of a header by the files around it: the commonest of its own folder, else C++ where the change has C++ and
 * no C. On a tie C++ wins over Objective-C and both over C, because a C compiler reads neither's headers.
 *
 * @param path the header
 * @param siblings other paths of the change; the header itself may be among them
 * @returns linguist's name; C when nothing around says otherwise
 */
export function headerLanguage(path: string, siblings: readonly string[]): string {
  const { byFolder, everywhere } = neighbourhood(siblings);
  const beside = byFolder.get(folderOf(path));
  if (beside === undefined) return everywhere.has("C++") && !everywhere.has("C") ? "C++" : "C";
  const count = (language: string) => beside.get(language) ?? 0;
  return ["C++", "Objective-C", "C"].reduce((best, each) => (count(each) > count(best) ? each : best));
}

/** C++ for an `.inc` among files of C's family (linguist's name for what several of them include), else undefined. */
export function includedLanguage(path: string, siblings: readonly string[]): string | undefined {
  return neighbourhood(siblings).byFolder.has(folderOf(path)) ? "C++" : undefined;
}

function neighbourhood(paths: readonly string[]): Neighbourhood {
  const found = known.get(paths) ?? count(paths);
  known.set(paths, found);
  return found;
}

function count(paths: readonly string[]): Neighbourhood {
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

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function extensionOf(path: string): string {
  const base = path.slice(path.lastIndexOf("/") + 1);
  const dot = base.lastIndexOf(".");
  return dot > 0 ? base.slice(dot + 1).toLowerCase() : "";
}
