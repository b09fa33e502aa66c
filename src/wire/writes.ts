// Joins the one way to write to GitHub to the store.
import type { Clients } from "../adapters/github/clients.ts";
import { findPost } from "../adapters/github/find-post.ts";
import { signWrite } from "../adapters/github/sign-write.ts";
import { type WritePath, writePath } from "../adapters/github/write-path.ts";
import type { WriteTurns } from "../adapters/github/write-turns.ts";
import type { Post, Wanted, WriteBook } from "../ports/writes.ts";

export interface WriteWiring {
  readonly clients: Clients;
  /** Our account in comments: `kodiai[bot]`. */
  readonly botLogin: string;
  /** Of the App: by it our markers are ours. */
  readonly markerSecret: string;
  /** Of the process. */
  readonly turns: WriteTurns;
  /** Other than the documented time after which a write has arrived or never will; in tests only. */
  readonly settledMs?: number | undefined;
  /** Told of each write whose answer was lost, and whether it stands there. */
  readonly onLost?: (wanted: Wanted, found: boolean) => void;
}

/** The path of one job, or of a sweep. */
export function pathOf(wiring: WriteWiring, book: WriteBook, installationId: number): WritePath {
  const { turns, markerSecret, settledMs, onLost = () => {} } = wiring;
  return writePath({
    ...{ installationId, book, settledMs, onLost },
    sign: (wanted) => signWrite(markerSecret, wanted),
    find: (wanted, marker) => findWritten(wiring, wanted, marker),
    turn: (write) => turns.take(installationId, write),
  });
}

/** What stands on GitHub with the marker, or null. */
export async function findWritten(
  { clients, botLogin }: Pick<WriteWiring, "clients" | "botLogin">,
  wanted: Wanted,
  marker: string,
): Promise<Post | null> {
  const { kind, installationId, repo } = wanted;
  const client = await (kind === "check"
    ? clients.forChecks(installationId, repo)
    : clients.forRepository(installationId, repo));
  return findPost(client, botLogin, wanted, marker);
}
