// The shortest trace of a violation: the events around one pull request, a line each, for the
// person who must find the cause.
import type { Broken } from "./checker.ts";
import type { HistoryEvent } from "./history.ts";
import { isRead } from "./request-method.ts";

const MOST_LINES = 40;

/**
 * @param started epoch milliseconds of the run's start; times are relative to it
 * @returns lines, the last ones where there are too many
 */
export function failureTrace(broken: Broken, history: readonly HistoryEvent[], started: number): readonly string[] {
  const { pull } = broken;
  if (pull === null) return [];
  const lines: string[] = [];
  let lives: string[] = [];
  for (const one of history) {
    const reported = describe(one, pull);
    if (reported === null) continue;
    const time = `  ${((one.at - started) / 1000).toFixed(1).padStart(7)} s  `;
    // What became of the process in between is one line, however often.
    if (one.kind === "process") {
      lives.push(reported);
      continue;
    }
    if (lives.length > 0) lines.push(`  ${" ".repeat(7)}    server: ${shortened(lives).join(", ")}`);
    lives = [];
    lines.push(time + reported);
  }
  return lines.length <= MOST_LINES
    ? lines
    : [`  … ${lines.length - MOST_LINES} lines before`, ...lines.slice(-MOST_LINES)];
}

function shortened(lives: readonly string[]): readonly string[] {
  return lives.length <= 4 ? lives : [`${lives.length - 3} starts and ends`, ...lives.slice(-3)];
}

function describe(one: HistoryEvent, pull: string): string | null {
  if (one.kind === "process") return `${one.what}${one.where === null ? "" : ` ${one.where}`}`;
  if (!("pull" in one) || one.pull !== pull) return null;
  if (one.kind === "act") return `person: ${one.what}, head ${one.head.slice(0, 7)}, ${one.state}`;
  if (one.kind === "delivered")
    return `delivery ${one.event}.${one.action} ${one.guid.slice(0, 8)}: ${one.status ?? "no answer"}`;
  if (one.kind === "feedback") return `person: ${one.what} about a finding`;
  if (isRead(one.method) && one.fault === null && one.status < 400) return null;
  const fault = one.fault === null ? "" : ` (${one.fault})`;
  const about = one.head === null ? "" : ` about ${one.head.slice(0, 7)}`;
  return `${one.method} ${one.path}${about}: ${one.status}${one.applied ? "" : ", not done"}${fault}`;
}
