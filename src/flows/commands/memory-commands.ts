// Commands about memory: add, delete, count.

import { languageOf } from "../../analyze/analyze.ts";
import { type Answer, plainAnswer } from "../../domain/conversation.ts";
import { MEMORY_ID, repoKey } from "../../domain/memory.ts";
import { ownScope } from "../../domain/retrieval.ts";
import { parseFindingMarker } from "../../domain/review/marker.ts";
import { counted } from "../../domain/text/counted.ts";
import { publicErrorText } from "../../domain/text/public-error-text.ts";
import { fromRequest, memoriesOfThread, remember } from "../../learn/learn.ts";
import type { CommandContext } from "./order.ts";

const SHOWN = 12;

export async function rememberText({ job, key, text, ports, stage }: CommandContext): Promise<Answer> {
  const { repo, number, comment, headSha } = job;
  const request = { repo, pull: number, text, comment, sha: headSha, at: ports.now() };
  const latest = await ports.records.latest(key);
  const paths = latest?.signals.files.map(({ path }) => path) ?? [];
  const record = fromRequest(request, (path) => languageOf(path, paths));
  if (record === null) {
    const how = "Say what to remember: `/kodiai remember We retry in the client, not here`.";
    return plainAnswer("failed", how, "no text");
  }
  const kept = await stage("remember", () =>
    remember([record], ports.embedder, ports.memory, { redact: ports.redact }),
  );
  const [refused] = kept.refused;
  if (refused !== undefined)
    return plainAnswer("failed", `It was not stored: ${publicErrorText(refused.reason)}.`, refused.reason);
  const answer = `Remembered as \`${record.id}\`. \`/kodiai forget ${record.id}\` deletes it.`;
  return { ...plainAnswer("done", answer, `remembered ${record.id}`), degraded: kept.degraded };
}

export async function forgetMemory(order: CommandContext): Promise<Answer> {
  const { job, text, ports } = order;
  if (text !== "" && !MEMORY_ID.test(text)) {
    const how = "The id of a memory looks like `mem_0123456789ab`; in a thread, `/kodiai forget` needs none.";
    return plainAnswer("failed", how, "not an id");
  }
  const ids = text === "" ? await idsOfThread(order) : [text];
  if (ids === null) {
    return plainAnswer("failed", "Outside a thread, say which memory: `/kodiai forget mem_…`.", "no id and no thread");
  }
  const deleted = await ports.memory.forget(repoKey(job.repo), ids);
  const answer = `Forgotten: ${counted(deleted, "memory", "memories")}.`;
  return plainAnswer("done", deleted === 0 ? "Nothing to forget: no such memory." : answer, `forgot ${deleted}`);
}

async function idsOfThread({ job, ports }: CommandContext): Promise<readonly string[] | null> {
  const { repo, number, comment } = job;
  if (comment.rootId === null) return null;
  const thread = await ports.threads.thread(repo, number, comment.rootId);
  const root = thread.find(({ id, isOurs }) => id === comment.rootId && isOurs);
  const findingIds = root === undefined ? [] : parseFindingMarker(root.body);
  return memoriesOfThread(repo, number, { commentIds: thread.map(({ id }) => id), findingIds });
}

export async function countMemory({ job, ports }: CommandContext): Promise<Answer> {
  const { total, byLanguage, byCorpus, byOutcome } = await ports.recall.counts(ownScope(job.repo));
  if (total === 0) return plainAnswer("done", "There are no memories of this repository yet.", "empty memory");
  const lines = [
    `${counted(total, "memory", "memories")} of this repository.`,
    `- by kind: ${most(byCorpus)}`,
    `- by language: ${most(byLanguage)}`,
    `- by outcome: ${most(byOutcome)}`,
  ];
  return plainAnswer("done", lines.join("\n"), counted(total, "memory", "memories"));
}

function most(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const shown = sorted.slice(0, SHOWN).map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`);
  return [...shown, ...(sorted.length > SHOWN ? [`and ${sorted.length - SHOWN} more`] : [])].join(", ");
}
