// Fields that a model wrote for a corpus: an export (`kodiai memory export`) of the corpus after it
// was imported and described.
import { readFile } from "node:fs/promises";
import { rowRecord } from "../src/learn/learn.ts";
import type { WrittenById } from "./temporary-store.ts";

/** @throws Error when the file holds no fields at all, or cannot be read */
export async function readWritten(file: string): Promise<WrittenById> {
  const written = new Map<string, { situation: string | null; lesson: string | null; tags: readonly string[] }>();
  for (const line of (await readFile(file, "utf8")).split("\n")) {
    const record =
      line.trim() === "" ? null : rowRecord(line, { languageOf: () => "unknown", lowInformation: () => null });
    if (record === null || "kind" in record || record.lesson === null) continue;
    const { sourceId, situation, lesson, tags } = record;
    written.set(sourceId, { situation, lesson, tags });
  }
  if (written.size === 0) throw new Error(`${file} holds no memory that a model described`);
  return written;
}
