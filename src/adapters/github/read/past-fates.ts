// Who resolved which thread and which pull requests were merged: only GraphQL has this, for many pull requests in one query.

import { Transient } from "../../../domain/errors.ts";
import type { Repo } from "../../../domain/job.ts";
import type { PastAuthor, PastFates } from "../../../domain/memory/past-reviews.ts";
import type { PastReviews } from "../../../ports/history.ts";
import type { GitHub } from "../clients.ts";
import { fatesOf } from "../graphql-documents.ts";
import { translate } from "../translate-error.ts";

/** Pull requests per query, and threads of each: 2,000 nodes, two points of the 5,000 an hour. */
const BATCH = 20;

interface FatesAnswer {
  readonly repository: Readonly<Record<string, PullFate | null>> | null;
}

interface FateActor {
  readonly __typename: string;
  readonly login: string;
  readonly databaseId?: number | null;
}

interface PullFate {
  readonly number: number;
  readonly merged: boolean;
  readonly authorAssociation: string;
  /** Null for a deleted account. */
  readonly author: FateActor | null;
  readonly reviewThreads: {
    readonly nodes: readonly ({
      readonly isResolved: boolean;
      /** Null if an App resolved it. */
      readonly resolvedBy: FateActor | null;
      readonly comments: { readonly nodes: readonly ({ readonly fullDatabaseId: string | null } | null)[] };
    } | null)[];
  };
}

/**
 * What GraphQL refuses is unknown, and reported; for a pull request with more than 100 threads the others are unknown too.
 *
 * @throws Transient when GitHub cannot answer now
 */
export async function pastFates(
  github: GitHub,
  { owner, name }: Repo,
  numbers: readonly number[],
): ReturnType<PastReviews["fates"]> {
  const fates: PullFate[] = [];
  let failed: string | null = null;
  for (let at = 0; at < numbers.length; at += BATCH) {
    try {
      fates.push(...pullsOf(await github.graphql(fatesOf(numbers.slice(at, at + BATCH)), { owner, name })));
    } catch (error) {
      // One deleted pull request fails the query, but the others are still answered.
      const known = partOf(error);
      if (known === null) throw error;
      fates.push(...pullsOf(known));
      failed = "GitHub does not report who resolved which thread and which pull requests were merged";
    }
  }
  return { ...asFates(fates), failed };
}

function pullsOf({ repository }: FatesAnswer): readonly PullFate[] {
  return Object.values(repository ?? {}).filter((pull) => pull !== null);
}

function asFates(fates: readonly PullFate[]): PastFates {
  const pulls = fates.map(({ number, merged, author, authorAssociation }) => {
    const by = author === null ? null : person(author, authorAssociation);
    return [number, { isMerged: merged, author: by }] as const;
  });
  const threads = fates.flatMap(({ reviewThreads }) => reviewThreads.nodes.filter((thread) => thread !== null));
  const resolvedBy = threads.flatMap(({ isResolved, resolvedBy: by, comments }) => {
    const id = comments.nodes[0]?.fullDatabaseId;
    return isResolved && by !== null && typeof id === "string" ? [[Number(id), person(by, "NONE")] as const] : [];
  });
  return { pulls: new Map(pulls), resolvedBy: new Map(resolvedBy) };
}

function person({ __typename, login, databaseId }: FateActor, association: string): PastAuthor {
  return { id: databaseId ?? 0, login, isBot: __typename !== "User", association };
}

/** The part that was answered beside the errors; null when a retry may help. GraphQL's own rate limit costs only this answer. */
function partOf(error: unknown): FatesAnswer | null {
  if (translate(error, 0) instanceof Transient) return null;
  const data =
    error instanceof Error && "data" in error ? (error.data as Partial<FatesAnswer> | null | undefined) : null;
  return { repository: data?.repository ?? null };
}
