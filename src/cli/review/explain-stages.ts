// The output of a stage in `kodiai explain`, about ten lines. `--full` prints the whole value.
import type { ChangeContext } from "../../domain/change-context.ts";
import type { PullRequestContext } from "../../domain/pull-request.ts";
import type { Review } from "../../domain/review.ts";
import type { ReviewSignals } from "../../domain/signals.ts";
import { counted } from "../../domain/text/counted.ts";

/** A line with its label; a line without one continues the line before. */
export type Row = readonly [label: string, text: string];

const SHOWN = 5;

/** The pull request and what is reviewed of it. */
export function gatherRows({
  pull,
  repo,
  files,
  leftOut,
  settings,
  configProblems,
  past,
  degraded,
}: Shown<PullRequestContext>): readonly Row[] {
  const lines = files.reduce((sum, { additions, deletions }) => sum + additions + deletions, 0);
  return [
    ["change", `${pull.title} (${pull.base.ref} ← ${pull.head.ref})`],
    ["repository", `${repo.host}/${repo.owner}/${repo.name}`],
    ["author", `${pull.author.login}, ${pull.author.association}`],
    ["files", `${files.length} reviewed, ${counted(lines, "changed line")}; ${leftOut.length} left out`],
    ...shown(files.map(({ path, additions, deletions }) => `${path} +${additions} −${deletions}`)),
    ...shown(leftOut.map(({ path, reason }) => `left out: ${path}: ${reason}`)),
    ["settings", `${settings?.length ?? 0} beyond the defaults, ${counted(configProblems.length, "problem")}`],
    ["scope", past.checkpoint.kind === "full" ? "the whole change" : "what changed since the last review"],
    ...degraded.map(({ part, reason }): Row => ["degraded", `${part}: ${reason}`]),
  ];
}

/** What kind of change it is. */
export function analyzeRows({ intent, languages, risks, author, metrics }: ReviewSignals): readonly Row[] {
  const shares = languages.map(({ name, share }) => `${name} ${Math.round(share * 100)} %`).join(", ");
  return [
    ["intent", `${intent.type ?? "unknown"}${intent.breaking.length > 0 ? ", breaking" : ""}`],
    ["languages", shares === "" ? "none" : shares],
    ["risks", risks.length === 0 ? "none" : risks.map(({ text }) => text).join("; ")],
    ["author", `${author.tier} (${author.because})`],
    [
      "size",
      `${counted(metrics.files, "file")}, +${metrics.added} −${metrics.removed} in ${counted(metrics.hunks, "hunk")}`,
    ],
  ];
}

/** What the model sees of the repository besides the diff; empty without a model. */
export function contextRows({ from, excerpts, callSites, cut, tokens, degraded }: ChangeContext): readonly Row[] {
  const cutText = cut.map(({ kind, count }) => `${count} ${kind}`).join(", ");
  return [
    ["from", from],
    [
      "shown",
      `${counted(excerpts.length, "excerpt")}, ${counted(tokens, "token")}${cutText === "" ? "" : `; cut: ${cutText}`}`,
    ],
    ...shown(excerpts.map(({ path, why, lines }) => `${path}, ${counted(lines.length, "line")}: ${why.join("; ")}`)),
    ...shown(callSites.map(({ name, sites, more }) => `${name}: ${counted(sites.length + more, "use")}`)),
    ...degraded.map(({ part, reason }): Row => ["degraded", `${part}: ${reason}`]),
  ];
}

/** The review's findings and what it holds back. */
export function reviewRows({ findings, heldBack, degraded, coverage, cost }: Review): readonly Row[] {
  return [
    ["findings", `${findings.length}`],
    ...shown(
      findings.map(
        ({ finding: { severity, path, line, title }, place }) => `${severity} ${path}:${line} ${title} (${place})`,
      ),
    ),
    ["held back", `${heldBack.length}`],
    ...shown(heldBack.map(({ finding: { path, line, title }, reason }) => `${path}:${line} ${title}: ${reason}`)),
    ["model", coverage === null ? "none" : `${coverage.model}, ${cost.inputTokens + cost.outputTokens} tokens`],
    ...degraded.map(({ part, reason }): Row => ["degraded", `${part}: ${reason}`]),
  ];
}

/** Values that went through JSON, which has no maps. */
type Shown<T> = Omit<T, "headTexts">;

function shown(lines: readonly string[]): readonly Row[] {
  const more = lines.length - SHOWN;
  return [
    ...lines.slice(0, SHOWN).map((line): Row => ["", line]),
    ...(more > 0 ? [["", `… and ${more} more (--full)`] as const] : []),
  ];
}
