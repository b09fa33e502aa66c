// The analyze stage: derives the signals from the pull request that gather read. Pure: no port, no
// clock; the same context gives the same signals.

import { fileList } from "../config/patterns.ts";
import type { RepoConfig } from "../config/repo-config.ts";
import { classifyLanguage, languageShares } from "../domain/code/languages.ts";
import { isTestPath } from "../domain/code/paths.ts";
import { isSource } from "../domain/omissions.ts";
import type { Author, AuthorFacts, FileDiff, PullRequestContext } from "../domain/pull-request.ts";
import type {
  AuthorAssessment,
  AuthorTier,
  ChangeMetrics,
  FileFacts,
  FileKind,
  ReviewSignals,
} from "../domain/signals.ts";
import { parseIntent } from "./intent.ts";
import { risks } from "./risk.ts";

/** Characters of a file that are read when its name does not determine the language. */
const HEAD_READ = 2000;

/**
 * Intent, languages, risks, author and size of a change. Never throws, for any paths and texts.
 *
 * Files left out count only as neighbours: a header beside vendored C++ is C++.
 */
export function analyze(context: PullRequestContext): ReviewSignals {
  const { pull, files, config } = context;
  const siblings = [...files, ...context.leftOut].map((file) => file.path);
  const kindOf = fileKinds(config.fileKinds);
  const isNamedDocs = fileList(config.fileKinds.docs);
  const classify = (file: FileDiff) => ({
    language: classifyLanguage(file.path, { siblings, ...knownText(file, context.headTexts) }),
    changedLines: file.additions + file.deletions,
    path: file.path,
  });
  const factsOf = ({ path, language: { language, type } }: ReturnType<typeof classify>) => {
    const kind = kindOf(path);
    // Named like prose, and run: its `#!` line says so. What the configuration calls documents
    // stays one.
    const isRun = kind === "docs" && type === "programming" && !isSource({ path }) && !isNamedDocs(path);
    return { path, language, kind: isRun ? "source" : kind } satisfies FileFacts;
  };
  const classified = files.map(classify);
  const facts = classified.map(factsOf);
  return {
    intent: parseIntent({ ...pull, headRef: pull.head.ref }),
    files: facts,
    spared: context.spared.map((file) => factsOf(classify(file))),
    languages: languageShares(classified),
    risks: risks(files, facts, context.leftOut),
    author: assessAuthor(pull.author, context.authorFacts),
    metrics: changeMetrics(files, facts),
  };
}

/** The beginning of the head file, else the hunks' head side, or a removed file's lines. */
function knownText(file: FileDiff, headTexts: ReadonlyMap<string, string>): { content: string; partial: boolean } {
  const head = headTexts.get(file.path);
  if (head !== undefined) return { content: head.slice(0, HEAD_READ), partial: false };
  const removed = file.status === "removed";
  const first = file.hunks[0];
  const partial = (removed ? first?.oldStart : first?.newStart) !== 1;
  let content = "";
  for (const line of file.hunks.flatMap((hunk) => hunk.lines)) {
    if (content.length >= HEAD_READ) break;
    if (line.kind !== (removed ? "added" : "removed")) content += `${line.text.slice(0, HEAD_READ)}\n`;
  }
  return { content, partial };
}

/** A file's canonical language id, or `unknown`; `siblings`, other paths, decide for a header. */
export function languageOf(path: string, siblings: readonly string[] = []): string {
  return classifyLanguage(path, { siblings }).language;
}

/** A single file's languages, as if it alone were changed: [] for prose and data. */
export function sharesOfFile(path: string, siblings: readonly string[]): ReviewSignals["languages"] {
  return languageShares([{ language: classifyLanguage(path, { siblings }), changedLines: 1 }]);
}

// How well the author knows the repository: a hint for retrieval and tone, never a permission.

const CORE = new Set(["OWNER", "MEMBER"]);
const NEWCOMER = new Set(["FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR"]);
const KNOWN = new Set(["COLLABORATOR", "CONTRIBUTOR"]);

/** An author with this many merged pull requests is regular, or core. */
const REGULAR_FROM = 2;
const CORE_FROM = 10;

/**
 * The author's tier. A decisive association comes first; then merged pull requests, if known,
 * because CONTRIBUTOR covers one merged typo and a hundred features alike; then the rest of the
 * association.
 *
 * @param author `association` in any case; an empty or unknown one counts as none
 * @param facts `mergedPullRequests` null when unknown
 */
export function assessAuthor(author: Pick<Author, "association">, facts: AuthorFacts): AuthorAssessment {
  const association = author.association.toUpperCase();
  const because = `association ${association === "" ? "unknown" : association}`;
  if (CORE.has(association)) return { tier: "core", because, isKnown: true };
  if (NEWCOMER.has(association)) return { tier: "first-time", because, isKnown: true };
  const merged = facts.mergedPullRequests;
  if (merged !== null)
    return {
      tier: tierOfCount(merged),
      because: `${merged} merged pull request${merged === 1 ? "" : "s"}`,
      isKnown: true,
    };
  const isKnown = KNOWN.has(association);
  return { tier: isKnown ? "regular" : "first-time", because, isKnown };
}

function tierOfCount(merged: number): AuthorTier {
  if (merged >= CORE_FROM) return "core";
  return merged >= REGULAR_FROM ? "regular" : "first-time";
}

// The size of the change.

/**
 * Counts over the reviewed files: lines as the source counts them, also without delivered hunks.
 *
 * @param files the reviewed files, with `facts` in the same order
 */
export function changeMetrics(files: readonly FileDiff[], facts: readonly FileFacts[]): ChangeMetrics {
  const filesByKind: Record<FileKind, number> = { source: 0, test: 0, config: 0, docs: 0, infra: 0 };
  for (const { kind } of facts) filesByKind[kind]++;
  return {
    files: files.length,
    added: sum(files, (file) => file.additions),
    removed: sum(files, (file) => file.deletions),
    hunks: sum(files, (file) => file.hunks.length),
    filesByKind,
  };
}

function sum(files: readonly FileDiff[], of: (file: FileDiff) => number): number {
  return files.reduce((total, file) => total + of(file), 0);
}

// The kind of a changed file, from its path alone.

/**
 * First match wins; tests come before all of these. Infrastructure comes before configuration,
 * because a workflow is YAML but runs with the repository's keys; names such as CMakeLists.txt come
 * before `.txt`.
 */
const PATTERNS = {
  infra: [
    /(?:^|\/)\.github\/(?:workflows|actions)\/|(?:^|\/)(?:\.circleci|\.buildkite|\.gitlab|\.azure-pipelines|\.tekton|\.woodpecker|\.pipelines)\//,
    /(?:^|\/)(?:infra|infrastructure|terraform|helm|charts?|k8s|kubernetes|ansible|deploy|deployments?|kustomize|docker|puppet|packer|pulumi)\//i,
    /(?:^|\/)(?:docker|container)file(?:[.-][\w.-]+)?$|\.dockerfile$|(?:^|\/)(?:docker-)?compose[\w.-]*\.ya?ml$|(?:^|\/)\.dockerignore$/i,
    /(?:^|\/)(?:jenkinsfile|vagrantfile|procfile|tiltfile|earthfile)(?:\.[\w-]+)?$/i,
    /(?:^|\/)(?:\.gitlab-ci|\.travis|appveyor|\.drone|azure-pipelines|bitbucket-pipelines|cloudbuild|\.cirrus|buildspec|action|skaffold|fly|render|serverless)\.(?:ya?ml|toml)$/i,
    /\.(?:tf|tfvars|hcl|bicep|nomad|tofu)$|(?:^|\/)action\.ya?ml$/i,
  ],
  config: [
    /(?:^|\/)(?:cmakelists|requirements[\w.-]*|constraints)\.txt$|(?:^|\/)(?:gnu)?makefile(?:\.[\w-]+)?$|\.(?:cmake|mk|bazel|bzl|gradle)$|\.gradle\.kts$/i,
    /(?:^|\/)(?:WORKSPACE|BUILD|Gemfile|Rakefile|Pipfile|Podfile|Brewfile|meson\.build|build\.xml|pom\.xml|setup\.(?:py|cfg)|go\.(?:mod|sum|work)|build\.sbt)$/,
    /(?:^|\/)\.github\/|(?:^|\/)(?:\.vscode|\.idea|\.devcontainer|\.husky)\//,
    /\.(?:json|jsonc|json5|ya?ml|toml|ini|cfg|conf|config|properties|env|lock|editorconfig|plist|csproj|fsproj|vbproj|vcxproj|sln|props|targets|xcconfig|gemspec|podspec|cabal)$/i,
    /(?:^|\/)[^/]+\.(?:config|conf|setup)\.[cm]?[jt]sx?$|(?:^|\/)\.[^/]+$|(?:^|\/)\.[^/]*rc\.[cm]?js$/,
  ],
  docs: [
    /\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|org|pod|rdoc|wiki|tex)$/i,
    /(?:^|\/)(?:docs?|documentation|man|javadoc)\//i,
    // Without a small extension (LICENSE.APACHE): src/security.ts and install.sh are code.
    /(?:^|\/)(?:README|CHANGE(?:S|LOG)|CONTRIBUTING|COPYING|LICEN[CS]E|UNLICENSE|NOTICE|AUTHORS|HISTORY|INSTALL|NEWS|SECURITY|CODE_OF_CONDUCT|THANKS|CREDITS|CITATION)(?:-[\w-]+)?$/i,
    /(?:^|\/)(?:README|COPYING|LICEN[CS]E|NOTICE)\.[A-Z][\w-]*$/,
  ],
} as const;

/** Documents whose extension build tools or agents would otherwise claim. */
const DOCS_FIRST = /(?:^|\/)(?:readme|changelog|contributing|license|security)(?:\.[\w-]+)*\.(?:md|rst|txt|adoc)$/i;

/**
 * @param fileKinds further globs of `.kodiai.yml`, tried before the built-in patterns in the order
 * test, config, docs, infra
 * @returns path → kind; `source` when nothing matches
 */
export function fileKinds(fileKinds: RepoConfig["fileKinds"]): (path: string) => FileKind {
  const own = (["test", "config", "docs", "infra"] as const).map((kind) => ({ kind, has: fileList(fileKinds[kind]) }));
  return (path) => own.find(({ has }) => has(path))?.kind ?? builtInKind(path);
}

function builtInKind(path: string): FileKind {
  if (isTestPath(path)) return "test";
  if (DOCS_FIRST.test(path)) return "docs";
  const kinds = ["infra", "config", "docs"] as const;
  return kinds.find((kind) => PATTERNS[kind].some((pattern) => pattern.test(path))) ?? "source";
}
