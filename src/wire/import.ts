// Joins `kodiai import` to its ports: a person's token, and memory in a folder.
import { localWords } from "../adapters/local/local-embedder.ts";
import { storePlace } from "../cli/data-dir.ts";
import type { HistoryVerbPorts, HistoryWords } from "../cli/import-history.ts";
import { redact } from "../wire.ts";
import { openMemoryFor } from "./cli.ts";
import { personsPast } from "./history.ts";
import { neverTell } from "./secrets.ts";

/** What `kodiai import` needs. A dry run opens no file. */
export async function historyVerbPorts(words: HistoryWords): Promise<HistoryVerbPorts> {
  neverTell(words.token);
  const found = await personsPast(words);
  if (words.isDry) return { ...found, redact, embedder: localWords(), memory: null, book: null, close: () => {} };
  const opened = await openMemoryFor(storePlace(words.dataDir));
  await opened.labels.relabel(found.repo);
  return { ...opened, ...found, book: opened.history };
}
