// After a restore: which reviews of ours stand on GitHub.
import { githubRetractions } from "../adapters/github/retractions.ts";
import { unheldWrites } from "../adapters/github/write-path.ts";
import type { ReviewPorts } from "../flows/review/review-ports.ts";
import type { Store } from "./store.ts";

/** After a restore so long: by then what was said before stands in the books again, or is no longer open. */
const RESTORED_MS = 30 * 24 * 60 * 60_000;

/** After a restore the books may lack what was posted since the backup: then GitHub is asked. Null when there was none. */
export async function standingReviews(
  client: Parameters<typeof githubRetractions>[0],
  botLogin: string,
  store: Pick<Store, "restoredAt">,
): Promise<ReviewPorts["isOnGitHub"]> {
  const restored = await store.restoredAt();
  if (restored === null || restored < Date.now() - RESTORED_MS) return null;
  const { posts } = githubRetractions(client, botLogin, unheldWrites());
  return async (repo, number, headSha) =>
    (await posts(repo, number)).some((post) => post.kind === "review" && post.headSha === headSha);
}
