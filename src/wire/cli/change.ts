import { existsSync } from "node:fs";
import { type CloneIdentities, knownIdentity } from "../../adapters/git/clone-identity.ts";
import { topOf } from "../../adapters/git/git.ts";
import { defaultBranch, type LocalRange, localChanges, uncommittedWork } from "../../adapters/git/local-changes.ts";
import { localWords } from "../../adapters/local/local-embedder.ts";
import { noMemory } from "../../adapters/no-memory/no-memory.ts";
import { sarifFiles } from "../../adapters/sarif/sarif-files.ts";
import type { Repo } from "../../domain/job.ts";
import { joinedReports } from "../../domain/tool-result.ts";
import { isDatabase } from "../../environment/data-dir.ts";
import { PLAIN_CHANGE, type ReviewPorts, type WritingPorts } from "../../flows/review/review-ports.ts";
import type { PullRequests } from "../../ports.ts";
import { inspector, knownRules, symbolsOfReview } from "../rules.ts";
import { type ModelWish, modelAccess } from "./model.ts";
import type { Remembered } from "./store.ts";

export { defaultBranch, type LocalRange, topOf, uncommittedWork };

export interface NamedChange {
  readonly repo: Repo;
  readonly number: number;
  readonly headSha: string;
  readonly ports: WritingPorts;
}

/** Ports for a range of the clone at `cwd`; nothing leaves the machine. Throws git's message. */
export async function localPorts(
  cwd: string,
  range: LocalRange,
  place: string | null,
  wish: ModelWish,
): Promise<NamedChange> {
  const { identities, pull, pulls, snapshots } = await localChanges(cwd, range);
  const { repo, ports } = await portsOf(identities, pulls, await storeAt(place), wish);
  return { repo, number: pull.number, headSha: pull.head.sha, ports: { ...ports, snapshots } };
}

/** What is remembered at a place (see storePlaceIfAny); null while there is nothing. */
export async function storeAt(place: string | null): Promise<Remembered | null> {
  return place !== null && (isDatabase(place) || existsSync(place))
    ? (await import("./store.ts")).rememberedAt(place)
    : null;
}

/** Rules, memory if any, and the chosen model. `repo` is the identity that memory knows. */
export async function portsOf(
  identities: CloneIdentities,
  pulls: PullRequests,
  store: Remembered | null,
  wish: ModelWish,
): Promise<{ readonly repo: Repo; readonly ports: WritingPorts & Pick<ReviewPorts, "embedder"> }> {
  const repo = knownIdentity(identities, (await store?.labels?.all()) ?? []);
  const ports = {
    ...PLAIN_CHANGE,
    pulls,
    inspector: inspector(),
    symbols: symbolsOfReview(),
    known: knownRules(),
    embedder: localWords(),
    recall: store?.recall ?? noMemory(),
    retrievals: store?.retrievals ?? null,
    // Nothing is posted, so every finding is shown where it is.
    commentLimit: Number.POSITIVE_INFINITY,
    access: await modelAccess(wish, repo, store?.spending ?? null, store?.modelLessons ?? null),
    now: Date.now,
  };
  return { repo, ports };
}

/** The same ports with the results in SARIF files beside those that they have. */
export function withSarif(ports: WritingPorts, files: readonly string[]): WritingPorts {
  const { tools } = ports;
  const named = sarifFiles(files);
  return { ...ports, tools: { of: async (change) => joinedReports([await tools.of(change), await named.of(change)]) } };
}
