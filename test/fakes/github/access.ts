// Who may come in. Unknown tokens get 401, tokens without the permission 403, repositories outside
// a token 404 (or, when public, only reading), as on GitHub; the emulator alone would take any
// token for its first user.
import { isJson, type Json, type Person, Refusal } from "./conversation.ts";
import { GRAPHQL, type Need, OPERATIONS, type Permission } from "./operations.ts";

const RANK = { read: 1, write: 2 } as const;

/** Who asks, once the door knows. */
export type Caller =
  | { readonly kind: "app" }
  | {
      readonly kind: "installation";
      readonly person: Person;
      readonly owner: string;
      readonly may: (permission: Permission) => boolean;
    }
  | { readonly kind: "person"; readonly person: Person; readonly writes: boolean };

interface Grant {
  readonly owner: string;
  /** The App's own account. */
  readonly bot: Person;
  readonly permissions: ReadonlyMap<string, "read" | "write">;
  /** Lower-case full names, or null for all repositories of the owner. */
  readonly repositories: Set<string> | null;
  readonly expiresAt: number;
}

interface Holder {
  readonly person: Person;
  /** As it was when the token was made. */
  readonly id: number;
  readonly writes: boolean;
}

/** What a request wants to do. `isPrivate` is null when there is no such repository. */
export interface Wish {
  readonly authorization: string | undefined;
  /** As in operations.ts. */
  readonly operation: string;
  /** OWNER/NAME, or null when it is not about a repository. */
  readonly repository: string | null;
  readonly isPrivate: boolean | null;
}

export interface Access {
  /** Remembers an installation token from the answer that made it. */
  remember(answer: Json, owner: string, bot?: Person): void;
  /** Lets a person's own token in; it may read everything, and write only where it `writes`. */
  welcome(token: string, person: Person, writes?: boolean): void;
  /** Makes every token unknown, as after a revocation. */
  forgetTokens(): void;
  /**
   * Tokens are for ids: one follows the repository to another name, and loses it to another owner
   * (null).
   */
  moved(from: string, to: string | null): void;
  /** Throws GitHub's refusal. */
  enter(wish: Wish): Caller;
}

export function openAccess(bot: Person): Access {
  const grants = new Map<string, Grant>();
  const people = new Map<string, Holder>();
  return {
    remember: (answer, owner, by = bot) => void grants.set(String(answer.token), grantOf(answer, owner, by)),
    welcome: (token, person, writes = false) => void people.set(token, { person, id: person.id, writes }),
    forgetTokens: () => grants.clear(),
    moved(from, to) {
      for (const { repositories } of grants.values())
        if (repositories?.delete(from.toLowerCase()) === true && to !== null) repositories.add(to.toLowerCase());
    },
    enter: (wish) => admit(wish, grants, people),
  };
}

function admit(wish: Wish, grants: ReadonlyMap<string, Grant>, people: ReadonlyMap<string, Holder>): Caller {
  const token = /^(?:bearer|token)\s+(\S+)$/i.exec(wish.authorization ?? "")?.[1];
  // GraphQL looks at permissions field by field.
  const need = wish.operation === GRAPHQL ? "token" : OPERATIONS[wish.operation];
  if (need === "anyone") return { kind: "app" };
  if (token === undefined) throw new Refusal(401, "Requires authentication");
  if (need === undefined) throw new Refusal(404, "Not Found");
  // A JSON Web Token: the emulator checks its signature, because it holds the key.
  if (token.startsWith("eyJ")) return enterAsApp(need);
  const holder = people.get(token);
  // A token is of an account, whose name can be another's by now.
  if (holder && holder.person.id !== holder.id) throw new Refusal(401, "Bad credentials");
  if (holder) return enterAsPerson(holder, wish.operation);
  const grant = grants.get(token);
  if (!grant || grant.expiresAt < Date.now()) throw new Refusal(401, "Bad credentials");
  if (need === "app") throw new Refusal(401, "A JSON web token could not be decoded");
  checkRepository(grant, wish);
  if (!holds(grant, need)) throw new Refusal(403, "Resource not accessible by integration");
  const may = (permission: Permission) => holds(grant, [permission]);
  return { kind: "installation", person: grant.bot, owner: grant.owner, may };
}

function grantOf(answer: Json, owner: string, bot: Person): Grant {
  const given = Object.entries(isJson(answer.permissions) ? answer.permissions : {});
  const permissions = new Map(given.map(([name, level]) => [name, level === "write" ? "write" : "read"] as const));
  const listed = Array.isArray(answer.repositories) ? answer.repositories.filter(isJson) : null;
  const repositories = listed ? new Set(listed.map((one) => String(one.full_name).toLowerCase())) : null;
  return { owner, bot, permissions, repositories, expiresAt: Date.parse(String(answer.expires_at)) };
}

function enterAsApp(need: Need): Caller {
  if (need !== "app") throw new Refusal(401, "Bad credentials");
  return { kind: "app" };
}

function enterAsPerson({ person, writes }: Holder, operation: string): Caller {
  // A question of GraphQL is reading as well; what would write is refused by its route.
  if (!writes && !operation.startsWith("GET ") && operation !== GRAPHQL)
    throw new Refusal(403, "Resource not accessible by personal access token");
  return { kind: "person", person, writes };
}

function checkRepository(grant: Grant, { operation, repository, isPrivate }: Wish): void {
  if (repository === null) return;
  const name = repository.toLowerCase();
  const inside = grant.repositories ? grant.repositories.has(name) : name.startsWith(`${grant.owner.toLowerCase()}/`);
  if (isPrivate === null || (!inside && isPrivate)) throw new Refusal(404, "Not Found");
  if (!inside && !operation.startsWith("GET ")) throw new Refusal(403, "Resource not accessible by integration");
}

function holds(grant: Grant, need: Need): boolean {
  if (typeof need === "string") return true;
  return need.some((permission) => {
    const [name = "", level] = permission.split(":");
    const granted = grant.permissions.get(name);
    return granted !== undefined && RANK[granted] >= RANK[level as "read" | "write"];
  });
}
