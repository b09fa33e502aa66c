// What GitHub knows about packages: its dependency graph, its advisories, and releases of public repositories. All of it comes
// from the API's own origin, within a review's permissions; a failed lookup is an answer with its reason.

import type { Answer, GraphRow, PublishedAdvisory } from "../../../domain/dependency-update.ts";
import { Transient } from "../../../domain/errors.ts";
import type { Severity } from "../../../domain/finding.ts";
import { cutText } from "../../../domain/text/cut-text.ts";
import type { Dependencies, Release } from "../../../ports/dependency.ts";
import type { GitHub } from "../clients.ts";
import { hourOf, placeOf, statusOf } from "../requests.ts";
import { translated } from "../translate-error.ts";

/** Our names → those of GitHub's advisories. */
const ECOSYSTEMS = {
  npm: "npm",
  python: "pip",
  go: "go",
  rust: "rust",
  ruby: "rubygems",
  java: "maven",
  php: "composer",
  dotnet: "nuget",
  "github-actions": "actions",
  elixir: "erlang",
  dart: "pub",
  swift: "swift",
} as const;

type AdvisoryWord = (typeof ECOSYSTEMS)[keyof typeof ECOSYSTEMS];
const ADVISORY_WORDS: ReadonlyMap<string, AdvisoryWord> = new Map(Object.entries(ECOSYSTEMS));

/** The dependency graph's names where they differ again. */
const GRAPH_WORDS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ECOSYSTEMS).map(([ours, theirs]) => [theirs as string, ours] as const),
  ["gomod", "go"],
  ["golang", "go"],
  ["cargo", "rust"],
  ["gem", "ruby"],
  ["pypi", "python"],
  ["githubactions", "github-actions"],
  ["hex", "elixir"],
]);

const SEVERITIES: ReadonlyMap<string, Severity> = new Map([
  ["critical", "critical"],
  ["high", "major"],
  ["medium", "medium"],
  ["moderate", "medium"],
  ["low", "minor"],
]);

const RELEASES_A_PAGE = 50;
const RELEASE_PAGES = 2;
/** GitHub's limit for a release's body is 125,000 characters; a page of them is too much text. */
const MOST_NOTES = 60_000;

/** The port for one repository's token. Its methods never reject. */
export function githubDependencies(github: GitHub): Dependencies {
  let short: string | null = null;

  async function answer<Value>(refusals: Refusals, read: () => Promise<Read<Value>>): Promise<Answer<Value>> {
    if (short !== null) return { kind: "unknown", reason: short };
    try {
      const { value, headers } = await translated(read);
      if (hourOf(headers)?.isEnough === false)
        short = "the rest of this hour's GitHub requests is reserved for reviews";
      return { kind: "read", value };
    } catch (error) {
      // After a rate limit no further request is sent.
      if (error instanceof Transient && error.notBefore !== null) short = error.message;
      const refusal = refusals.get(statusOf(error)) ?? "the question failed";
      return { kind: "unknown", reason: error instanceof Transient ? error.message : refusal };
    }
  }

  return {
    changes: (repo, baseSha, headSha) =>
      answer(NO_GRAPH, async () => {
        const at = { ...placeOf(repo), basehead: `${baseSha}...${headSha}` };
        const { data, headers } = await github.rest.dependencyGraph.diffRange(at);
        return { value: data.map(graphRow), headers };
      }),
    advisories: (ecosystem, packages, type) =>
      answer(NO_ADVISORIES, async () => {
        const word: AdvisoryWord | "other" = ADVISORY_WORDS.get(ecosystem) ?? "other";
        const affects = packages.map(({ name, version }) => `${name}@${version}`).join(",");
        const asked = { ecosystem: word, affects, type, per_page: 100 };
        const { data, headers } = await github.rest.securityAdvisories.listGlobalAdvisories(asked);
        return { value: data.filter((one) => one.withdrawn_at === null).map(published), headers };
      }),
    releases: (source) => answer(NO_RELEASES, () => readReleases(github, source)),
  };
}

interface Read<Value> {
  readonly value: Value;
  readonly headers: Readonly<Record<string, unknown>>;
}

async function readReleases(
  github: GitHub,
  { owner, name }: { readonly owner: string; readonly name: string },
): Promise<Read<{ readonly releases: readonly Release[]; readonly complete: boolean }>> {
  const releases: Release[] = [];
  for (let page = 1; ; page++) {
    const at = { owner, repo: name, per_page: RELEASES_A_PAGE, page };
    const { data, headers } = await github.rest.repos.listReleases(at);
    for (const { tag_name: tag, body, prerelease, draft } of data) {
      if (!draft) releases.push({ tag, body: cutText(body ?? "", MOST_NOTES), prerelease });
    }
    const complete = data.length < RELEASES_A_PAGE;
    if (complete || page === RELEASE_PAGES || hourOf(headers)?.isEnough === false)
      return { value: { releases, complete }, headers };
  }
}

type GraphChange = Awaited<ReturnType<GitHub["rest"]["dependencyGraph"]["diffRange"]>>["data"][number];

function graphRow(row: GraphChange): GraphRow {
  return {
    change: row.change_type,
    manifest: row.manifest,
    ecosystem: GRAPH_WORDS.get(row.ecosystem.toLowerCase()) ?? null,
    name: row.name,
    version: row.version,
    licence: row.license,
    sourceUrl: row.source_repository_url,
    advisories: row.vulnerabilities.map((one) => ({
      id: one.advisory_ghsa_id,
      severity: severityOf(one.severity),
      summary: one.advisory_summary,
    })),
  };
}

type GlobalAdvisory = Awaited<ReturnType<GitHub["rest"]["securityAdvisories"]["listGlobalAdvisories"]>>["data"][number];

function published(one: GlobalAdvisory): PublishedAdvisory {
  const malware = one.type === "malware";
  return {
    id: one.ghsa_id,
    severity: malware ? "critical" : severityOf(one.severity),
    summary: one.summary,
    malware,
    ranges: (one.vulnerabilities ?? []).flatMap((vulnerability) => {
      const name = vulnerability.package?.name;
      const range = vulnerability.vulnerable_version_range ?? null;
      return name == null ? [] : [{ name, range, patched: vulnerability.first_patched_version ?? null }];
    }),
  };
}

/** An advisory without a severity still counts. */
function severityOf(word: string): Severity {
  return SEVERITIES.get(word.toLowerCase()) ?? "medium";
}

type Refusals = ReadonlyMap<number, string>;

const NO_GRAPH: Refusals = new Map([
  [403, "GitHub does not compare dependencies of this repository (403)"],
  [404, "it is not enabled for this repository"],
]);
const NO_ADVISORIES: Refusals = new Map([
  [403, "GitHub refuses to list advisories (403)"],
  [404, "this GitHub has no list of advisories"],
  [422, "GitHub rejects the query about these packages"],
]);
const NO_RELEASES: Refusals = new Map([
  [403, "GitHub refuses to list its releases (403)"],
  [404, "its source repository cannot be read"],
]);
