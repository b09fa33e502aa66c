// What every job that follows a repository asks first: whether it stands, what its head is, and what its configuration says there.
import type { KnownRules } from "../../config/check-rules.ts";
import type { RepoConfig } from "../../config/repo-config.ts";
import { OutOfReach } from "../../domain/errors.ts";
import type { Skipped } from "../../domain/omissions.ts";
import { configAt } from "../../gather/gather.ts";
import type { RepositoryHost, RepositoryLabels, StandingRepository, Tree, Unreachable } from "../../ports/memory.ts";
import type { PullRequests } from "../../ports.ts";

export interface HeadPorts {
  readonly host: RepositoryHost;
  /** Reads .kodiai.yml. */
  readonly pulls: Pick<PullRequests, "text" | "ownersText">;
  /** Which rules there are. */
  readonly known: KnownRules;
  readonly labels: RepositoryLabels;
}

/** The head of the default branch, with the configuration that holds there. */
export interface StandingHead {
  readonly kind: "head";
  readonly found: StandingRepository;
  readonly tree: Tree;
  readonly config: RepoConfig;
}

/**
 * Looks a repository up. Its labels are set before anything is added: what is written can only narrow who may read it.
 *
 * @throws Transient when its host can be asked later; OutOfReach when that says that it is gone
 */
export async function standingHead({ host, pulls, known, labels }: HeadPorts): Promise<StandingHead | Skipped> {
  const found = await host.lookUp();
  if (found.kind === "unreachable") return unreached(found);
  await labels.relabel(found.repo);
  const tree = await found.head();
  if (tree === null) return { kind: "skipped", reason: "nothing was committed yet" };
  const { config } = await configAt(found.repo, tree.commit, pulls, known);
  return { kind: "head", found, tree, config };
}

/** @throws OutOfReach when its host says that the repository is gone: then it is forgotten as well */
export function unreached({ reason, gone }: Unreachable): Skipped {
  if (gone) throw new OutOfReach("gone", 404, reason);
  return { kind: "skipped", reason };
}
