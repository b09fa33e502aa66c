// Which lines of package files say what a change builds on: the declared engine, and the versions of packages that it imports.
import type { FileDiff } from "../domain/pull-request.ts";

const MANIFEST =
  /(?:^|\/)(?:package\.json|go\.mod|Cargo\.toml|pyproject\.toml|setup\.cfg|requirements[\w.-]*\.txt|Pipfile|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|[\w.-]+\.csproj|Directory\.Build\.props|tsconfig\.json)$/;
const ENGINE =
  /^\s*(?:go \d|toolchain |rust-version|edition\b|requires-python|python_requires|"node"\s*:|"engines"|"php"\s*:|"target"\s*:|"strict"\s*:|ruby ["'\d]|<(?:java\.version|maven\.compiler\.(?:release|source)|TargetFrameworks?|LangVersion|Nullable)>|sourceCompatibility|jvmToolchain)/;
const IMPORTS =
  /^\s*(?:import\b|from\b|use\b|using\b|require\b|#\s*include|export\b.*\bfrom\b|(?:const|let|var)\b.*\brequire\(|(?:[\w.]+\s+)?"[\w.-]+\/[^"]*"\s*$)/;

/** Lines of one manifest. */
const MOST_LINES = 14;
const MOST_MANIFESTS = 6;

/** Package files beside and above the changed files, the nearest first. */
export function manifestsOf(files: readonly FileDiff[], paths: Iterable<string>): readonly string[] {
  const folders = new Set(files.flatMap(({ path }) => foldersAbove(path)));
  return [...paths]
    .filter((path) => MANIFEST.test(path) && folders.has(path.split("/").slice(0, -1).join("/")))
    .sort((a, b) => b.split("/").length - a.split("/").length || (a < b ? -1 : 1))
    .slice(0, MOST_MANIFESTS);
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return Array.from({ length: parts.length + 1 }, (_, at) => parts.slice(0, at).join("/"));
}

/** Packages that changed lines import, or name in a package file. */
export function importedPackages(files: readonly FileDiff[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { path, hunks } of files) {
    const isManifest = MANIFEST.test(path);
    for (const { kind, text } of hunks.flatMap(({ lines }) => lines)) {
      if (kind !== "added" || (!isManifest && !IMPORTS.test(text))) continue;
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

/** Lines of a manifest that name the engine or one of the packages, 1-based. */
export function tellingLines(lines: readonly string[], packages: ReadonlySet<string>): readonly number[] {
  const isTelling = (line: string) =>
    ENGINE.test(line) || (line.match(/[@\w][@\w./-]*/g) ?? []).some((word) => packages.has(word));
  return lines.flatMap((line, at) => (isTelling(line) ? [at + 1] : [])).slice(0, MOST_LINES);
}
