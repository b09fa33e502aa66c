// Values as people read them, as plain text.
import type { MemoryRecord } from "../domain/memory.ts";
import { cutText, oneLine } from "../domain/text/cut-text.ts";

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** `3 d`, `5 h`, `12 min`, `8 s`, `240 ms`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? ["s", 1_000];
  return `${Math.round(ms / size)} ${unit}`;
}

/** `12,345` */
export function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** `42 %`; `–` of nothing. */
export function percent(share: number | null): string {
  return share === null ? "–" : `${Math.round(share * 100)} %`;
}

/** `$1.20`, `$0.0042`; "no price" where none is known. */
export function dollars(usd: number | null): string {
  if (usd === null) return "no price";
  return `$${usd.toFixed(usd === 0 || usd >= 1 ? 2 : 4)}`;
}

/** An outcome as people read it: `posted` means that there is no answer. */
export function outcomeWord(outcome: string): string {
  if (outcome === "posted") return "no answer yet";
  return outcome === "none" ? "no outcome" : outcome;
}

/** UTF-16 units of a title, and of the lines below it. */
const TITLE = 110;
const BELOW = 400;

/** What was said as a title, and what else was said on one line: "" where the title says it all. */
export function titleOf({ lesson, text }: MemoryRecord) {
  const plain = text.replace(/^#+ /gm, "");
  const [first = "", ...more] = plain.trim().split("\n");
  const title = oneLine(lesson ?? first);
  const isCut = title.length > TITLE;
  const rest = oneLine(isCut || lesson !== null ? plain : more.join(" "));
  return { title: isCut ? `${cutText(title, TITLE).trimEnd()}…` : title, rest: cutText(rest, BELOW) };
}
