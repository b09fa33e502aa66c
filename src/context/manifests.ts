// Lines of package files that a change builds on: the engine, and versions of imported packages.
import { folderOf, isTestPath } from "../domain/code/paths.ts";
import type { FileDiff } from "../domain/pull-request.ts";

const MANIFEST =
  /(?:^|\/)(?:package\.json|go\.mod|Cargo\.toml|pyproject\.toml|setup\.cfg|requirements[\w.-]*\.txt|Pipfile|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|[\w.-]+\.csproj|Directory\.Build\.props|tsconfig\.json)$/;
const HARNESS =
  /(?:^|\/)(?:(?:vitest|jest|playwright|karma|cypress)\.config\.[cm]?[jt]s|\.mocharc\.\w+|pytest\.ini|tox\.ini|phpunit\.xml(?:\.dist)?|\.rspec)$/;
const NOWHERE: ReadonlySet<string> = new Set();
const ENGINE =
  /^\s*(?:go \d|toolchain |rust-version|edition\b|requires-python|python_requires|"node"\s*:|"engines"|"php"\s*:|"target"\s*:|"strict"\s*:|ruby ["'\d]|<(?:java\.version|maven\.compiler\.(?:release|source)|TargetFrameworks?|LangVersion|Nullable)>|sourceCompatibility|jvmToolchain)/;
const IMPORTS =
  /^\s*(?:import\b|from\b|use\b|using\b|require\b|\}\s*from\b|#\s*include|export\b.*\bfrom\b|(?:const|let|var)\b.*\brequire\(|(?:[\w.]+\s+)?"[\w.-]+\/[^"]*"\s*$)/;

/** Where the imports of a file are looked for. */
const HEAD_LINES = 80;
const LINE_CHARS = 300;
/** Lines of one manifest. */
const MOST_LINES = 14;
const HARNESS_LINES = 40;
const MOST_MANIFESTS = 6;

/** Package files, and options of changed tests' harness, beside and above them, nearest first. */
export function manifestsOf(files: readonly FileDiff[], paths: Iterable<string>): readonly string[] {
  const above = (some: readonly FileDiff[]) => new Set(some.flatMap(({ path }) => foldersAbove(path)));
  const [folders, tested] = [above(files), above(files.filter(({ path }) => isTestPath(path)))];
  return [...paths]
    .filter((path) => (MANIFEST.test(path) ? folders : HARNESS.test(path) ? tested : NOWHERE).has(folderOf(path)))
    .sort((a, b) => b.split("/").length - a.split("/").length || (a < b ? -1 : 1))
    .slice(0, MOST_MANIFESTS);
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return Array.from({ length: parts.length + 1 }, (_, at) => parts.slice(0, at).join("/"));
}

/**
 * Packages that changed files import, changed lines first, or that changed manifest lines name.
 *
 * @param texts lines of each changed file at the head, by path
 */
export function importedPackages(
  files: readonly FileDiff[],
  texts: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const names = new Set<string>();
  const added = files.flatMap(({ path, hunks }) =>
    hunks.flatMap(({ lines }) => lines.flatMap(({ kind, text }) => (kind === "added" ? [{ path, text }] : []))),
  );
  const heads = files.flatMap(({ path }) =>
    MANIFEST.test(path) ? [] : (texts.get(path) ?? []).slice(0, HEAD_LINES).map((text) => ({ path, text })),
  );
  for (const { path, text } of [...added, ...heads]) {
    const isManifest = MANIFEST.test(path);
    if (isManifest || IMPORTS.test(text.slice(0, LINE_CHARS))) {
      const quoted = [...text.matchAll(/["'<]([@\w./-]+)["'>]/g)].map(([, name = ""]) => packageOf(name));
      const bare = /^\s*(?:use|import|from|using)\s+([\w-]+)/.exec(text)?.[1];
      const key = isManifest ? /^\s*["']?([\w@./-]+)["']?\s*[=:]/.exec(text)?.[1] : undefined;
      for (const name of [...quoted, bare, key])
        if (name !== undefined && name.length > 2 && !/^[./]|^\d/.test(name)) names.add(name);
    }
  }
  return names;
}

/** `@scope/name/part` → `@scope/name`; `github.com/owner/name/v2/x` → `github.com/owner/name`. */
function packageOf(name: string): string {
  const parts = name.split("/");
  if (name.startsWith("@")) return parts.slice(0, 2).join("/");
  return parts[0]?.includes(".") === true ? parts.slice(0, 3).join("/") : (parts[0] ?? "");
}

/** 1-based lines that name the engine or a package; of a harness's options the first. */
export function tellingLines(path: string, lines: readonly string[], packages: ReadonlySet<string>): readonly number[] {
  if (HARNESS.test(path)) return lines.slice(0, HARNESS_LINES).map((_, at) => at + 1);
  const isTelling = (line: string) =>
    ENGINE.test(line) || (line.match(/[@\w][@\w./-]*/g) ?? []).some((word) => packages.has(word));
  return lines.flatMap((line, at) => (isTelling(line) ? [at + 1] : [])).slice(0, MOST_LINES);
}
