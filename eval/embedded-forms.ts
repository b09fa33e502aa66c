// What of a memory is embedded: each field can be left out, so that its worth can be measured.
import type { MemoryRecord } from "../src/domain/memory.ts";

/** The memory as the embedder sees it. */
export type EmbeddedForm = (record: MemoryRecord) => MemoryRecord;

const said: EmbeddedForm = (record) => ({ ...record, situation: null, lesson: null });

/** As reviews embed it. */
export const WHOLE: EmbeddedForm = (record) => record;
/** The comment alone, without repository, path and category. */
export const TEXT_ONLY: EmbeddedForm = (record) => withoutContext(said(record));
export const WITH_CODE: EmbeddedForm = (record) => {
  return { ...said(record), text: `${record.text.trim()}\n${record.hunk?.trim() ?? ""}` };
};
/** Of these the fields that a model wrote; they need a file of such. */
export const SITUATION: EmbeddedForm = (record) => ({ ...record, tags: [], lesson: null });
export const WITH_TAGS: EmbeddedForm = (record) => ({ ...record, lesson: null });
export const MULTI_FIELD: EmbeddedForm = (record) => ({ ...record });
export const WRITTEN: ReadonlySet<EmbeddedForm> = new Set([SITUATION, WITH_TAGS, MULTI_FIELD]);

export function withoutContext(record: MemoryRecord): MemoryRecord {
  return { ...record, repoName: "", path: null, category: null, symbol: null };
}
