// Commands in the thread of a finding: ignore, restore, resolve.
import { type Answer, plainAnswer } from "../../domain/conversation.ts";
import { type Finding, isAlwaysRepeated, isAlwaysReported } from "../../domain/finding.ts";
import { MEMORY_ID } from "../../domain/memory.ts";
import { parseFindingMarker } from "../../domain/review/marker.ts";
import { noteCommand, noteOnMemory } from "../people/weigh-evidence.ts";
import { addReview, type CommandContext, findingsOfThread, isWriter } from "./order.ts";

const FINDING_ID = /^fnd_[0-9a-f]{12}$/;

/** Holds the thread's findings back on later pushes. Grave and unknown ones take write access. */
export async function ignoreFinding(order: CommandContext): Promise<Answer> {
  const { job, key, text, ports } = order;
  const ids = await findingsOfThread(order);
  if ("end" in ids) return ids;
  const findings = await Promise.all(ids.map((id) => ports.records.finding(key, id)));
  const isGrave = findings.some((finding) => finding === null || isAlwaysReported(finding));
  if (isGrave && !isWriter(order)) {
    const why = "Security and critical findings are declined by people with write access only.";
    return plainAnswer("refused", why, `may not decline ${ids.join(", ")}`);
  }
  const by = job.comment.author.login;
  const reason = await ports.redact(text);
  let elsewhere = "";
  let noted = "";
  let degraded: Answer["degraded"] = [];
  for (const findingId of ids) {
    await ports.decisions.decline(key, { findingId, by, reason, isWriter: isWriter(order) }, ports.now());
    // Only evidence of writers affects other pull requests; an author decides for their own.
    const { end, note } = await noteCommand(order, findingId, { kind: "declined", text: reason });
    noted = note;
    if (!isWriter(order)) continue;
    if (end === "stored") elsewhere = ` ${onOthers(findings[0] ?? null, reason)}`;
    if (end === "failed")
      degraded = [{ part: "memory", reason: "the decline holds here only: memory cannot be written" }];
  }
  if (!isWriter(order)) {
    const answer =
      "Noted: you ask to ignore this. It is still shown, and counts for the check, until a person with write access agrees.";
    return { ...plainAnswer("done", answer, `asked to ignore ${ids.join(", ")}${noted}`), degraded };
  }
  // The check of the head changes: the job computes it again from the review that stands.
  await addReview(order, "verdict");
  const because = reason === "" ? " A reason (`/kodiai ignore REASON`) helps the next reader." : "";
  const answer = `Noted: this will not be reported again on this pull request.${because}${elsewhere} \`/kodiai restore\` takes it back.`;
  return { ...plainAnswer("done", answer, `declined ${ids.join(", ")}${noted}`), degraded };
}

/** The effect of a writer's decline on other pull requests. */
function onOthers(finding: Finding | null, reason: string): string {
  if (finding !== null && (reason === "" ? isAlwaysReported(finding) : isAlwaysRepeated(finding))) {
    return "Similar findings are still reported on other pull requests, along with this decision: security and critical findings always are.";
  }
  return reason === ""
    ? "On other pull requests, similar findings are held back once two people declined three of them, or one with a reason."
    : "On other pull requests, similar findings are held back and listed with your reason.";
}

/** By the finding's id or its thread here; on all pull requests by the id of its memory. */
export async function restoreFinding(order: CommandContext): Promise<Answer> {
  const { key, text, ports } = order;
  if (MEMORY_ID.test(text)) {
    const { rejections, note } = await noteOnMemory(order, text, { kind: "restored", text: "" });
    return memoryRestored(text, rejections, note);
  }
  const ids = FINDING_ID.test(text) ? [text] : await findingsOfThread(order);
  if ("end" in ids) return ids;
  let was = false;
  let noted = "";
  for (const findingId of ids) {
    // It outweighs the rejections before it.
    const { rejections, note } = await noteCommand(order, findingId, { kind: "restored", text: "" });
    noted = note;
    was = (await ports.decisions.restore(key, findingId)) || rejections > 0 || was;
  }
  if (was) await addReview(order, "verdict");
  const answer = was ? "It is reported again from the next review on." : "This finding was not declined here.";
  return plainAnswer("done", answer, `${was ? "restored" : "not declined:"} ${ids.join(", ")}${noted}`);
}

function memoryRestored(memoryId: string, count: number, noted: string): Answer {
  if (count === 0) return plainAnswer("done", "This memory was not declined.", `not declined: ${memoryId}${noted}`);
  const answer =
    "Similar findings are reported again, from the next review of each pull request on. `/kodiai full review` makes one here.";
  return plainAnswer("done", answer, `restored ${memoryId}${noted}`);
}

export async function resolveThread(order: CommandContext): Promise<Answer> {
  const { job, ports } = order;
  const { rootId } = job.comment;
  const root = rootId === null ? null : await ports.threads.root(job.repo, rootId);
  if (rootId === null || root?.isOurs !== true) {
    return plainAnswer("failed", "`/kodiai resolve` works in a thread that Kodiai started.", "not a thread of ours");
  }
  const end = await ports.replies.resolve(job.repo, job.number, rootId);
  if (end === "resolved") {
    let noted = "";
    for (const findingId of parseFindingMarker(root.body))
      noted = (await noteCommand(order, findingId, { kind: "resolved", text: "" })).note;
    return plainAnswer("done", null, `thread resolved${noted}`);
  }
  if (end === "missing") return plainAnswer("failed", "GitHub does not know this thread any more.", "thread missing");
  const how =
    "GitHub lets an app resolve threads only with the right to write code, which Kodiai does not ask for. Press “Resolve conversation” below.";
  return plainAnswer("failed", how, "GitHub refused to resolve the thread");
}
