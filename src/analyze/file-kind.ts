// The kind of a changed file, from its path alone: test, infrastructure, documentation, configuration or source.

import { pathGlob } from "../config/patterns.ts";
import type { RepoConfig } from "../config/repo-config.ts";
import { isTestPath } from "../domain/code/paths.ts";
import type { FileKind } from "../domain/signals.ts";

type Table = readonly (readonly [kind: FileKind, patterns: readonly RegExp[]])[];

/**
 * First match wins; tests come before all of these. Infrastructure comes before configuration,
 * because a workflow is YAML but runs with the repository's keys; names such as CMakeLists.txt come before `.txt`.
 */
const TABLE: Table = [
  [
    "infra",
    [
      /(?:^|\/)\.github\/(?:workflows|actions)\/|(?:^|\/)(?:\.circleci|\.buildkite|\.gitlab|\.azure-pipelines|\.tekton|\.woodpecker|\.pipelines)\//,
      /(?:^|\/)(?:infra|infrastructure|terraform|helm|charts?|k8s|kubernetes|ansible|deploy|deployments?|kustomize|docker|puppet|packer|pulumi)\//i,
      /(?:^|\/)(?:docker|container)file(?:[.-][\w.-]+)?$|\.dockerfile$|(?:^|\/)(?:docker-)?compose[\w.-]*\.ya?ml$|(?:^|\/)\.dockerignore$/i,
      /(?:^|\/)(?:jenkinsfile|vagrantfile|procfile|tiltfile|earthfile)(?:\.[\w-]+)?$/i,
      /(?:^|\/)(?:\.gitlab-ci|\.travis|appveyor|\.drone|azure-pipelines|bitbucket-pipelines|cloudbuild|\.cirrus|buildspec|action|skaffold|fly|render|serverless)\.(?:ya?ml|toml)$/i,
      /\.(?:tf|tfvars|hcl|bicep|nomad|tofu)$|(?:^|\/)action\.ya?ml$/i,
    ],
  ],
  [
    "config",
    [
      /(?:^|\/)(?:cmakelists|requirements[\w.-]*|constraints)\.txt$|(?:^|\/)(?:gnu)?makefile(?:\.[\w-]+)?$|\.(?:cmake|mk|bazel|bzl|gradle)$|\.gradle\.kts$/i,
      /(?:^|\/)(?:WORKSPACE|BUILD|Gemfile|Rakefile|Pipfile|Podfile|Brewfile|meson\.build|build\.xml|pom\.xml|setup\.(?:py|cfg)|go\.(?:mod|sum|work)|build\.sbt)$/,
      /(?:^|\/)\.github\/|(?:^|\/)(?:\.vscode|\.idea|\.devcontainer|\.husky)\//,
      /\.(?:json|jsonc|json5|ya?ml|toml|ini|cfg|conf|config|properties|env|lock|editorconfig|plist|csproj|fsproj|vbproj|vcxproj|sln|props|targets|xcconfig|gemspec|podspec|cabal)$/i,
      /(?:^|\/)[^/]+\.(?:config|conf|setup)\.[cm]?[jt]sx?$|(?:^|\/)\.[^/]+$|(?:^|\/)\.[^/]*rc\.[cm]?js$/,
    ],
  ],
  [
    "docs",
    [
      /\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|org|pod|rdoc|wiki|tex)$/i,
      /(?:^|\/)(?:docs?|documentation|man|javadoc)\//i,
      // Without an extension, or with one in capitals (LICENSE.APACHE): src/security.ts and install.sh are code.
      /(?:^|\/)(?:README|CHANGE(?:S|LOG)|CONTRIBUTING|COPYING|LICEN[CS]E|UNLICENSE|NOTICE|AUTHORS|HISTORY|INSTALL|NEWS|SECURITY|CODE_OF_CONDUCT|THANKS|CREDITS|CITATION)(?:-[\w-]+)?$/i,
      /(?:^|\/)(?:README|COPYING|LICEN[CS]E|NOTICE)\.[A-Z][\w-]*$/,
    ],
  ],
];

/** Documents whose extension build tools or agents would otherwise claim. */
const DOCS_FIRST = /(?:^|\/)(?:readme|changelog|contributing|license|security)(?:\.[\w-]+)*\.(?:md|rst|txt|adoc)$/i;

/**
 * A classifier for one repository's settings; compile it once for a review.
 *
 * @param fileKinds further globs of `.kodiai.yml`, tried before the built-in table in the order test, config, docs,
 * infra
 * @returns path → kind; `source` when nothing matches
 */
export function fileKinds(fileKinds: RepoConfig["fileKinds"]): (path: string) => FileKind {
  const own = (["test", "config", "docs", "infra"] as const)
    .filter((kind) => fileKinds[kind].length > 0)
    .map((kind) => [kind, anyOf(fileKinds[kind])] as const);
  return (path) => own.find(([, matches]) => matches(path))?.[0] ?? builtInKind(path);
}

/** An invalid glob matches nothing; the configuration has reported it. */
function anyOf(globs: readonly string[]): (path: string) => boolean {
  const read = globs.map((glob) => pathGlob(glob)).flatMap((glob) => ("problem" in glob ? [] : [glob.matches]));
  return (path) => read.some((matches) => matches(path));
}

function builtInKind(path: string): FileKind {
  if (isTestPath(path)) return "test";
  if (DOCS_FIRST.test(path)) return "docs";
  return TABLE.find(([, patterns]) => patterns.some((pattern) => pattern.test(path)))?.[0] ?? "source";
}
