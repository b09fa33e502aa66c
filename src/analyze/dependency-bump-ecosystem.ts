// Derives the ecosystem of a bump from branch, changed files and title.
import type { BumpTitle } from "./dependency-bump-title.ts";

/** Dependabot's names for package managers, as in its branches and group names. */
const DEPENDABOT: ReadonlyMap<string, string> = new Map([
  ["npm_and_yarn", "npm"],
  ["bun", "npm"],
  ["pip", "python"],
  ["uv", "python"],
  ["conda", "python"],
  ["go_modules", "go"],
  ["cargo", "rust"],
  ["bundler", "ruby"],
  ["maven", "java"],
  ["gradle", "java"],
  ["composer", "php"],
  ["nuget", "dotnet"],
  ["dotnet_sdk", "dotnet"],
  ["github_actions", "github-actions"],
  ["docker_compose", "docker"],
  ["docker", "docker"],
  ["submodules", "git-submodules"],
  ["hex", "elixir"],
  ["pub", "dart"],
  ["elm", "elm"],
  ["swift", "swift"],
  ["terraform", "terraform"],
  ["opentofu", "terraform"],
  ["helm", "helm"],
  ["devcontainers", "devcontainers"],
]);

/** File name, lower-cased → ecosystem. */
const MANIFESTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
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
  }).flatMap(([ecosystem, names]) => names.split(" ").map((name) => [name, ecosystem] as const)),
);

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)\.github\/workflows\/[^/]{1,255}\.ya?ml$/i, "github-actions"],
  [/(?:^|\/)[^/]{0,100}requirements[^/]{0,100}\.(?:txt|in)$/i, "python"],
  [/\.(?:cs|fs|vb)proj$/i, "dotnet"],
  [/\.gemspec$/i, "ruby"],
  [/\.tf$/i, "terraform"],
  [/(?:^|\/)[^/]{0,100}dockerfile[^/]{0,100}$/i, "docker"],
];

const KINDS: ReadonlyMap<string, string> = new Map([
  ["action", "github-actions"],
  ["docker tag", "docker"],
  ["docker digest", "docker"],
  ["image", "docker"],
  ["rust crate", "rust"],
  ["crate", "rust"],
  ["gem", "ruby"],
  ["helm release", "helm"],
  ["pre-commit hook", "pre-commit"],
  ["terraform", "terraform"],
]);

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
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return MANIFESTS.get(name) ?? PATTERNS.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}

function fromTitle(title: BumpTitle | null): string | null {
  if (title === null) return null;
  const kind = title.kind === null ? null : (KINDS.get(title.kind) ?? null);
  const name = title.packageName ?? "";
  return kind ?? NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
