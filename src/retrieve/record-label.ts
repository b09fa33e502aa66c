// How a memory is named where another one speaks for it.
import type { MemoryRecord } from "../domain/memory.ts";

/** `[finding: mem_0123456789ab]` */
export function recordLabel({ corpus, id }: Pick<MemoryRecord, "corpus" | "id">): string {
  return `[${corpus}: ${id}]`;
}
