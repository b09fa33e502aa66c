// Derives the ecosystem of a bump from branch, changed files and title.
import { nameOf } from "../domain/code/paths.ts";
import type { BumpTitle } from "./dependency-bump-title.ts";

/** Dependabot's names for package managers, as in its branches and group names. */
const DEPENDABOT: ReadonlyMap<string, string> = ecosystems({
  npm: "npm_and_yarn bun",
  python: "pip uv conda",
  go: "go_modules",
  rust: "cargo",
  ruby: "bundler",
  java: "maven gradle",
  php: "composer",
  dotnet: "nuget dotnet_sdk",
  "github-actions": "github_actions",
  docker: "docker docker_compose",
  "git-submodules": "submodules",
  elixir: "hex",
  dart: "pub",
  elm: "elm",
  swift: "swift",
  terraform: "terraform opentofu",
  helm: "helm",
  devcontainers: "devcontainers",
});

/** File name, lower-cased → ecosystem. */
const MANIFESTS: ReadonlyMap<string, string> = ecosystems({
  npm: "package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml bun.lock bun.lockb",
  python: "pyproject.toml poetry.lock pipfile pipfile.lock setup.py setup.cfg uv.lock pdm.lock environment.yml",
  go: "go.mod go.sum",
  rust: "cargo.toml cargo.lock",
  ruby: "gemfile gemfile.lock",
  java: "pom.xml build.gradle build.gradle.kts gradle.lockfile libs.versions.toml gradle-wrapper.properties build.sbt",
  php: "composer.json composer.lock",
  dotnet: "packages.config packages.lock.json directory.packages.props global.json",
  docker: "dockerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml",
  "github-actions": "action.yml action.yaml",
  elixir: "mix.exs mix.lock",
  dart: "pubspec.yaml pubspec.lock",
  swift: "package.swift package.resolved",
  helm: "chart.yaml chart.lock",
  terraform: ".terraform.lock.hcl",
  "git-submodules": ".gitmodules",
  "pre-commit": ".pre-commit-config.yaml",
});

/** Each of the names → its ecosystem. */
function ecosystems(names: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(names).flatMap(([key, all]) => all.split(" ").map((name) => [name, key] as const)));
}

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)\.github\/workflows\/[^/]{1,255}\.ya?ml$/i, "github-actions"],
  [/(?:^|\/)[^/]{0,100}requirements[^/]{0,100}\.(?:txt|in)$/i, "python"],
  [/\.(?:cs|fs|vb)proj$/i, "dotnet"],
  [/\.gemspec$/i, "ruby"],
  [/\.tf$/i, "terraform"],
  [/(?:^|\/)[^/]{0,100}dockerfile[^/]{0,100}$/i, "docker"],
];

/** By Renovate's word for the thing. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^action$/, "github-actions"],
  [/^(?:docker (?:tag|digest)|image)$/, "docker"],
  [/^(?:rust )?crate$/, "rust"],
  [/^gem$/, "ruby"],
  [/^helm release$/, "helm"],
  [/^pre-commit hook$/, "pre-commit"],
  [/^terraform$/, "terraform"],
];

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(?:actions|github\/codeql-action|docker\/[a-z-]{1,60}-action)(?:\/|$)/i, "github-actions"],
  [/-action(?:\/|$)/i, "github-actions"],
  [/^(?:github\.com|golang\.org|google\.golang\.org|gopkg\.in|k8s\.io|go\.uber\.org|cloud\.google\.com\/go)\//i, "go"],
  [/^(?:ghcr\.io|docker\.io|mcr\.microsoft\.com|quay\.io)\//i, "docker"],
  [/^@[a-z0-9~-][\w.~-]{0,100}\/[\w.~-]{1,100}$/i, "npm"],
];

/** The branch is most reliable; then files, when all manifests agree; then the title. Null when none determines it. */
export function bumpEcosystem(input: {
  readonly headRef: string;
  readonly files: readonly { readonly path: string }[];
  readonly title: BumpTitle | null;
}): string | null {
  return fromBranch(input.headRef) ?? fromFiles(input.files) ?? fromTitle(input.title);
}

function fromBranch(headRef: string): string | null {
  const rest = /^dependabot[/_-](.{1,40})/.exec(headRef)?.[1] ?? "";
  // The separator may itself be `_`, so whole names are tried, the longest first, because `docker_compose` begins with
  // `docker`.
  const name = [...DEPENDABOT.keys()]
    .filter((key) => rest === key || (rest.startsWith(key) && "/_-".includes(rest[key.length] ?? "?")))
    .sort((a, b) => b.length - a.length)[0];
  return name === undefined ? null : (DEPENDABOT.get(name) ?? null);
}

function fromFiles(files: readonly { readonly path: string }[]): string | null {
  const found = new Set(files.flatMap(({ path }) => ofFile(path) ?? []));
  return found.size === 1 ? ([...found][0] ?? null) : null;
}

function ofFile(path: string): string | null {
  return MANIFESTS.get(nameOf(path).toLowerCase()) ?? firstMatch(PATTERNS, path);
}

function fromTitle(title: BumpTitle | null): string | null {
  if (title === null) return null;
  return firstMatch(KINDS, title.kind ?? "") ?? firstMatch(NAMES, title.packageName ?? "");
}

/** What the first pattern that the text matches stands for, or null. */
export function firstMatch<Value>(rules: readonly (readonly [RegExp, Value])[], text: string): Value | null {
  return rules.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}
