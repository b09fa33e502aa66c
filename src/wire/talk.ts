// Joins what it takes to hold a conversation to its ports.
import { dryRunEvidence } from "../adapters/dry-run/memory.ts";
import { dryRunReplies } from "../adapters/dry-run/replies.ts";
import type { GitHub } from "../adapters/github/clients.ts";
import { githubPermissions } from "../adapters/github/permissions.ts";
import { githubReplies } from "../adapters/github/replies.ts";
import { githubThreads } from "../adapters/github/threads.ts";
import type { WritePath } from "../adapters/github/write-path.ts";
import type { secretRedactor } from "../adapters/secrets/redact.ts";
import { redactedReplies } from "../adapters/secrets/redacted-replies.ts";
import type { CommandPorts } from "../flows/commands/order.ts";
import type { HeldRecords } from "./records.ts";
import type { Store } from "./store.ts";

export interface TalkWiring {
  readonly botLogin: string;
  /** Told what a dry run does not post; null posts. */
  readonly onUnposted: Parameters<typeof dryRunReplies>[1] | null;
  readonly redactor: ReturnType<typeof secretRedactor>;
}

type TalkPorts = Pick<
  CommandPorts,
  "permissions" | "threads" | "replies" | "decisions" | "book" | "records" | "evidence"
>;

/** The ports of a conversation in the repository that the client may read. */
export function talkPorts(
  client: GitHub,
  { botLogin, onUnposted, redactor }: TalkWiring,
  store: Store,
  { held, path }: { readonly held: HeldRecords; readonly path: WritePath },
): TalkPorts {
  const real = githubReplies(client, botLogin, path);
  return {
    permissions: githubPermissions(client),
    threads: githubThreads(client, botLogin),
    replies: redactedReplies(onUnposted === null ? real : dryRunReplies(real, onUnposted), redactor),
    decisions: store.decisions,
    book: held.answers,
    records: held.ledger,
    evidence: onUnposted === null ? store.evidence : dryRunEvidence(store.evidence),
  };
}
