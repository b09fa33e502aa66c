// Which threads are resolved: only GraphQL tells, for many pull requests in one question.
import type { Repo } from "../../domain/job.ts";
import { Transient } from "../../domain/transient.ts";
import type { PastReviews } from "../../ports/history.ts";
import type { GitHub } from "./clients.ts";
import { translate } from "./translate-error.ts";

/** Pull requests of one question, and threads of each: 2,000 nodes, two points of the 5,000 an hour. */
const BATCH = 20;
const THREADS = 100;

interface Told {
  readonly repository: Readonly<Record<string, ToldPull | null>> | null;
}

interface ToldPull {
  readonly reviewThreads: {
    readonly nodes: readonly ({
      readonly isResolved: boolean;
      readonly comments: { readonly nodes: readonly ({ readonly databaseId: number | null } | null)[] };
    } | null)[];
  };
}

/**
 * By the id of their first comment. What GraphQL refuses is not known, and said; of a pull request with more than 100
 * threads the others are not known either.
 *
 * @throws Transient when GitHub cannot answer now
 */
export async function resolvedThreads(
  github: GitHub,
  { owner, name }: Repo,
  pulls: readonly number[],
): ReturnType<PastReviews["resolved"]> {
  const threads = new Map<number, boolean>();
  let failed: string | null = null;
  for (let at = 0; at < pulls.length; at += BATCH) {
    try {
      const told: Told = await github.graphql(queryFor(pulls.slice(at, at + BATCH)), { owner, name });
      addTo(threads, told);
    } catch (error) {
      // One pull request that is gone fails the question, and the others are answered all the same.
      const known = partOf(error);
      if (known === null) throw error;
      addTo(threads, known);
      failed = "GitHub does not tell which threads are resolved";
    }
  }
  return { threads, failed };
}

function queryFor(pulls: readonly number[]): string {
  const each = pulls.map(
    (number) => `p${number}: pullRequest(number: ${number}) { reviewThreads(first: ${THREADS}) {
    nodes { isResolved comments(first: 1) { nodes { databaseId } } } } }`,
  );
  return `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${each.join("\n")} } }`;
}

function addTo(threads: Map<number, boolean>, { repository }: Told): void {
  for (const pull of Object.values(repository ?? {})) {
    for (const thread of pull?.reviewThreads.nodes ?? []) {
      const id = thread?.comments.nodes[0]?.databaseId;
      if (thread !== null && typeof id === "number") threads.set(id, thread.isResolved);
    }
  }
}

/** What was answered beside the errors; null when another try may help. GraphQL's own rate limit costs the resolution only. */
function partOf(error: unknown): Told | null {
  if (translate(error, 0) instanceof Transient) return null;
  const data = error instanceof Error && "data" in error ? (error.data as Partial<Told> | null | undefined) : null;
  return { repository: data?.repository ?? null };
}
