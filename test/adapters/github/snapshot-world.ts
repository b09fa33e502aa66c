// Snapshots as the server takes them: its clients, its two ways out and a folder of blobs, against
// a GitHub of our own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blobCache } from "../../../src/adapters/blob-cache.ts";
import { githubClients } from "../../../src/adapters/github/clients.ts";
import { githubSnapshots } from "../../../src/adapters/github/read/snapshot.ts";
import { SNAPSHOT_LIMITS, type SnapshotLimits } from "../../../src/adapters/snapshot-limits.ts";
import type { Repo } from "../../../src/domain/job.ts";
import type { PullRequest } from "../../../src/domain/pull-request.ts";
import { archiveFetch, githubFetch } from "../../../src/wire/egress.ts";
import { aPullRequest } from "../../builders/pull-request.ts";
import { octokit } from "../../fakes/github/driver.ts";
import type { Files } from "../../fakes/github/emulator.ts";
import { startGitHub } from "../../fakes/github/github.ts";

export type SnapshotWorld = Awaited<ReturnType<typeof snapshotWorld>>;

/**
 * @param more smaller limits than the documented ones
 * @param mostBytes of the cache on the disk
 */
export async function snapshotWorld(files: Files, more: Partial<SnapshotLimits> = {}, mostBytes?: number) {
  const world = await startGitHub();
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" }, private: true });
  const opened = await world.pullRequest(repository, { title: "Change", files });
  const repo: Repo = {
    host: "github.com",
    id: repository.id,
    ownerId: 7,
    owner: "acme",
    name: "shop",
    visibility: "private",
  };
  const clients = githubClients({
    app: octokit(world, {}),
    apiUrl: world.apiUrl,
    fetch: githubFetch(world.apiUrl),
    now: Date.now,
    limits: { closedFor: async () => 0, close: async () => {} },
  });
  const dataDir = mkdtempSync(join(tmpdir(), "kodiai-snapshots-"));
  const folder = join(dataDir, "snapshots");
  const cache = blobCache(dataDir, mostBytes);
  const snapshots = githubSnapshots({
    github: await clients.forRepository(1001, repo),
    archives: archiveFetch(world.apiUrl),
    blobs: cache.of(repo),
    trim: cache.trim,
    limits: { ...SNAPSHOT_LIMITS, ...more },
  });
  const at = (headSha: string): PullRequest => aPullRequest({ repo, number: opened.number, headSha });
  return {
    world,
    repository,
    opened,
    repo,
    cache,
    folder,
    snapshots,
    /** The snapshot of the pull request's head as it is now. */
    taken: () => snapshots.at(repo, at(opened.headSha)),
    pull: at(opened.headSha),
    /**
     * Paths below the repository that were asked of the API since the world began, without the
     * token's.
     */
    asked: () =>
      world.requests.flatMap(({ method, path }) =>
        method === "GET" && path.startsWith("/repos/acme/shop/") ? [path.slice("/repos/acme/shop/".length)] : [],
      ),
    async close() {
      await world.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
