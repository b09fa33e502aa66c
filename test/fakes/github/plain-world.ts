// A GitHub without a server: the same people, acts and payloads as github.ts, whose webhooks are
// handed on as values.
import { randomUUID } from "node:crypto";
import { type CheckActs, checkActs } from "./check-actions.ts";
import type { Person, Repository } from "./conversation.ts";
import type { Files } from "./emulator.ts";
import { type FeedbackActs, feedbackActs } from "./feedback-actions.ts";
import { type Comments, peopleOf, visibleComments } from "./github.ts";
import type { Delivery } from "./hooks.ts";
import type { Hub } from "./hub.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { type PlainGit, plainGit } from "./plain-git.ts";
import { type PullActs, pullActs } from "./pull-actions.ts";
import { knownRepository, type RepositoryActs, repositoryActs } from "./repository-actions.ts";

const APP = { id: 4242, slug: "kodiai" };

export interface PlainWorld extends PullActs, FeedbackActs, CheckActs, Pick<RepositoryActs, "commit"> {
  readonly hub: Hub;
  readonly git: PlainGit;
  /** The App's own user, `kodiai[bot]`. */
  readonly bot: Person;
  /** Whom the world knows; made on first mention, changed by naming more. */
  person(login: string, facts?: Partial<Omit<Person, "login">>): Person;
  repository(
    owner: string,
    name: string,
    options: { readonly files: Files; readonly private?: boolean },
  ): Promise<Repository>;
  comments(pull: Parameters<typeof visibleComments>[0]): Comments;
  /** Hands any payload on. */
  deliver(event: string, payload: unknown, options?: { readonly id?: string }): Promise<Delivery>;
  readonly deliveries: readonly Delivery[];
  /** Check runs of heads, oldest first; the conclusion is null while one is in progress. */
  readonly checkRuns: PlainCheck[];
  /** From now on webhooks are only listed; the returned function hands later ones on again. */
  holdBack(): () => void;
}

export interface PlainCheck {
  readonly id: number;
  readonly repository: number;
  readonly number: number;
  readonly headSha: string;
  conclusion: string | null;
  summary: string;
}

/** @param take receives each webhook */
export function plainWorld(
  take: (delivery: Pick<Delivery, "id" | "event" | "payload">) => Promise<void>,
  manifest: Manifest = readManifest(),
): PlainWorld {
  const git = plainGit(APP);
  const deliveries: Delivery[] = [];
  let isHeldBack = false;
  const send: Hub["hooks"]["send"] = async (event, payload, options = {}) => {
    const id = options.id ?? randomUUID();
    // As it arrives: what changes later in the world does not change what was sent.
    const sent = JSON.parse(JSON.stringify(payload)) as { readonly action?: string };
    const known = { number: deliveries.length + 1, redelivery: false, at: "", status: 200, isLogged: true };
    const delivery: Delivery = { ...known, id, event, action: sent.action ?? null, payload: sent };
    deliveries.push(delivery);
    if (!isHeldBack) await take(delivery);
    return delivery;
  };
  let lastId = 3_000_000_000;
  const hub: Hub = {
    apiUrl: "plain:",
    repositories: new Map(),
    people: new Map(),
    installations: new Map([["acme", 1001]]),
    formerNames: new Map(),
    withdrawn: new Set(),
    changes: git.changes,
    hooks: {
      deliveries,
      send,
      setUrl: () => {},
      configure: () => {},
      configuration: () => ({}),
      setFate: () => {},
    },
    nextId: () => ++lastId,
    listed: (items) => items,
  };
  const person = peopleOf(hub);
  const bot = person(`${APP.slug}[bot]`, { association: "NONE" });
  const pulls = pullActs(hub, git, manifest, person);
  const { commit } = repositoryActs(hub, git, manifest, person, pulls.closePull, () => {});
  return {
    ...pulls,
    ...feedbackActs(hub, manifest, person),
    ...checkActs(hub, git, manifest),
    commit,
    hub,
    git,
    bot,
    person,
    async repository(owner, name, { files, private: isPrivate = false }) {
      git.create(owner, name, isPrivate, files);
      return knownRepository(hub, git, { owner, name, private: isPrivate });
    },
    comments: visibleComments,
    deliver: send,
    deliveries,
    checkRuns: [],
    holdBack() {
      isHeldBack = true;
      return () => {
        isHeldBack = false;
      };
    },
  };
}
