// Joins ports for `kodiai conventions`, which reads memory and can change nothing.
import type { ConventionsVerbPorts } from "../cli/conventions.ts";
import { memoryIfAny } from "./cli.ts";

/** @param word the folder that `--data-dir` names; where nothing is remembered, no file is made */
export async function conventionsVerbPorts(word: string | undefined): Promise<ConventionsVerbPorts> {
  const { opened, ...rest } = await memoryIfAny(word);
  if (opened === null) return { ...rest, open: null };
  const { memory, recall, embedder } = opened;
  return { ...rest, open: { memory, recall, space: embedder.space } };
}
