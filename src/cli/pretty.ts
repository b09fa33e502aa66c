// A review for a person at a terminal: code frames, most severe first, then everything that was left unsaid.
import { styleText } from "node:util";
import type { Finding, Severity } from "../domain/finding.ts";
import type { PlacedFinding, Review } from "../domain/review.ts";

const COLOR = { critical: "red", major: "red", medium: "yellow", minor: "blue" } as const satisfies Record<
  Severity,
  string
>;
const MAX_FRAME_LINES = 8;
const MAX_LINE_CHARACTERS = 160;

/**
 * @param texts head text of changed files by path, for the code frames; a file that is not there gets no frame
 * @returns text with ANSI colours where standard output is a terminal that wants them (NO_COLOR is obeyed)
 */
export function prettyReview(review: Review, texts: ReadonlyMap<string, string>): string {
  const parts = [
    ...review.findings.map((placed) => finding(placed, texts)),
    ...notes(
      "held back",
      review.heldBack.map(
        ({ finding: held, reason }) => `${held.path}:${held.line} ${held.rule ?? held.title}: ${reason}`,
      ),
    ),
    ...notes(
      "left out",
      review.leftOut.map(({ path, reason }) => `${path}: ${reason}`),
    ),
    ...notes(
      "degraded",
      review.degraded.map(({ part, reason }) => `${part}: ${reason}`),
    ),
    ...notes(
      "configuration",
      review.configProblems.map(
        (problem) => `${problem.file}:${problem.line ?? "-"}:${problem.column ?? "-"} ${problem.message}`,
      ),
    ),
    verdict(review),
  ];
  return parts.join("\n\n");
}

function finding({ finding: said, place, reason }: PlacedFinding, texts: ReadonlyMap<string, string>): string {
  const where = said.startLine === said.line ? `${said.line}` : `${said.startLine}-${said.line}`;
  const head = `${styleText([COLOR[said.severity], "bold"], said.severity)} ${styleText("bold", visible(said.title))} ${styleText("dim", said.rule ?? said.source)}`;
  const at = styleText("cyan", visible(`${said.path}:${where}`));
  const aside = place === "inline" ? "" : styleText("dim", ` (${place}: ${reason ?? ""})`);
  const frame = codeFrame(said, texts.get(said.path));
  return [head, `  ${at}${aside}`, ...frame, indent(visible(said.body))].join("\n");
}

function codeFrame(said: Finding, text: string | undefined): string[] {
  if (text === undefined || said.side === "LEFT") return [];
  const lines = text.split(/\r?\n/);
  const last = Math.min(said.line, said.startLine + MAX_FRAME_LINES - 1);
  const width = String(last).length;
  const frame: string[] = [];
  for (let number = Math.max(1, said.startLine - 1); number <= Math.min(lines.length, last + 1); number++) {
    const inside = number >= said.startLine && number <= said.line;
    const gutter = `${inside ? ">" : " "} ${String(number).padStart(width)} | `;
    const code = visible((lines[number - 1] ?? "").slice(0, MAX_LINE_CHARACTERS));
    frame.push(inside ? `  ${styleText(COLOR[said.severity], gutter)}${code}` : styleText("dim", `  ${gutter}${code}`));
  }
  if (last < said.line) frame.push(styleText("dim", `    … ${said.line - last} more`));
  return frame;
}

function notes(title: string, lines: readonly string[]): string[] {
  return lines.length === 0
    ? []
    : [[styleText("bold", `${title} (${lines.length})`), ...lines.map((line) => `  ${visible(line)}`)].join("\n")];
}

function verdict(review: Review): string {
  const counts = (["critical", "major", "medium", "minor"] as const)
    .map((severity) => ({
      severity,
      n: review.findings.filter((placed) => placed.finding.severity === severity).length,
    }))
    .filter(({ n }) => n > 0)
    .map(({ severity, n }) => `${n} ${severity}`);
  const total = review.findings.length;
  const what = total === 0 ? "no findings" : `${total} ${total === 1 ? "finding" : "findings"}: ${counts.join(", ")}`;
  const files = `${review.reviewed.length} ${review.reviewed.length === 1 ? "file" : "files"} reviewed`;
  return `${styleText("bold", what)}; ${files}, ${review.leftOut.length} left out; ${review.cost.ms} ms, no model`;
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}

/** Characters that would steer the terminal or reorder the line are shown, not obeyed. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    character === "\n" || character === "\t"
      ? character
      : `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}
