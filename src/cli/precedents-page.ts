// What the retrieve room handed on, for a person at a terminal: why it searched, with what, what it found and what it cut.
import { styleText } from "node:util";
import type { Precedents, QueryVariant } from "../domain/retrieval.ts";
import { memoryLines } from "./memory-lines.ts";
import { terminalText } from "./terminal-text.ts";

/**
 * @param ms wall time of the room
 * @returns indented lines with ANSI colours where standard output is a terminal that wants them
 */
export function precedentsPage(precedents: Precedents, ms: number): string {
  const rows = [
    ...gateRows(precedents),
    ...queryRows(precedents),
    ...resultRows(precedents),
    ...costRows(precedents, ms),
  ];
  return [
    ...rows.map(([name, text]) => `  ${styleText("dim", name.padEnd(WIDTH))} ${terminalText(text)}`),
    ...rankedLines(precedents),
    ...seenLines(precedents),
    ...cutLines(precedents),
  ].join("\n");
}

type Row = readonly [name: string, text: string];
const WIDTH = 10;

function gateRows({ gate, query }: Precedents): Row[] {
  const decision = gate.retrieve ? "search" : query === null ? "skip" : "skip, searched all the same to check it";
  const strategy = gate.strategy === null ? "" : `, strategy ${gate.strategy}`;
  const relevance = gate.estimatedRelevance === null ? "" : `, relevance ${gate.estimatedRelevance.toFixed(2)}`;
  return [
    ["gate", `${decision} (${gate.decidedBy}, confidence ${gate.confidence.toFixed(2)}${strategy}${relevance})`],
    ["", gate.reason],
  ];
}

function queryRows({ query }: Precedents): Row[] {
  if (query === null) return [];
  const lines = query.text.split("\n").map((line): Row => ["", cut(line)]);
  const [first = ["", ""], ...more] = lines;
  return [
    ["query", first[1]],
    ...more,
    ...(query.dropped.length === 0 ? [] : [["dropped", query.dropped.join(", ")] as const]),
    ...query.variants.map((variant, index): Row => [index === 0 ? "asked as" : "", variantText(variant)]),
  ];
}

function variantText({ kind, text, path }: QueryVariant): string {
  const characters = `${text.length} characters`;
  return path === null ? `${kind}, ${characters}` : `${kind} of ${cut(path)}, ${characters}`;
}

function resultRows({ query, provenance, ranked }: Precedents): Row[] {
  if (query === null) return [];
  const { totalCandidates, scanned, threshold, thresholdMethod, method, repoSources, sharedPoolUsed } = provenance;
  const of = scanned === undefined ? "" : ` among ${scanned} memories`;
  const pool = sharedPoolUsed ? "; the owner's other repositories were searched too" : "";
  const from = repoSources.length === 0 ? "" : ` of ${repoSources.join(", ")}`;
  return [
    ["found", `${totalCandidates} candidates${of} by ${method}; ${ranked.length} are used${from}${pool}`],
    ["threshold", `distance ${threshold.toFixed(3)} (${thresholdMethod})`],
  ];
}

function costRows({ query, usage, rerank, modelCosts = [], degraded }: Precedents, ms: number): Row[] {
  const { texts, cached, tokens, usd } = usage;
  return [
    ...(query === null
      ? []
      : [
          ["embedding", texts === 0 ? "none" : `${texts} texts, ${cached} cached, ${tokens} tokens, $${usd}`] as const,
          ["reranking", rerankText(rerank ?? null)] as const,
        ]),
    ...modelCosts.map(({ purpose, questions, inputTokens, outputTokens, usd }): Row => {
      const price = usd === null ? "no price known" : `$${usd}`;
      return ["model", `${questions} × ${purpose}, ${inputTokens + outputTokens} tokens, ${price}`];
    }),
    ["time", `${ms} ms`],
    ...degraded.map(({ part, reason }): Row => ["degraded", `${part}: ${reason}`]),
  ];
}

function rerankText(rerank: Precedents["rerank"]): string {
  if (rerank === null) return "none";
  const { by, ms, tokens, usd, topChanged, meanMove, failed } = rerank;
  const done =
    failed === null
      ? `changed ${Math.round(topChanged * 100)} % of the first five, moved ${meanMove.toFixed(1)} ranks`
      : `failed: ${failed}`;
  return `by ${by}, ${ms} ms, ${tokens} tokens, $${usd}; ${done}`;
}

function rankedLines({ ranked }: Precedents): readonly string[] {
  if (ranked.length === 0) return [];
  const entries = ranked.flatMap((memory, index) => memoryLines(memory, index + 1, memory.score.toFixed(3)));
  return ["", `  ${styleText("bold", `used (${ranked.length})`)}`, ...entries.map((line) => `  ${line}`)];
}

function seenLines({ seenBefore }: Precedents): readonly string[] {
  if (seenBefore.length === 0) return [];
  const lines = seenBefore.map(({ path, memoryId, similarity, outcome, date, url }) =>
    terminalText(
      `  ${path}  similarity ${similarity.toFixed(2)}  ${[memoryId, outcome, date, url].filter(Boolean).join("  ")}`,
    ),
  );
  return ["", `  ${styleText("bold", `seen before (${lines.length})`)}`, ...lines];
}

const SHOWN_IDS = 6;

/** Cut memories by the reason, most first; figures in a reason are of the first. */
function cutLines({ cut: out }: Precedents): readonly string[] {
  if (out.length === 0) return [];
  const groups = [...Map.groupBy(out, ({ reason }) => reason.replace(/\d+(?:\.\d+)?|mem_[0-9a-f]{12}/g, "…"))];
  const lines = groups
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([, all]) => {
      const ids = all.slice(0, SHOWN_IDS).map(({ id }) => id);
      const more = all.length > SHOWN_IDS ? ` and ${all.length - SHOWN_IDS} more` : "";
      return terminalText(`  ${String(all.length).padStart(4)} × ${all[0]?.reason ?? ""}: ${ids.join(" ")}${more}`);
    });
  return ["", `  ${styleText("bold", `cut (${out.length})`)}`, ...lines];
}

const LINE_CHARS = 160;

function cut(line: string): string {
  return line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)}… (${line.length} characters)` : line;
}
