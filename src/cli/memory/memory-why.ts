// kodiai memory why: what people did about a finding, and how each act changed its outcome.
import { outcomeText } from "../../domain/memory/evidence.ts";
import type { MemoryRecord } from "../../domain/memory.ts";
import { weigh } from "../../learn/learn.ts";
import type { EvidenceStore } from "../../ports/feedback.ts";

export type Why = Pick<NonNullable<ReturnType<ReturnType<typeof weigh>["get"]>>, "because" | "evidence"> &
  Pick<MemoryRecord, "outcome" | "decided">;

/** Weighs the evidence again: the record has the outcome of the last time. */
export async function whyOf(record: MemoryRecord, store: Pick<EvidenceStore, "evidence">): Promise<Why> {
  const { pull } = record.provenance;
  const all = pull === null ? [] : await store.evidence(record.repo, pull);
  const weighed = weigh(all, [record]).get(record.id);
  const { outcome, decided } = record;
  const known = { outcome, ...(decided ? { decided } : {}) };
  return { ...known, because: weighed?.because ?? [], evidence: weighed?.evidence ?? [] };
}

/** For a terminal; contains text by others, which the caller must make visible. */
export function whyPage(record: MemoryRecord, { because, evidence }: Why): string {
  const head = [`${record.id}  ${outcomeText(record)}`, ...because.map((one) => `  because ${one}`)];
  const nothing = "no acts of people are known";
  return [...head, ...(evidence.length === 0 ? [nothing] : evidence.map(evidenceLines))].join("\n");
}

function evidenceLines({ evidence: one, effect }: Why["evidence"][number]): string {
  const { by } = one;
  const who = by === null ? "unknown" : `@${by.login} (${by.isBot ? "bot" : by.access})`;
  const when = new Date(one.at).toISOString().slice(0, 16).replace("T", " ");
  const stance = one.stance === null ? null : `(${one.stance})`;
  const what = [one.kind, stance, one.sha?.slice(0, 12) ?? null].filter((part) => part !== null).join(" ");
  const text = one.text?.replace(/\s+/g, " ").slice(0, 300) ?? null;
  const below = [text, one.url].filter((part) => part !== null).map((part) => `\n    ${part}`);
  return `- ${when}  ${who}  ${what}: ${effect}${below.join("")}`;
}
