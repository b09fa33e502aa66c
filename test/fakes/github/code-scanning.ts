// Code scanning: what tools uploaded for the test merge of a pull request. Source: GitHub's REST
// reference, "Code scanning".
import { Hono } from "hono";
import { type Json, type Pull, Refusal } from "./conversation.ts";
import { type Hub, paged, type RouteEnv, repositoryOf } from "./hub.ts";

export interface ScannedAlert {
  readonly rule: string;
  readonly path: string;
  readonly line: number;
  readonly message: string;
  readonly severity?: "error" | "warning" | "note";
  readonly securitySeverity?: "critical" | "high" | "medium" | "low";
  readonly tags?: readonly string[];
  readonly state?: "open" | "dismissed";
}

interface Upload {
  readonly id: number;
  readonly repository: number;
  readonly ref: string;
  readonly tool: string;
  readonly sha: string;
  readonly error: string;
  readonly alerts: readonly ScannedAlert[];
}

export interface CodeScanning {
  readonly uploads: Upload[];
}

export interface ScanActs {
  /** A tool has scanned the pull request: its head, or another commit. */
  scanned(
    pull: Pull,
    tool: string,
    alerts: readonly ScannedAlert[],
    on?: { readonly sha?: string; readonly error?: string },
  ): void;
}

export function scanActs(hub: Hub, { uploads }: CodeScanning): ScanActs {
  return {
    scanned(pull, tool, alerts, { sha = pull.headSha, error = "" } = {}) {
      const ref = `refs/pull/${pull.number}/merge`;
      uploads.unshift({ id: hub.nextId(), repository: pull.repository.id, ref, tool, sha, error, alerts });
    },
  };
}

export function codeScanningRoutes(hub: Hub, { uploads }: CodeScanning): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>();
  const of = (c: Parameters<typeof repositoryOf>[1]) => {
    const all = uploads.filter(({ repository }) => repository === repositoryOf(hub, c).id);
    if (all.length === 0) throw new Refusal(404, "no analysis found");
    return all.filter(({ ref }) => ref === c.req.query("ref"));
  };
  routes.get("/repos/:owner/:repo/code-scanning/analyses", (c) =>
    paged(hub, c, of(c), (page) => page.map(analysisJson)),
  );
  routes.get("/repos/:owner/:repo/code-scanning/alerts", (c) => {
    const newest = new Map(
      of(c)
        .toReversed()
        .map((one) => [one.tool, one]),
    );
    const all = [...newest.values()].flatMap((upload) => upload.alerts.map((alert) => ({ upload, alert })));
    const wanted = all.filter(({ alert }) => (alert.state ?? "open") === (c.req.query("state") ?? "open"));
    return paged(hub, c, wanted, (page) => page.map(alertJson));
  });
  return routes;
}

const NEVER = "2026-01-01T00:00:00Z";
const API = "https://api.github.com/code-scanning";
const toolJson = (name: string): Json => ({ name, guid: null, version: null });

function analysisJson({ id, ref, sha, tool, error, alerts }: Upload): Json {
  return {
    ref,
    commit_sha: sha,
    analysis_key: ".github/workflows/scan.yml:scan",
    environment: "{}",
    category: tool,
    error,
    created_at: NEVER,
    results_count: alerts.length,
    rules_count: 1,
    id,
    url: `${API}/analyses/${id}`,
    sarif_id: "47177e22-5596-11eb-80a1-c1e54ef945c6",
    tool: toolJson(tool),
    deletable: true,
    warning: "",
  };
}

function alertJson({ upload, alert }: { readonly upload: Upload; readonly alert: ScannedAlert }, at: number): Json {
  const { rule, path, line, message, severity = "warning", securitySeverity = null, tags = [], state = "open" } = alert;
  return {
    number: at + 1,
    created_at: NEVER,
    url: `${API}/alerts/${at + 1}`,
    html_url: `https://github.com/code-scanning/${at + 1}`,
    instances_url: `${API}/alerts/${at + 1}/instances`,
    state,
    dismissed_by: null,
    dismissed_at: null,
    dismissed_reason: null,
    rule: { id: rule, severity, security_severity_level: securitySeverity, description: rule, name: rule, tags },
    tool: toolJson(upload.tool),
    most_recent_instance: {
      ref: upload.ref,
      analysis_key: ".github/workflows/scan.yml:scan",
      environment: "{}",
      category: upload.tool,
      state,
      commit_sha: upload.sha,
      message: { text: message },
      location: { path, start_line: line, end_line: line, start_column: 1, end_column: 2 },
      classifications: [],
    },
  };
}
