// Fits the sections of a prompt into its limit: the least valuable ones are cut first, by whole lines, and the cuts are
// reported.
import { cutText } from "../../domain/text/cut-text.ts";

/** One part of a prompt. */
export interface Section {
  /** Stable word: `description`, `commits`, `risks`. */
  readonly part: string;
  readonly heading: string;
  readonly text: string;
  /** Its limit, in UTF-16 units. */
  readonly most: number;
  /** Higher values are cut later. */
  readonly worth: number;
}

const MORE = "(the rest was left out)";

/**
 * Cuts each section to its own limit and then, lowest worth first, all of them to the total.
 *
 * @param budget UTF-16 units for all texts together
 * @returns the sections in the given order, without empty ones
 */
export function fitSections(sections: readonly Section[], budget: number) {
  const present = sections.filter(({ text }) => text !== "");
  const shown = new Map(present.map((section) => [section, cutAtLine(section.text, section.most)]));
  let over = [...shown.values()].reduce((sum, text) => sum + text.length, 0) - budget;
  for (const section of [...present].sort((a, b) => a.worth - b.worth)) {
    if (over <= 0) break;
    const text = shown.get(section) ?? "";
    const shorter = cutAtLine(text, Math.max(0, text.length - over));
    shown.set(section, shorter);
    over -= text.length - shorter.length;
  }
  const fitted = present.map((section) => ({ ...section, text: shown.get(section) ?? "", of: section.text.length }));
  return {
    sections: fitted.filter(({ text }) => text !== ""),
    cut: fitted.flatMap(({ part, text, of }) => (text.length < of ? [{ part, shown: text.length, of }] : [])),
  };
}

/** A line is cut within itself only if at least this much of it fits. */
const LEAST_PART = 100;

/**
 * The first lines of a text that fit, then a line that marks the cut. A first line that is too long by itself is cut;
 * "" when almost nothing of it would fit.
 */
export function cutAtLine(text: string, most: number): string {
  if (text.length <= most) return text;
  const budget = most - MORE.length - 1;
  const end = text.lastIndexOf("\n", budget);
  if (end > 0 && budget > 0) return `${text.slice(0, end)}\n${MORE}`;
  return budget < LEAST_PART ? "" : `${cutText(text, budget).trimEnd()}\n${MORE}`;
}
