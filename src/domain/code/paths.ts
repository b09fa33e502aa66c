// What a path says: its folder, and whether the file is a test.

/** The habits of most languages. A fixture is a test in any format. */
const TESTS: readonly RegExp[] = [
  /(?:^|\/)(?:tests?|__tests__|__mocks__|__fixtures__|__snapshots__|testing|testdata|test-data|fixtures?|specs?|e2e|cypress|testsuite|androidTest|integration-tests?|unit-tests?)\//i,
  /[._-](?:test|tests|spec|specs|e2e|cy)\.[a-z]+$/i,
  /(?:^|\/)(?:test|spec)_[^/]+\.[a-z]+$|(?:^|\/)(?:conftest\.py|test\.[a-z]+)$/,
  /[a-z0-9](?:Test|Tests|TestCase|Spec|IT)\.(?:java|kt|kts|scala|groovy|cs|swift|php|m|mm|cpp|cc|fs|vb)$/,
  /(?:^|\/)[^/]*[._]test\.go$|(?:^|\/)(?:jest|vitest|playwright|karma|cypress)\.(?:config|setup)\.[cm]?[jt]s$|\.snap$/,
];

/** Whether a file is a test by its path. */
export function isTestPath(path: string): boolean {
  return TESTS.some((pattern) => pattern.test(path));
}

const SHOWN =
  /\.(?:example|sample|template|tmpl|dist|tpl)$|(?:^|[/._-])(?:docs?|examples?|samples?|templates?|demos?|fixtures?|testdata|mocks?|__snapshots__|bench(?:marks?)?|evals?)(?:[/._-]|$)/i;

/** Whether a file shows or measures: documentation, samples, templates, benchmarks. */
export function isShownPath(path: string): boolean {
  return SHOWN.test(path);
}

const PIPELINE =
  /(?:^|\/)(?:\.github\/(?:workflows|actions)\/.+|\.gitlab-ci[^/]*|\.gitlab\/.+|azure-pipelines[^/]*|\.travis|appveyor|\.circleci\/config|bitbucket-pipelines|cloudbuild|\.drone|buildspec|\.woodpecker[^/]*|action)\.ya?ml$/i;

/** Whether a file is a pipeline: its lines are commands that run with a repository's keys. */
export function isPipelinePath(path: string): boolean {
  return PIPELINE.test(path);
}

/** The folder of a file, without a slash at its end; "" at the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Before another extension these belong to it: `cart.d.ts`, `cart.blade.php`, `cart.html.erb`. */
const BEFORE_EXTENSION = /(?<=[^/])\.(?:d|blade|html?|css|js|json|md|te?xt|xml|ya?ml)$/i;

/** The path without its file's extension; `.env` has none. */
export function withoutExtension(path: string): string {
  const dot = path.lastIndexOf(".");
  return dot > path.lastIndexOf("/") + 1 ? path.slice(0, dot).replace(BEFORE_EXTENSION, "") : path;
}

/** The last part of a path: the name of the file. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

const LOCK_FILES = new Set(
  (
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock " +
    "cargo.lock go.sum go.work.sum poetry.lock uv.lock pdm.lock pipfile.lock pixi.lock " +
    "gemfile.lock composer.lock packages.lock.json project.assets.json flake.lock gradle.lockfile " +
    "buildscript-gradle.lockfile mix.lock pubspec.lock podfile.lock package.resolved cartfile.resolved " +
    ".terraform.lock.hcl module.bazel.lock conan.lock rebar.lock symfony.lock"
  ).split(" "),
);

/** Whether a file is one in which a package manager locks versions. */
export function isLockFile(path: string): boolean {
  return LOCK_FILES.has(nameOf(path).toLowerCase());
}
