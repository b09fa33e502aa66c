// What the fake GitHub knows about packages: advisories, dependency graphs, and releases of repositories that live elsewhere.
// Whether an advisory holds at a version is decided by npm's own ranges, not by the code under test.
import { Hono } from "hono";
import semver from "semver";
import { type Json, now, Refusal } from "./conversation.ts";
import { type Hub, invalid, paged, type RouteEnv, repositoryOf } from "./hub.ts";
import type { AdvisoryFacts, GraphFacts, ReleaseFacts } from "./package-data.ts";
import { userJson, WEB } from "./shapes.ts";

export function packageRoutes(hub: Hub): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>();
  const { packages } = hub;

  routes.get("/advisories", (c) => {
    const query = (name: string) => c.req.query(name);
    const affects = (query("affects") ?? "").split(",").map(packageAt);
    if (affects.length > 1000) throw invalid("Advisory", "affects", "invalid", "too many packages");
    const found = packages.advisories.filter(
      (one) =>
        one.ecosystem === query("ecosystem") &&
        (one.type ?? "reviewed") === (query("type") ?? "reviewed") &&
        affects.some(({ name, version }) =>
          one.affects.some((range) => range.name === name && holds(range.range, version)),
        ),
    );
    return paged(hub, c, found, (page) => page.map(advisoryJson));
  });

  routes.get("/repos/:owner/:repo/dependency-graph/compare/:basehead", (c) => {
    const { owner, name } = repositoryOf(hub, c);
    if (!/^[0-9a-f]{40}\.\.\.[0-9a-f]{40}$/.test(c.req.param("basehead"))) throw new Refusal(404, "Not Found");
    const rows = packages.graphs.get(`${owner}/${name}`.toLowerCase());
    if (rows === undefined) throw new Refusal(404, "Not Found");
    return c.json(rows.map(graphJson));
  });

  routes.get("/repos/:owner/:repo/releases", (c) => {
    const name = `${c.req.param("owner")}/${c.req.param("repo")}`;
    const releases = packages.releases.get(name.toLowerCase());
    if (releases === undefined) throw new Refusal(404, "Not Found");
    return paged(hub, c, releases, (page) => page.map((one, index) => releaseJson(name, one, index)));
  });

  return routes;
}

function packageAt(text: string): { readonly name: string; readonly version: string | null } {
  const at = text.lastIndexOf("@");
  return at > 0 ? { name: text.slice(0, at), version: text.slice(at + 1) } : { name: text, version: null };
}

function holds(range: string, version: string | null): boolean {
  const plain = version === null ? null : semver.coerce(version, { includePrerelease: true });
  return plain === null || semver.satisfies(plain, range.replaceAll(",", " "), { includePrerelease: true });
}

function advisoryJson({ id, type = "reviewed", severity, summary, ecosystem, affects, ...rest }: AdvisoryFacts): Json {
  const at = "2026-03-01T12:00:00Z";
  return {
    ghsa_id: id,
    cve_id: rest.cve ?? null,
    url: `https://api.github.com/advisories/${id}`,
    html_url: `${WEB}/advisories/${id}`,
    repository_advisory_url: null,
    summary,
    description: `### Impact\n${summary}\n\n### Patches\nUpdate.`,
    type,
    severity,
    source_code_location: null,
    identifiers: [{ value: id, type: "GHSA" }],
    references: [`${WEB}/advisories/${id}`],
    published_at: at,
    updated_at: at,
    github_reviewed_at: at,
    nvd_published_at: null,
    withdrawn_at: rest.withdrawn === true ? at : null,
    vulnerabilities: affects.map(({ name, range, patched }) => ({
      package: { ecosystem, name },
      vulnerable_version_range: range,
      first_patched_version: patched,
      vulnerable_functions: [],
    })),
    cvss: { vector_string: null, score: null },
    cwes: [{ cwe_id: "CWE-1321", name: "Prototype Pollution" }],
    credits: [],
  };
}

function graphJson(row: GraphFacts): Json {
  const ecosystem = row.ecosystem ?? "npm";
  return {
    change_type: row.change,
    manifest: row.manifest,
    ecosystem,
    name: row.name,
    version: row.version,
    package_url: `pkg:${ecosystem}/${encodeURIComponent(row.name)}@${row.version}`,
    license: row.license === undefined ? "MIT" : row.license,
    source_repository_url: row.source ?? null,
    vulnerabilities: (row.advisories ?? []).map(({ id, severity, summary }) => ({
      severity,
      advisory_ghsa_id: id,
      advisory_summary: summary,
      advisory_url: `${WEB}/advisories/${id}`,
    })),
    scope: "runtime",
  };
}

function releaseJson(
  repository: string,
  { tag, body, prerelease = false, draft = false }: ReleaseFacts,
  index: number,
): Json {
  const id = 7_000_000 + index;
  const url = `https://api.github.com/repos/${repository}/releases/${id}`;
  const page = `${WEB}/${repository}`;
  return {
    url,
    assets_url: `${url}/assets`,
    upload_url: `https://uploads.github.com/repos/${repository}/releases/${id}/assets{?name,label}`,
    html_url: `${page}/releases/tag/${encodeURIComponent(tag)}`,
    id,
    node_id: `RE_${id}`,
    author: userJson({ login: "jdalton", id: 4303, type: "User" }),
    tag_name: tag,
    target_commitish: "main",
    name: tag,
    draft,
    prerelease,
    created_at: now(),
    published_at: draft ? null : now(),
    assets: [],
    tarball_url: `https://api.github.com/repos/${repository}/tarball/${tag}`,
    zipball_url: `https://api.github.com/repos/${repository}/zipball/${tag}`,
    body,
  };
}
