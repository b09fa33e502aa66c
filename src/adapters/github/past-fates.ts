// Who resolved which thread and which pull requests were merged: only GraphQL tells, for many of them in one question.

import { Transient } from "../../domain/errors.ts";
import type { Repo } from "../../domain/job.ts";
import type { PastAuthor, PastFates } from "../../domain/memory/past-reviews.ts";
import type { PastReviews } from "../../ports/history.ts";
import type { GitHub } from "./clients.ts";
import { fatesOf } from "./graphql-documents.ts";
import { translate } from "./translate-error.ts";

/** Pull requests of one question, and threads of each: 2,000 nodes, two points of the 5,000 an hour. */
const BATCH = 20;

interface Told {
  readonly repository: Readonly<Record<string, ToldPull | null>> | null;
}

interface ToldActor {
  readonly __typename: string;
  readonly login: string;
  readonly databaseId?: number | null;
}

interface ToldPull {
  readonly number: number;
  readonly merged: boolean;
  readonly authorAssociation: string;
  /** Null for a deleted account. */
  readonly author: ToldActor | null;
  readonly reviewThreads: {
    readonly nodes: readonly ({
      readonly isResolved: boolean;
      /** Null where an App resolved it. */
      readonly resolvedBy: ToldActor | null;
      readonly comments: { readonly nodes: readonly ({ readonly fullDatabaseId: string | null } | null)[] };
    } | null)[];
  };
}

/**
 * What GraphQL refuses is not known, and said; of a pull request with more than 100 threads the others are not known either.
 *
 * @throws Transient when GitHub cannot answer now
 */
export async function pastFates(
  github: GitHub,
  { owner, name }: Repo,
  numbers: readonly number[],
): ReturnType<PastReviews["fates"]> {
  const told: ToldPull[] = [];
  let failed: string | null = null;
  for (let at = 0; at < numbers.length; at += BATCH) {
    try {
      told.push(...pullsOf(await github.graphql(fatesOf(numbers.slice(at, at + BATCH)), { owner, name })));
    } catch (error) {
      // One pull request that is gone fails the question, and the others are answered all the same.
      const known = partOf(error);
      if (known === null) throw error;
      told.push(...pullsOf(known));
      failed = "GitHub does not tell who resolved which thread and which pull requests were merged";
    }
  }
  return { ...asFates(told), failed };
}

function pullsOf({ repository }: Told): readonly ToldPull[] {
  return Object.values(repository ?? {}).filter((pull) => pull !== null);
}

function asFates(told: readonly ToldPull[]): PastFates {
  const pulls = told.map(({ number, merged, author, authorAssociation }) => {
    const by = author === null ? null : person(author, authorAssociation);
    return [number, { isMerged: merged, author: by }] as const;
  });
  const threads = told.flatMap(({ reviewThreads }) => reviewThreads.nodes.filter((thread) => thread !== null));
  const resolvedBy = threads.flatMap(({ isResolved, resolvedBy: by, comments }) => {
    const id = comments.nodes[0]?.fullDatabaseId;
    return isResolved && by !== null && typeof id === "string" ? [[Number(id), person(by, "NONE")] as const] : [];
  });
  return { pulls: new Map(pulls), resolvedBy: new Map(resolvedBy) };
}

function person({ __typename, login, databaseId }: ToldActor, association: string): PastAuthor {
  return { id: databaseId ?? 0, login, isBot: __typename !== "User", association };
}

/** What was answered beside the errors; null when another try may help. GraphQL's own rate limit costs the answer only. */
function partOf(error: unknown): Told | null {
  if (translate(error, 0) instanceof Transient) return null;
  const data = error instanceof Error && "data" in error ? (error.data as Partial<Told> | null | undefined) : null;
  return { repository: data?.repository ?? null };
}
