// Events of repositories and installations while reviews run: rename, transfer, suspension and
// removal of the App. One at a time, a few of each in a run.
import type { Pull, Repository } from "../test/fakes/github/conversation.ts";
import type { GitHubWorld } from "../test/fakes/github/github.ts";
import { listed } from "../test/fakes/github/repository-actions.ts";
import type { History, PullName } from "./history.ts";
import { type Desk, PERMISSIONS } from "./installations.ts";
import type { SeededRandom } from "./seeded-random.ts";

export const REPOSITORY_EVENTS = ["rename", "transfer", "suspend", "remove", "uninstall"] as const;
export type RepositoryEvent = (typeof REPOSITORY_EVENTS)[number];

/** A permission is taken for seconds, or (once, where a third owner is left) for ever. */
const FORBIDS = "forbid" as const;

export interface RepositoryEventOptions {
  readonly world: GitHubWorld;
  readonly random: SeededRandom;
  readonly history: History;
  readonly desk: Desk;
  readonly repositories: readonly Repository[];
  /** Each of them happens once to four times as often as this, at most. */
  readonly times: number;
  readonly nameOf: (pull: Pull) => PullName;
  /** Nobody else does anything to these meanwhile. */
  readonly alone: (those: readonly Repository[], work: () => Promise<void>) => Promise<void>;
  /** Whether repositories change hands and names, and whether permissions are taken. */
  readonly kinds: () => { readonly people: boolean; readonly permission: boolean };
  /** Told of a repository's other name. */
  readonly renamed: (repository: Repository) => void;
}

export interface RepositoryEvents {
  /**
   * @param where at which place of a review's way, or at a random moment; nothing happens when
   * there were enough
   */
  happen(repository: Repository, where: string): Promise<void>;
  /** Whoever was switched off is switched on again. */
  calm(): Promise<void>;
}

/** A run of a hundred deliveries has three owners; two of them stay to the end. */
const LEAST_OWNERS = 2;

export function repositoryEvents(options: RepositoryEventOptions): RepositoryEvents {
  const { world, random, history, desk, repositories } = options;
  const { times } = options;
  const left: Record<RepositoryEvent | typeof FORBIDS, number> = {
    forbid: 4 * times,
    rename: 4 * times,
    transfer: 2 * times,
    suspend: 3 * times,
    remove: times,
    uninstall: times,
  };
  const resuming = new Map<string, () => Promise<void>>();
  let isForbiddenForGood = false;
  let isBusy = false;
  let renames = 0;

  const standing = () => repositories.filter((one) => !desk.isRemoved(one));
  const ownersLeft = () => new Set(standing().map(({ owner }) => owner)).size;
  const ofOwner = (owner: string) => standing().filter((one) => one.owner === owner);
  const installationOf = (owner: string) => world.installations.get(owner) ?? 0;

  function note(those: readonly Repository[], what: string, isRemoved: boolean, where: string): void {
    const at = Date.now();
    history.note({
      kind: "upheaval",
      at,
      what,
      where,
      repositories: those.map(({ owner, name }) => `${owner}/${name}`),
    });
    for (const pull of those.flatMap(({ pulls }) => pulls))
      history.note({
        ...{ kind: "act", at, what, pull: options.nameOf(pull), head: pull.headSha },
        state: isRemoved ? "removed" : pull.state,
      });
  }

  function sendInstallationEvent(
    owner: string,
    action: "suspend" | "unsuspend" | "new_permissions_accepted",
  ): Promise<unknown> {
    const account = { login: owner, id: 7, type: "Organization" };
    const suspended_at = action === "suspend" ? new Date().toISOString() : null;
    const installation = { id: installationOf(owner), account, suspended_at };
    const sender = { login: "mona", id: 1, type: "User" };
    const repositories = ofOwner(owner).map(listed);
    return world.deliver("installation", { action, installation, repositories, sender });
  }

  const acts: Readonly<
    Record<RepositoryEvent | typeof FORBIDS, (repository: Repository, where: string) => Promise<void>>
  > = {
    async rename(repository, where) {
      await world.renameRepository(repository, `shop-renamed-${++renames}`);
      options.renamed(repository);
      note([repository], "rename", false, where);
    },
    async transfer(repository, where) {
      const others = [...new Set(standing().map(({ owner }) => owner))].filter(
        (owner) => owner !== repository.owner && !resuming.has(owner),
      );
      if (others.length === 0) return;
      // Two repositories of an owner cannot have one name.
      await world.renameRepository(repository, `shop-moved-${++renames}`);
      options.renamed(repository);
      await world.transfer(repository, random.pick(others));
      options.renamed(repository);
      note([repository], "transfer", false, where);
    },
    async suspend({ owner }, where) {
      if (resuming.has(owner)) return;
      const those = ofOwner(owner);
      desk.suspend(installationOf(owner));
      note(those, "suspend", true, where);
      const resume = async () => {
        if (!resuming.delete(owner)) return;
        clearTimeout(timer);
        desk.unsuspend(installationOf(owner));
        note(those, "unsuspend", false, "later");
        await sendInstallationEvent(owner, "unsuspend");
      };
      const timer = setTimeout(() => void resume(), random.between(4_000, 15_000));
      resuming.set(owner, resume);
      await sendInstallationEvent(owner, "suspend");
    },
    async forbid({ owner }, where) {
      const permission = random.pick(PERMISSIONS);
      const isForGood = !isForbiddenForGood && ownersLeft() > LEAST_OWNERS && random.chance(0.3);
      isForbiddenForGood ||= isForGood;
      desk.forbid(installationOf(owner), permission);
      note(ofOwner(owner), `${permission} forbidden${isForGood ? " for good" : ""}`, false, where);
      if (isForGood) return;
      const give = async () => {
        if (!resuming.delete(owner)) return;
        clearTimeout(timer);
        desk.allow(installationOf(owner));
        note(ofOwner(owner), `${permission} allowed`, false, "later");
        await sendInstallationEvent(owner, "new_permissions_accepted");
      };
      const timer = setTimeout(() => void give(), random.between(4_000, 20_000));
      resuming.set(owner, give);
    },
    async remove(repository, where) {
      desk.remove(repository.id);
      note([repository], "remove", true, where);
      await world.reach(repository, false);
    },
    async uninstall({ owner }, where) {
      const those = ofOwner(owner);
      desk.uninstall(installationOf(owner));
      note(those, "uninstall", true, where);
      await world.install(owner, those, false);
    },
  };

  const mayBe = (what: RepositoryEvent | typeof FORBIDS) => {
    const { people, permission } = options.kinds();
    if (!(what === FORBIDS ? permission : people)) return false;
    return left[what] > 0 && (what !== "uninstall" || ownersLeft() > LEAST_OWNERS);
  };

  return {
    async happen(repository, where) {
      if (isBusy || desk.isRemoved(repository) || desk.isForbidden(repository) || resuming.has(repository.owner))
        return;
      const possible = [...REPOSITORY_EVENTS, FORBIDS].filter(mayBe);
      if (possible.length === 0) return;
      isBusy = true;
      const what = possible.includes(FORBIDS) && random.chance(0.4) ? FORBIDS : random.pick(possible);
      left[what]--;
      const those =
        what === "suspend" || what === "uninstall" || what === FORBIDS ? ofOwner(repository.owner) : [repository];
      await options
        .alone(those, () => acts[what](repository, where))
        .finally(() => {
          isBusy = false;
        });
    },
    async calm() {
      for (const resume of [...resuming.values()]) await resume();
    },
  };
}
