// A review for a person at a terminal: code frames, most severe first, then what was not reported.

import { styleText } from "node:util";
import { problemLine } from "../../config/problems.ts";
import type { Finding } from "../../domain/finding.ts";
import { mergeSignal, type PlacedFinding, quietVerdict, type Review } from "../../domain/review.ts";
import { counted } from "../../domain/text/counted.ts";
import { clipped, type NumberedLines, terminalText } from "../terminal-text.ts";

const CHANGED = "this change edits .kodiai.yml; it was reviewed by the configuration of its base";
const COLOR = { critical: "red", major: "red", medium: "yellow", minor: "blue" } as const;

/** @param lines of changed files by path, for the code frames */
export function prettyReview(review: Review, lines: ReadonlyMap<string, NumberedLines>): string {
  const { heldBack, leftOut, degraded, configProblems, configChanges } = review;
  const held = heldBack.map(
    ({ finding: { path, line, rule, title }, reason }) => `${path}:${line} ${rule ?? title}: ${reason}`,
  );
  const parts = [
    ...(review.walkthrough === null ? [] : [terminalText(review.walkthrough)]),
    ...review.findings.map((placed) => findingText(placed, lines.get(placed.finding.path) ?? new Map())),
    notes("held back", held),
    notes(
      "left out",
      leftOut.map(({ path, reason, isSpared }) => `${path}: ${reason}${isSpared ? "; read by rules only" : ""}`),
    ),
    notes(
      "degraded",
      degraded.map(({ part, reason }) => `${part}: ${reason}`),
    ),
    notes("configuration", [...configProblems.map(problemLine), ...(configChanges ? [CHANGED] : [])]),
    `configuration: ${terminalText(review.configUsed)}\n${verdict(review)}`,
  ];
  return parts.filter((part) => part !== null).join("\n\n");
}

function findingText({ finding: found, place, reason }: PlacedFinding, lines: NumberedLines): string {
  const where = found.startLine === found.line ? `${found.line}` : `${found.startLine}-${found.line}`;
  const badge = styleText([COLOR[found.severity], "bold"], found.severity);
  const head = `${badge} ${styleText("bold", oneLine(found.title))} ${styleText("dim", found.rule ?? found.source)}`;
  const at = styleText("cyan", oneLine(`${found.path}:${where}`));
  const aside = place === "inline" ? "" : styleText("dim", ` (${place}: ${reason ?? ""})`);
  const body = found.body === "" ? [] : ["", ...terminalText(found.body).split("\n")];
  return [
    head,
    `  ${at}${aside}`,
    ...codeFrame(found, lines, COLOR[found.severity]),
    ...body.map((line) => `  ${line}`.trimEnd()),
    ...suggestedDiff(found, lines),
  ].join("\n");
}

function suggestedDiff({ suggestion }: Finding, lines: NumberedLines): readonly string[] {
  if (suggestion === null) return [];
  const { startLine, line, text } = suggestion;
  const row = (color: "red" | "green", sign: string, code: string) =>
    `    ${styleText(color, `${sign} ${clipped(terminalText(code), MAX_CHARACTERS)}`)}`;
  const old = Array.from({ length: line - startLine + 1 }, (_, at) => lines.get(startLine + at) ?? "");
  return [
    "",
    `  ${styleText("bold", "suggestion")} ${styleText("dim", "(--apply writes it)")}`,
    ...old.map((code) => row("red", "-", code)),
    ...(text === "" ? [] : text.split("\n")).map((code) => row("green", "+", code)),
  ];
}

function notes(title: string, lines: readonly string[]): string | null {
  if (lines.length === 0) return null;
  return [styleText("bold", `${title} (${lines.length})`), ...lines.map((line) => `  ${oneLine(line)}`)].join("\n");
}

function verdict(review: Review): string {
  const { head, rest } = quietVerdict(review);
  const quiet = `${styleText(review.reviewed.length === 0 ? "bold" : ["green", "bold"], head)}${rest};`;
  const what = review.findings.length === 0 ? quiet : `${counted(review.reviewed.length, "file")} reviewed,`;
  const incomplete = review.degraded.length > 0 ? styleText("yellow", "; incomplete, see above") : "";
  const signal = mergeSignal(review, review.findings);
  const first = signal === "" ? "" : `${styleText("bold", signal)}. `;
  return `${first}${what} ${review.leftOut.length} left out${incomplete}; ${review.cost.ms} ms, ${modelText(review)}`;
}

function modelText({ coverage, cost }: Review): string {
  if (coverage === null) return "no model";
  const usd = cost.usd === null ? "" : `, USD ${cost.usd.toFixed(4)}`;
  return `${terminalText(coverage.model)}: ${cost.inputTokens} tokens in, ${cost.outputTokens} out${usd}`;
}

/** A path or title may contain a line end; our lines must not. */
function oneLine(text: string): string {
  return terminalText(text.replaceAll("\n", "<U+000A>"));
}

const MAX_LINES = 8;
const MAX_CHARACTERS = 160;

/** The lines of a finding with one line around them, as compilers show them; none if not known. */
function codeFrame(finding: Finding, lines: NumberedLines, color: "red" | "yellow" | "blue"): readonly string[] {
  if (finding.side === "LEFT") return [];
  const last = Math.min(finding.line, finding.startLine + MAX_LINES - 1);
  const width = String(last + 1).length;
  const frame: string[] = [];
  for (let number = finding.startLine - 1; number <= last + 1; number++) {
    const text = lines.get(number);
    if (text === undefined) continue;
    const inside = number >= finding.startLine && number <= finding.line;
    const gutter = `${inside ? ">" : " "} ${String(number).padStart(width)} | `;
    const code = clipped(terminalText(text), MAX_CHARACTERS);
    frame.push(inside ? `  ${styleText(color, gutter)}${code}` : styleText("dim", `  ${gutter}${code}`));
  }
  if (last < finding.line) frame.push(styleText("dim", `    … ${finding.line - last} more`));
  return frame.map((line) => line.trimEnd());
}
