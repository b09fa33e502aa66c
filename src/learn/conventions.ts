// Recurring remarks -> entries of `pathInstructions` that a person may put into .kodiai.yml. What is printed always parses to
// what was meant; the words are a stranger's all the same, and somebody must read them first.
import { stringify } from "yaml";
import { parseConfig } from "../config/parse-config.ts";
import type { Convention, Conventions, RecurringRemark } from "../domain/convention.ts";
import { isoDate } from "../domain/iso-date.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import { type Recurrence, recurringRemarks } from "./recurring-remarks.ts";

/** More than a person reads at once; the configuration takes 50. */
const MOST_PROPOSED = 20;

/**
 * What people of a repository keep asking for, as rules that could be made of it.
 *
 * @param records of one repository; their order does not matter
 */
export function conventionsOf(records: readonly MemoryRecord[], recurrence: Recurrence): Conventions {
  const { remarks, leftOut } = recurringRemarks(records, recurrence);
  const judged = remarks.map((remark) => ({ remark, reason: notProposed(remark), convention: proposalOf(remark) }));
  const fit = judged.flatMap(({ reason, convention }) => (reason === null && convention !== null ? [convention] : []));
  const proposed = fit.slice(0, MOST_PROPOSED);
  const notFit = judged.flatMap(({ remark, reason, convention }) =>
    reason === null && convention !== null
      ? []
      : [{ reason: reason ?? "cannot be written for .kodiai.yml", count: remark.ids.length, name: remark.name }],
  );
  const tooMany = fit
    .slice(MOST_PROPOSED)
    .map(({ ids, name }) => ({ reason: `beyond the first ${MOST_PROPOSED}`, count: ids.length, name }));
  return {
    proposed,
    yaml: proposed.length === 0 ? null : yamlOf(proposed),
    remarks: new Set(records.map(({ id }) => id)).size,
    leftOut: [...[...leftOut].sort().map(([reason, count]) => ({ reason, count, name: null })), ...notFit, ...tooMany],
  };
}

function notProposed({ accepted, declined }: RecurringRemark): string | null {
  return declined > accepted ? `declined ${declined} times, accepted ${accepted}` : null;
}

/** Null when our own configuration would not read it as it is meant. */
function proposalOf(remark: RecurringRemark): Convention | null {
  const told = factsOf(remark);
  const instructions = instructionOf(remark);
  for (const path of new Set([remark.path, "**"])) {
    const convention = { ...remark, path, told, instruction: { path, instructions } };
    if (isReadAsMeant(convention)) return convention;
  }
  return null;
}

function factsOf({ ids, pulls, since, accepted, declined }: RecurringRemark): string {
  const known = [...(accepted > 0 ? [`accepted ${accepted}`] : []), ...(declined > 0 ? [`declined ${declined}`] : [])];
  const asked = `asked ${ids.length} times on ${pulls} pull request${pulls === 1 ? "" : "s"} since ${isoDate(since)}`;
  return [asked, ...known].join(", ");
}

/** One sentence. A lesson is an order already; a remark is quoted, as it speaks about one place. */
function instructionOf({ name, namedBy, ids }: RecurringRemark): string {
  if (namedBy === "lesson") return name;
  return `Reviewers asked for this ${ids.length} times: “${name.replace(/[“”]/g, '"')}”`;
}

function yamlOf(conventions: readonly Pick<Convention, "told" | "instruction">[]): string {
  const entries = conventions.map(({ told, instruction }) => {
    const item = stringify([instruction], { lineWidth: 0 }).trimEnd();
    return `# ${told}\n${item}`.replace(/^/gm, "  ");
  });
  return `pathInstructions:\n${entries.join("\n")}\n`;
}

function isReadAsMeant(convention: Pick<Convention, "told" | "instruction">): boolean {
  const { config, problems } = parseConfig([{ file: ".kodiai.yml", text: yamlOf([convention]) }]);
  const [read, ...more] = config.pathInstructions;
  return problems.length === 0 && more.length === 0 && read !== undefined && isSame(read, convention.instruction);
}

function isSame(read: Convention["instruction"], meant: Convention["instruction"]): boolean {
  return read.path === meant.path && read.instructions === meant.instructions;
}
