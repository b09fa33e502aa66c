// Why a memory has its outcome: what people did about the finding.
import type { MemoryRecord } from "../../domain/memory.ts";
import { weighPull } from "../../learn/learn.ts";
import type { EvidenceStore } from "../../ports/feedback.ts";

/** The outcome, and each act with what it changed. */
export type WhyOutcome = Awaited<ReturnType<typeof whyOutcome>>;

/** What people did about a finding, weighed again: the record has the outcome of the last time. */
export async function whyOutcome(record: MemoryRecord, store: Pick<EvidenceStore, "evidence">) {
  const { outcome, decided, provenance } = record;
  const all = provenance.pull === null ? [] : await store.evidence(record.repo, provenance.pull);
  const { because = [], evidence = [] } = weighPull(all, [record]).get(record.id) ?? {};
  return { outcome, decided, because, evidence };
}
