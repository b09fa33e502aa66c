// The open alerts of code scanning for a pull request, as results of the tools that GitHub names.

import { OutOfReach } from "../../../domain/errors.ts";
import type { Repo } from "../../../domain/job.ts";
import type { PullRequest } from "../../../domain/pull-request.ts";
import {
  judged,
  NO_REPORT,
  TOOL_RESULTS,
  type ToolReport,
  type ToolResult,
  toolName,
  toolTexts,
} from "../../../domain/tool-result.ts";
import type { ToolResults } from "../../../ports/tools.ts";
import type { GitHub } from "../clients.ts";
import { PAGE, pagesOf, placeOf, statusOf } from "../requests.ts";
import { translated } from "../translate-error.ts";

/** Pages of 100 alerts: more on one pull request are counted. */
const MOST_PAGES = 10;
/** Commits that are asked for to see whether a tool has scanned this head. */
const MOST_COMMITS = 10;

const FIX =
  "grant the App `security_events: read` and accept it for the repository, upload results with github/codeql-action/upload-sarif, or set `review.tools.codeScanning: false`";

/**
 * Asks only if `review.tools.codeScanning` is on. GitHub's refusal is `degraded`, with the fix.
 *
 * @param client a client that may read code scanning; may reject as one without the permission
 */
export function codeScanning(client: () => Promise<GitHub>): ToolResults {
  return {
    async of({ repo, pull, settings, paths }) {
      if (!settings.codeScanning) return NO_REPORT;
      try {
        return await translated(async () => read(await client(), repo, pull, new Set(paths)));
      } catch (error) {
        if (!(error instanceof OutOfReach)) throw error;
        return without(`code scanning could not be read (GitHub answered ${error.status}); ${FIX}`);
      }
    },
  };
}

function without(reason: string): ToolReport {
  return { ...NO_REPORT, degraded: [{ part: TOOL_RESULTS, reason }] };
}

type Alert = Awaited<ReturnType<GitHub["rest"]["codeScanning"]["listAlertsForRepo"]>>["data"][number];
type Analysis = Awaited<ReturnType<GitHub["rest"]["codeScanning"]["listRecentAnalyses"]>>["data"][number];

async function read(github: GitHub, repo: Repo, pull: PullRequest, paths: ReadonlySet<string>): Promise<ToolReport> {
  const at = placeOf(repo);
  // A workflow that checks out the head uploads for it; the usual one for the test merge.
  for (const end of ["merge", "head"]) {
    const query = { ...at, ref: `refs/pull/${pull.number}/${end}`, per_page: PAGE };
    const alerts = await pagesOf(MOST_PAGES, async (page) => {
      const one = () => github.rest.codeScanning.listAlertsForRepo({ ...query, state: "open", page });
      return orNone(one, (error) => /no analysis/i.test(error.message));
    });
    const analyses = await orNone(
      () => github.rest.codeScanning.listRecentAnalyses(query),
      () => true,
    );
    if (alerts.length > 0 || analyses.length > 0) return reportOf(github, { repo, pull, paths, alerts, analyses });
  }
  return without("code scanning has no results of this pull request yet: a later review has them");
}

/** The items of a list; none where GitHub answers 404 and that says so. */
async function orNone<Item>(
  ask: () => Promise<{ readonly data: readonly Item[] }>,
  isNone: (error: Error) => boolean,
): Promise<readonly Item[]> {
  try {
    return (await ask()).data;
  } catch (error) {
    if (statusOf(error) === 404 && isNone(error as Error)) return [];
    throw error;
  }
}

interface Seen {
  readonly repo: Repo;
  readonly pull: PullRequest;
  readonly paths: ReadonlySet<string>;
  readonly alerts: readonly Alert[];
  /** Newest first. */
  readonly analyses: readonly Analysis[];
}

async function reportOf(github: GitHub, { repo, pull, paths, alerts, analyses }: Seen): Promise<ToolReport> {
  const newest = [
    ...new Map(
      analyses.toReversed().map((analysis) => [`${toolOf(analysis.tool)}\n${analysis.category ?? ""}`, analysis]),
    ).values(),
  ];
  const isOfHead = await headScans(github, repo, pull, newest);
  const byTool = [...Map.groupBy(newest, ({ tool }) => toolOf(tool))].filter(([tool]) => tool !== "kodiai");
  const stale = byTool.filter(([, each]) => each.every((one) => isOfHead(one) === false)).map(([tool]) => tool);
  const complete = byTool.filter(([, each]) => each.every((one) => isOfHead(one) === true && one.error === ""));
  const failed = byTool.filter(([, each]) => each.some(({ error }) => error !== "")).map(([tool]) => tool);
  const isCut = alerts.length >= MOST_PAGES * PAGE;
  const reasons = [
    ...stale.map((tool) => `${tool} has not scanned this head yet: a later review has its results`),
    ...failed.map((tool) => `${tool} says that its run failed: results may be missing`),
    ...(isCut ? [`of code scanning ${alerts.length} alerts were read, and there may be more`] : []),
  ];
  const fresh = alerts.filter(({ tool }) => !stale.includes(toolOf(tool)) && toolOf(tool) !== "kodiai");
  return {
    results: fresh.flatMap((alert) => resultOf(alert, paths)),
    ran: byTool.filter(([, each]) => each.some((one) => isOfHead(one) === true)).map(([tool]) => tool),
    complete: isCut ? [] : complete.map(([tool]) => tool),
    degraded: reasons.map((reason) => ({ part: TOOL_RESULTS, reason })),
  };
}

function toolOf(tool: Alert["tool"] | Analysis["tool"]): string {
  return toolName(tool.name ?? "");
}

/** Whether an analysis is of this head, or of its test merge; null where GitHub does not tell. */
async function headScans(github: GitHub, repo: Repo, pull: PullRequest, analyses: readonly Analysis[]) {
  const { sha: head } = pull.head;
  const shas = [...new Set(analyses.map(({ commit_sha }) => commit_sha))].slice(0, MOST_COMMITS);
  const known = await Promise.all(
    shas.map(async (sha) => {
      if (sha === head) return true;
      const commit = await github.rest.git.getCommit({ ...placeOf(repo), commit_sha: sha }).catch((error: unknown) => {
        if ([404, 409, 422].includes(statusOf(error))) return null;
        throw error;
      });
      return commit === null ? null : commit.data.parents.some(({ sha: parent }) => parent === head);
    }),
  );
  const byCommit = new Map(shas.map((sha, at) => [sha, known[at] ?? null]));
  return ({ commit_sha }: Analysis) => byCommit.get(commit_sha) ?? null;
}

/** Inside GitHub's ranges of a score: over 9 critical, from 7 high, from 4 medium. */
const SCORES: Readonly<Record<string, number>> = { critical: 9.5, high: 8, medium: 5, low: 2 };

function resultOf(
  { tool, rule, most_recent_instance: seen }: Alert,
  paths: ReadonlySet<string>,
): readonly ToolResult[] {
  const { path = "", start_line: start, end_line: end } = seen?.location ?? {};
  if (!paths.has(path)) return [];
  const tags = rule.tags ?? [];
  const isLine = Number.isSafeInteger(start) && (start ?? 0) > 0;
  const startLine = start ?? 1;
  const score = SCORES[rule.security_severity_level ?? ""] ?? null;
  return [
    {
      tool: toolOf(tool),
      path,
      region: isLine
        ? { kind: "lines", startLine, line: Math.max(startLine, end ?? startLine), startColumn: null, endColumn: null }
        : { kind: "none" },
      ...toolTexts(seen?.message?.text ?? "", rule.description ?? rule.name ?? "", rule.id ?? rule.name ?? "", tags),
      ...judged({ tool: toolOf(tool), level: rule.severity ?? "warning", securityScore: score, precision: "", tags }),
      fix: null,
    },
  ];
}
