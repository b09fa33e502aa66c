// What people do to repositories as a whole, and the webhooks that GitHub sends about it.
import { isJson, type Json, now, type Person, type Pull, type Repository } from "./conversation.ts";
import type { Files, GitHalf } from "./emulator.ts";
import type { Hub } from "./hub.ts";
import type { Manifest } from "./manifest.ts";
import { userJson, WEB } from "./shapes.ts";

export interface RepositoryActs {
  /**
   * Commits straight to a branch (the default one when left out); `push`. Returns the commit's sha.
   */
  commit(repository: Repository, files: Files, branch?: string): Promise<string>;
  /** The default branch starts again with nothing but these files; `push`, forced. */
  rewrite(repository: Repository, files: Files): Promise<string>;
  /**
   * The default branch moves to the head of the pull request; `push`, and the pull request is
   * `closed`.
   */
  merge(pull: Pull): Promise<void>;
  renameRepository(repository: Repository, name: string): Promise<void>;
  setPrivate(repository: Repository, isPrivate: boolean): Promise<void>;
  /** To an owner who has the App installed as well. */
  transfer(repository: Repository, owner: string): Promise<void>;
  deleteRepository(repository: Repository): Promise<void>;
  /** Takes the repository out of the installation, or back into it. */
  reach(repository: Repository, isReached: boolean): Promise<void>;
  /** The App is installed, or taken away, with these repositories. */
  install(owner: string, repositories: readonly Repository[], isInstalled?: boolean): Promise<void>;
}

const NO_COMMIT = "0".repeat(40);

export function repositoryActs(
  hub: Hub,
  git: GitHalf,
  manifest: Manifest,
  person: (login: string) => Person,
  closePull: (pull: Pull, options: { readonly merged: boolean }) => Promise<void>,
  moved: (from: string, to: string | null) => void,
): RepositoryActs {
  const send = async (event: string, owner: string, payload: Json): Promise<void> => {
    // What happens to installations is told to every App.
    if (!event.startsWith("installation") && !manifest.events.includes(event)) return;
    const id = hub.installations.get(owner) ?? 0;
    const installation = isJson(payload.installation) ? payload.installation : { id, node_id: nodeId(id) };
    await hub.hooks.send(event, { ...payload, sender: userJson(person("mona")), installation });
  };
  const announce = async (repository: Repository, action: string, more: Json = {}): Promise<void> => {
    const { owner, json } = repository;
    await send("repository", owner, { action, ...more, repository: json, organization: organization(repository) });
  };
  const refresh = async (repository: Repository, owner: string, name: string): Promise<void> => {
    hub.repositories.delete(`${repository.owner}/${repository.name}`.toLowerCase());
    const json = await repositoryJson(hub, git, owner, name);
    Object.assign(repository, { owner, name, json, private: json.private === true });
    hub.repositories.set(`${owner}/${name}`.toLowerCase(), repository);
  };
  const head = async ({ owner, name }: Repository, branch: string): Promise<string> => {
    const ref = await git.ask("GET", `/repos/${owner}/${name}/git/ref/heads/${branch}`);
    return isJson(ref.object) ? String(ref.object.sha) : NO_COMMIT;
  };
  const pushed = async (repository: Repository, branch: string, before: string, after: string, forced = false) => {
    await git.point(`${repository.owner}/${repository.name}`, branch, after);
    const page = `${WEB}/${repository.owner}/${repository.name}`;
    const commit = { id: after, message: "A change", timestamp: now(), url: `${page}/commit/${after}` };
    await send("push", repository.owner, {
      ref: `refs/heads/${branch}`,
      before,
      after,
      created: before === NO_COMMIT,
      deleted: false,
      forced,
      base_ref: null,
      compare: `${page}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
      commits: [commit],
      head_commit: commit,
      pusher: { name: "mona", email: "mona@example.com" },
      repository: repository.json,
      organization: organization(repository),
    });
  };

  return {
    async commit(repository, files, branch = "main") {
      const before = await head(repository, branch).catch(() => NO_COMMIT);
      const parent = before === NO_COMMIT ? await head(repository, "main") : before;
      const message = `Change ${Object.keys(files).join(", ")}`;
      const after = await git.commit(`${repository.owner}/${repository.name}`, parent, files, message);
      await pushed(repository, branch, before, after);
      return after;
    },
    async rewrite(repository, files) {
      const before = await head(repository, "main");
      const after = await git.commit(`${repository.owner}/${repository.name}`, before, files, "Start anew", true);
      await pushed(repository, "main", before, after, true);
      return after;
    },
    async merge(pull) {
      await closePull(pull, { merged: true });
      await pushed(pull.repository, pull.baseRef, await head(pull.repository, pull.baseRef), pull.headSha);
    },
    async renameRepository(repository, name) {
      const from = repository.name;
      await git.ask("PATCH", `/repos/${repository.owner}/${from}`, { name });
      await refresh(repository, repository.owner, name);
      moved(`${repository.owner}/${from}`, `${repository.owner}/${name}`);
      hub.formerNames.set(`${repository.owner}/${from}`.toLowerCase(), repository.id);
      await announce(repository, "renamed", { changes: { repository: { name: { from } } } });
    },
    async setPrivate(repository, isPrivate) {
      await git.ask("PATCH", `/repos/${repository.owner}/${repository.name}`, { private: isPrivate });
      await refresh(repository, repository.owner, repository.name);
      await announce(repository, isPrivate ? "privatized" : "publicized");
    },
    async transfer(repository, owner) {
      const from = organization(repository);
      await git.ask("POST", `/repos/${repository.owner}/${repository.name}/transfer`, { new_owner: owner });
      moved(`${repository.owner}/${repository.name}`, null);
      await refresh(repository, owner, repository.name);
      await announce(repository, "transferred", { changes: { owner: { from: { organization: from } } } });
    },
    async deleteRepository(repository) {
      await git.ask("DELETE", `/repos/${repository.owner}/${repository.name}`);
      hub.repositories.delete(`${repository.owner}/${repository.name}`.toLowerCase());
      await announce(repository, "deleted");
    },
    async reach(repository, isReached) {
      if (isReached) hub.withdrawn.delete(repository.id);
      else hub.withdrawn.add(repository.id);
      await send("installation_repositories", repository.owner, {
        action: isReached ? "added" : "removed",
        installation: installationJson(hub, repository),
        repository_selection: "selected",
        repositories_added: isReached ? [listed(repository)] : [],
        repositories_removed: isReached ? [] : [listed(repository)],
        requester: null,
      });
    },
    async install(owner, repositories, isInstalled = true) {
      for (const { id } of repositories) {
        if (isInstalled) hub.withdrawn.delete(id);
        else hub.withdrawn.add(id);
      }
      const [first] = repositories;
      await send("installation", owner, {
        action: isInstalled ? "created" : "deleted",
        ...(first === undefined ? {} : { installation: installationJson(hub, first) }),
        repositories: repositories.map(listed),
        requester: null,
      });
    },
  };
}

/** Puts a repository that the git half has into the hub. */
export async function knownRepository(
  hub: Hub,
  git: GitHalf,
  { owner, name, private: isPrivate }: Pick<Repository, "owner" | "name" | "private">,
): Promise<Repository> {
  const json = await repositoryJson(hub, git, owner, name);
  const id = Number(json.id);
  const repository = { owner, name, id, private: isPrivate, json, pulls: [], issues: new Map() };
  hub.repositories.set(`${owner}/${name}`.toLowerCase(), repository);
  return repository;
}

/** A repository as GitHub shows it. */
export async function repositoryJson(hub: Hub, git: GitHalf, owner: string, name: string): Promise<Json> {
  const shown = JSON.stringify(await git.ask("GET", `/repos/${owner}/${name}`));
  const links = shown.replaceAll(`${git.url}/repos/`, `${hub.apiUrl}/repos/`).replaceAll(`${git.url}/`, `${WEB}/`);
  const bare = JSON.parse(links) as Json;
  const id = Number((bare.owner as Json).id);
  return {
    ...bare,
    network_count: 0,
    subscribers_count: 1,
    owner: userJson({ login: owner, id, type: "Organization" }),
  };
}

function organization({ owner, json }: Repository): Json {
  return { login: owner, id: isJson(json.owner) ? json.owner.id : 0 };
}

function nodeId(id: number): string {
  return Buffer.from(`Installation:${id}`).toString("base64");
}

/** As deliveries about installations list it. */
export function listed({ id, owner, name, private: isPrivate }: Repository): Json {
  return {
    id,
    node_id: Buffer.from(`Repository:${id}`).toString("base64"),
    name,
    full_name: `${owner}/${name}`,
    private: isPrivate,
  };
}

function installationJson(hub: Hub, repository: Repository): Json {
  const id = hub.installations.get(repository.owner) ?? 0;
  return {
    id,
    node_id: nodeId(id),
    account: { ...organization(repository), type: "Organization" },
    suspended_at: null,
  };
}
