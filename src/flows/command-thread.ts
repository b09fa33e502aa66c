// Commands in the thread of a finding: do not say it again, say it again after all, resolve.
import { type Answer, plainAnswer } from "../domain/conversation.ts";
import { parseFindingMarker } from "../domain/marker.ts";
import { findingOfThread, isWriter, type Order } from "./command-order.ts";
import { noteCommand } from "./weigh-evidence.ts";

const FINDING_ID = /^fnd_[0-9a-f]{12}$/;

/** The finding is held back on later pushes. Whoever cannot write may not silence what is grave, or unknown to us. */
export async function ignoreFinding(order: Order): Promise<Answer> {
  const { job, key, text, ports } = order;
  const found = await findingOfThread(order);
  if ("end" in found) return found;
  const finding = ports.records.finding(key, found.findingId);
  const isGrave = finding === null || finding.category === "security" || finding.severity === "critical";
  if (isGrave && !isWriter(order)) {
    const why = "Security and critical findings are declined by people with write access only.";
    return plainAnswer("refused", why, `may not decline ${found.findingId}`);
  }
  const by = job.comment.author.login;
  const reason = await ports.redact(text);
  ports.decisions.decline(key, { findingId: found.findingId, by, reason }, ports.now());
  const noted = await noteCommand(order, found.findingId, { kind: "declined", text: reason });
  const because = reason === "" ? " A reason (`/kodiai ignore REASON`) helps the next reader." : "";
  const said = `Noted: this is not said again on this pull request.${because} \`/kodiai restore\` takes it back.`;
  return plainAnswer("done", said, `declined ${found.findingId}${noted}`);
}

export async function restoreFinding(order: Order): Promise<Answer> {
  const { key, text, ports } = order;
  const found = FINDING_ID.test(text) ? { findingId: text } : await findingOfThread(order);
  if ("end" in found) return found;
  const was = ports.decisions.restore(key, found.findingId);
  const noted = await noteCommand(order, found.findingId, { kind: "restored", text: "" });
  const said = was ? "It is said again with the next review." : "Nobody declined this finding here.";
  return plainAnswer("done", said, `${was ? "restored" : "not declined:"} ${found.findingId}${noted}`);
}

export async function resolveThread(order: Order): Promise<Answer> {
  const { job, ports } = order;
  const { rootId } = job.comment;
  const root = rootId === null ? null : await ports.threads.root(job.repo, rootId);
  if (rootId === null || root?.isOurs !== true) {
    return plainAnswer("failed", "`/kodiai resolve` belongs in a thread that Kodiai began.", "not a thread of ours");
  }
  const end = await ports.replies.resolve(job.repo, job.number, rootId);
  if (end === "resolved") {
    const findingId = parseFindingMarker(root.body);
    const noted = findingId === null ? "" : await noteCommand(order, findingId, { kind: "resolved", text: "" });
    return plainAnswer("done", null, `thread resolved${noted}`);
  }
  if (end === "gone") return plainAnswer("failed", "GitHub does not know this thread any more.", "thread gone");
  const how =
    "GitHub lets an app resolve threads only with the right to write code, which Kodiai does not ask for. Press “Resolve conversation” below.";
  return plainAnswer("failed", how, "GitHub refused to resolve the thread");
}
