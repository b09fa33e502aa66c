// The lines that a finding is about with one line around them, as compilers show them.
import { styleText } from "node:util";
import type { Finding } from "../domain/finding.ts";
import type { NumberedLines } from "./shown-lines.ts";
import { terminalText } from "./terminal-text.ts";

const MAX_LINES = 8;
const MAX_CHARACTERS = 160;

/** Lines to print, indented by two; none where the lines are not known. */
export function codeFrame(said: Finding, lines: NumberedLines, color: "red" | "yellow" | "blue"): readonly string[] {
  if (said.side === "LEFT") return [];
  const last = Math.min(said.line, said.startLine + MAX_LINES - 1);
  const width = String(last + 1).length;
  const frame: string[] = [];
  for (let number = said.startLine - 1; number <= last + 1; number++) {
    const text = lines.get(number);
    if (text === undefined) continue;
    const inside = number >= said.startLine && number <= said.line;
    const gutter = `${inside ? ">" : " "} ${String(number).padStart(width)} | `;
    const code = cut(terminalText(text));
    frame.push(inside ? `  ${styleText(color, gutter)}${code}` : styleText("dim", `  ${gutter}${code}`));
  }
  if (last < said.line) frame.push(styleText("dim", `    … ${said.line - last} more`));
  return frame.map((line) => line.trimEnd());
}

function cut(text: string): string {
  const points = [...text.slice(0, MAX_CHARACTERS * 2)];
  return points.length > MAX_CHARACTERS ? `${points.slice(0, MAX_CHARACTERS).join("")}…` : text;
}
