// kodiai memory why: what people did about a finding, and what each act did to its outcome.
import { outcomeText } from "../domain/memory/evidence.ts";
import type { MemoryRecord } from "../domain/memory.ts";
import { weigh } from "../learn/learn.ts";
import type { EvidenceShelf } from "../ports/feedback.ts";

export type Why = Pick<NonNullable<ReturnType<ReturnType<typeof weigh>["get"]>>, "because" | "evidence"> &
  Pick<MemoryRecord, "outcome" | "decided">;

/** Weighs the evidence anew: what stands in the record is what followed when it was last looked at. */
export async function whyOf(record: MemoryRecord, shelf: Pick<EvidenceShelf, "evidence">): Promise<Why> {
  const { pull } = record.provenance;
  const all = pull === null ? [] : await shelf.evidence(record.repo, pull);
  const weighed = weigh(all, [record]).get(record.id);
  const { outcome, decided } = record;
  const known = { outcome, ...(decided ? { decided } : {}) };
  return { ...known, because: weighed?.because ?? [], evidence: weighed?.evidence ?? [] };
}

/** For a terminal; texts of others, to be made visible. */
export function whyPage(record: MemoryRecord, { because, evidence }: Why): string {
  const head = [`${record.id}  ${outcomeText(record)}`, ...because.map((one) => `  because ${one}`)];
  const nothing = "no acts of people are known";
  return [...head, ...(evidence.length === 0 ? [nothing] : evidence.map(evidenceLines))].join("\n");
}

function evidenceLines({ evidence: one, effect }: Why["evidence"][number]): string {
  const when = new Date(one.at).toISOString().slice(0, 16).replace("T", " ");
  const stance = one.stance === null ? null : `(${one.stance})`;
  const what = [one.kind, stance, one.sha?.slice(0, 12) ?? null].filter((part) => part !== null).join(" ");
  const said = one.text?.replace(/\s+/g, " ").slice(0, 300) ?? null;
  const below = [said, one.url].filter((part) => part !== null).map((part) => `\n    ${part}`);
  return `- ${when}  ${whoOf(one.by)}  ${what}: ${effect}${below.join("")}`;
}

function whoOf(by: Why["evidence"][number]["evidence"]["by"]): string {
  return by === null ? "somebody" : `@${by.login} (${by.isBot ? "bot" : by.access})`;
}
