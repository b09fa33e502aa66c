// A proxy between the server and GitHub: it records every request and injects the active faults.
// Behind it is the strict fake, whose own store is the truth.

import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Fault } from "../test/fakes/github/faults.ts";
import { REFUSALS } from "../test/fakes/github/refusals.ts";
import type { Breakpoints } from "./breakpoints.ts";
import type { Canaries } from "./canaries.ts";
import { type ActiveFaults, happens } from "./faults.ts";
import type { History, PullName } from "./history.ts";
import type { Desk } from "./installations.ts";
import { methodOf } from "./request-method.ts";
import type { Answer } from "./scripted-response.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { objectionTo } from "./token-times.ts";

export interface GitHubProxyOptions {
  /** The fake's own address. */
  readonly target: string;
  readonly random: SeededRandom;
  readonly activeFaults: ActiveFaults;
  readonly history: History;
  readonly canaries: Canaries;
  readonly breakpoints: Breakpoints;
  /** Share of writes whose answer is lost. */
  readonly lostShare: number;
  /** How many doors it has, one for each server. */
  readonly doors: number;
  /** What is called so, or was. */
  readonly byName: (name: string) => Place | null;
  readonly byId: (id: number) => Place | null;
  /** The pull request of a comment in the conversation. */
  readonly pullOfComment: (place: Place, id: number) => PullName | null;
  readonly desk: Pick<Desk, "refusal" | "shown">;
  /** Called before a write on a pull request is let through: people may act just now. */
  readonly onWrite: (pull: PullName, what: string) => Promise<void>;
  /** Called before anything about a repository is let through. */
  readonly onVisit: (place: Place, what: string) => Promise<void>;
}

/** A repository. */
export interface Place {
  readonly id: number;
  readonly owner: string;
  /** `OWNER/NAME` that it has now. */
  readonly now: string;
  /** And that it was made with. */
  readonly born: string;
}

interface Asked {
  readonly at: number;
  /** The door that it came by, and its address. */
  readonly door: number;
  readonly base: string;
  readonly place: Place | null;
  /** By a name that it has no more. */
  readonly isOldName: boolean;
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly installation: number | null;
  readonly repository: string | null;
  readonly pull: PullName | null;
  readonly head: string | null;
}

/** How the answer goes wrong after all was done, or before anything was. */
type Mishap = "502" | "reset" | "hang" | "broken off" | "trickle" | "half-open";

/** A refusal, and for how long the installation is to be left alone after it. */
type Refused = Pick<Fault, "status" | "headers" | "body"> & { readonly closedMs: number };

/** GitHub names no time after writes that were too quick; its documents ask for a minute. */
const TOO_QUICK_MS = 60_000;

const HANG_MS = 35_000;
/**
 * For responses sent a byte at a time, or never, without closing: longer than any client should
 * wait.
 */
const SLOW_MS = 60_000;
const TRICKLE_MS = 900;

export interface GitHubProxy {
  /** One a door. */
  readonly urls: readonly string[];
  close(): Promise<void>;
}

export async function openGitHubProxy(options: GitHubProxyOptions): Promise<GitHubProxy> {
  const agent = new Agent({ keepAlive: false });
  const tokens = new Map<string, number>();
  const limitedUntil = new Map<number, number>();
  /** Ids of what was just written → when lists show it. */
  const unseen = new Map<number, number>();
  /** Until when GitHub makes the diff of a pull request; 0 where it is there. */
  const unmade = new Map<PullName, number>();
  const { random } = options;

  const enter = (door: number) => (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      pass(read(door, request, Buffer.concat(chunks).toString()), response).catch((error: unknown) => {
        console.error("the gate broke", error);
        response.destroy();
      });
    });
  };
  const servers = Array.from({ length: options.doors }, (_, door) => createServer(enter(door)));
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);

  function read(door: number, request: IncomingMessage, text: string): Asked {
    const [rawPath = "", query] = (request.url ?? "").split("?");
    const byId = /^\/repositories\/(\d+)(\/.*)?$/.exec(rawPath);
    const named = /^\/repos\/([^/]+\/[^/]+)/.exec(rawPath)?.[1] ?? null;
    const place = byId === null ? (named === null ? null : options.byName(named)) : options.byId(Number(byId[1]));
    const path = byId === null ? rawPath : `/repos/${place?.now ?? "removed/removed"}${byId[2] ?? ""}`;
    const token = /^(?:bearer|token)\s+(\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const repository = place?.born ?? named;
    return {
      at: Date.now(),
      door,
      base: urls[door] ?? "",
      place,
      isOldName: named !== null && place !== null && place.now.toLowerCase() !== named.toLowerCase(),
      method: request.method ?? "GET",
      path,
      search: query === undefined ? "" : `?${query}`,
      headers: request.headers,
      text,
      installation: tokens.get(token) ?? null,
      repository,
      pull: pullOf(path, repository, place),
      head: headOf(text),
    };
  }

  function pullOf(path: string, repository: string | null, place: Place | null): PullName | null {
    if (repository === null) return null;
    const number = /^\/repos\/[^/]+\/[^/]+\/(?:pulls|issues)\/(\d+)(?:\/|$)/.exec(path)?.[1];
    if (number !== undefined) return `${repository}#${number}`;
    const comment = /\/issues\/comments\/(\d+)$/.exec(path)?.[1];
    return comment === undefined || place === null ? null : options.pullOfComment(place, Number(comment));
  }

  async function pass(asked: Asked, response: ServerResponse): Promise<void> {
    const { breakpoints } = options;
    const objection = objectionTo(asked.headers.authorization ?? "", Date.now());
    if (objection !== null) return end(asked, response, failure(401, objection), "by another clock", false);
    if (asked.method !== "GET") noteSent(asked);
    const place = placeOf(asked);
    if (asked.place !== null) await options.onVisit(asked.place, `before ${place}`);
    const refusal = options.desk.refusal({ ...asked, repository: asked.place });
    if (refusal !== null) return end(asked, response, refusal, "not ours any more", false);
    if (asked.isOldName && asked.place !== null) return redirect(asked, response, asked.place);
    const until = asked.installation === null ? 0 : (limitedUntil.get(asked.installation) ?? 0);
    if (until > Date.now()) return tellLimit(asked, response, until, "limited");
    if (startsLimit(asked)) return beginLimit(asked, response);
    const other = happens(options.activeFaults, "refuse") ? refusalOf(asked) : null;
    if (other !== null) return refuse(asked, response, other);
    if (
      asked.method === "GET" &&
      asked.place !== null &&
      happens(options.activeFaults, "redirect") &&
      random.chance(0.01)
    )
      return redirect(asked, response, asked.place);
    if (asked.pull !== null && asked.method !== "GET") await options.onWrite(asked.pull, place);
    if (breakpoints.reach(`before ${place}`, asked.door)) return cut(asked, response, "struck before", false);
    const early = happens(options.activeFaults, "http") ? mishap(random, 0.02) : null;
    if (early !== null) return goWrong(asked, response, early, false);
    const answer = options.desk.shown(asked.path, await forward(asked));
    remember(asked, answer);
    if (breakpoints.reach(`after ${place}`, asked.door)) return cut(asked, response, "struck after", true);
    const isWrite = asked.method !== "GET" && !asked.path.endsWith("/access_tokens");
    const late = isWrite && happens(options.activeFaults, "lost") ? mishap(random, options.lostShare) : null;
    if (late !== null && answer.status < 400) return goWrong(asked, response, late, true);
    return end(asked, response, asked.method === "GET" ? withLag(answer) : answer, null, answer.status < 400);
  }

  function noteSent({ at, text, repository }: Asked): void {
    const canaries = options.canaries.in(text);
    options.history.note({ kind: "sent", at, to: "github", bytes: text.length, repository, canaries, answered: true });
  }

  function note(asked: Asked, status: number, applied: boolean, fault: string | null) {
    const { at, installation, path, pull, head } = asked;
    const method = methodOf(asked);
    const what = { at, installation, method, path, pull, head, status, applied, fault };
    options.history.note({ kind: "request", ...what, ...whose(asked) });
  }

  function whose({ door }: Asked): { readonly process?: number } {
    return options.doors === 1 ? {} : { process: door };
  }

  function end(asked: Asked, response: ServerResponse, answer: Answer, fault: string | null, applied: boolean): void {
    note(asked, answer.status, applied, fault);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  function cut(asked: Asked, response: ServerResponse, fault: string, applied: boolean): void {
    note(asked, 0, applied, fault);
    response.destroy();
  }

  function goWrong(asked: Asked, response: ServerResponse, how: Mishap, applied: boolean): void {
    const fault = applied ? `answer lost: ${how}` : how;
    if (how === "502") end(asked, response, failure(502, "Server Error"), fault, applied);
    else if (how === "reset") cut(asked, response, fault, applied);
    else hangUp(asked, response, how, fault, applied);
  }

  function hangUp(asked: Asked, response: ServerResponse, how: Mishap, fault: string, applied: boolean): void {
    note(asked, 0, applied, fault);
    if (how === "hang") {
      setTimeout(() => response.destroy(), HANG_MS).unref();
      return;
    }
    if (how === "trickle" || how === "half-open") {
      dawdle(asked, response, how);
      return;
    }
    response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
    response.write('{"id":');
    setTimeout(() => response.destroy(), 20);
  }

  /**
   * Whoever listens must give up by itself: this side never does, before the harness has waited for
   * too long.
   */
  function dawdle(asked: Asked, response: ServerResponse, how: "trickle" | "half-open"): void {
    const since = performance.now();
    if (how === "trickle") response.writeHead(200, { ...JSON_TYPE, "content-length": "5000" }).write("{");
    const timer = setInterval(() => how === "trickle" && response.write(" "), TRICKLE_MS);
    const giveUp = setTimeout(() => response.destroy(), SLOW_MS);
    response.once("close", () => {
      clearInterval(timer);
      clearTimeout(giveUp);
      const ms = performance.now() - since;
      options.history.note({ kind: "slow", at: Date.now(), where: "github", how, ms, ...whose(asked) });
    });
  }

  function startsLimit({ installation }: Asked): boolean {
    return installation !== null && happens(options.activeFaults, "limit") && options.random.chance(0.002);
  }

  function beginLimit(asked: Asked, response: ServerResponse): void {
    const until = Date.now() + Math.round(options.random.between(4_000, 12_000));
    limitedUntil.set(asked.installation ?? 0, until);
    tellLimit(asked, response, until, "limit begins");
  }

  function tellLimit(asked: Asked, response: ServerResponse, until: number, fault: string): void {
    end(asked, response, limit(until), fault, false);
    const installation = asked.installation ?? 0;
    options.history.note({ kind: "limited", at: Date.now(), installation, until, ...whose(asked) });
  }

  /** GitHub refuses in other words than a limit's. */
  function refusalOf({ method, path, pull }: Asked): Refused | null {
    const isPost = method === "POST" && /\/(?:pulls|issues)\/\d+\/(?:reviews|comments)$/.test(path);
    if (isPost && random.chance(0.02))
      return { ...REFUSALS[random.pick(["submitted too quickly", "abuse"] as const)].answer(), closedMs: TOO_QUICK_MS };
    if (path === "/graphql" && random.chance(0.15)) return refusedQuery(random);
    if (method !== "GET" || pull === null || !/\/pulls\/\d+\/files$/.test(path)) return null;
    if (!unmade.has(pull)) unmade.set(pull, random.chance(0.12) ? Date.now() + random.between(5_000, 60_000) : 0);
    return (unmade.get(pull) ?? 0) > Date.now() ? { ...REFUSALS["diff not available"].answer(), closedMs: 0 } : null;
  }

  function refuse(asked: Asked, response: ServerResponse, { status, headers, body, closedMs }: Refused): void {
    const answer = {
      status: status ?? 422,
      headers: { ...JSON_TYPE, ...headers },
      body: Buffer.from(JSON.stringify(body)),
    };
    end(asked, response, answer, "refused in other words", false);
    const installation = asked.installation ?? 0;
    const [at, until] = [Date.now(), Date.now() + closedMs];
    if (closedMs > 0) options.history.note({ kind: "limited", at, installation, until, ...whose(asked) });
  }

  function redirect(asked: Asked, response: ServerResponse, { id }: Place): void {
    const rest = asked.path.replace(/^\/repos\/[^/]+\/[^/]+/, "");
    const location = `${asked.base}/repositories/${id}${rest}${asked.search}`;
    // What writes is to be sent again as it is, whichever of the two GitHub says.
    const isWrong = happens(options.activeFaults, "refuse") && options.random.chance(0.5);
    const isPermanent = asked.method === "GET" || isWrong;
    const reported = isPermanent ? failure(301, "Moved Permanently") : failure(307, "Temporary Redirect");
    const answer = { ...reported, headers: { ...JSON_TYPE, location } };
    end(asked, response, answer, "redirected", false);
  }

  function remember(asked: Asked, answer: Answer): void {
    if (asked.method !== "POST" || answer.status >= 300) return;
    const minted = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(asked.path)?.[1];
    const body = JSON.parse(answer.body.toString() || "{}") as { token?: string; id?: number };
    if (minted !== undefined && body.token !== undefined) tokens.set(body.token, Number(minted));
    if (
      minted === undefined &&
      body.id !== undefined &&
      happens(options.activeFaults, "lag") &&
      options.random.chance(0.3)
    )
      unseen.set(body.id, Date.now() + options.random.between(300, 3_000));
  }

  /** Lists without what they do not show yet. */
  function withLag(answer: Answer): Answer {
    if (unseen.size === 0 || answer.status !== 200) return answer;
    const text = answer.body.toString();
    if (!text.startsWith("[")) return answer;
    const isShown = ({ id, pull_request_review_id: review }: { id?: number; pull_request_review_id?: number }) =>
      [id, review].every((one) => one === undefined || (unseen.get(one) ?? 0) < Date.now());
    return { ...answer, body: Buffer.from(JSON.stringify((JSON.parse(text) as object[]).filter(isShown))) };
  }

  function forward({ method, path, search, headers, text, base }: Asked): Promise<Answer> {
    const ours = (given: string) => given.replaceAll(options.target, base);
    const {
      host: _host,
      connection: _connection,
      "content-length": _length,
      "transfer-encoding": _coding,
      ...kept
    } = headers;
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        `${options.target}${path}${search}`,
        {
          method,
          agent,
          headers: { ...kept, "accept-encoding": "identity", "content-length": Buffer.byteLength(text) },
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on("data", (chunk: Buffer) => chunks.push(chunk));
          answer.on("error", reject);
          answer.on("end", () => {
            const shown: Record<string, string> = {};
            for (const name of ["content-type", "link", "etag", "location"])
              if (answer.headers[name] !== undefined) shown[name] = ours(String(answer.headers[name]));
            const body = Buffer.concat(chunks);
            const isText = shown["content-type"]?.includes("json") === true && body.includes(options.target);
            const status = answer.statusCode ?? 502;
            resolve({ status, headers: shown, body: isText ? Buffer.from(ours(body.toString())) : body });
          });
        },
      );
      sent.on("error", reject);
      sent.end(text);
    });
  }

  return {
    urls,
    async close() {
      agent.destroy();
      for (const server of servers)
        await new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        });
    },
  };
}

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

function failure(status: number, message: string): Answer {
  return { status, headers: JSON_TYPE, body: Buffer.from(JSON.stringify({ message })) };
}

function limit(until: number): Answer {
  const seconds = String(Math.ceil((until - Date.now()) / 1000));
  const reported = failure(
    403,
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
  );
  return { ...reported, headers: { ...JSON_TYPE, "retry-after": seconds } };
}

const GRAPHQL_REFUSALS = [
  "graphql points used up",
  "graphql points too few",
  "graphql secondary limit",
  "graphql timeout",
] as const;

/**
 * With 200, as GraphQL refuses; its limits end within seconds here, not within a quarter of an
 * hour.
 */
function refusedQuery(random: SeededRandom): Refused {
  const kind = random.pick(GRAPHQL_REFUSALS);
  const seconds = 4 + random.below(8);
  const { headers = {}, ...refused }: Pick<Fault, "status" | "headers" | "body"> = REFUSALS[kind].answer();
  const sooner = Object.fromEntries(
    Object.entries({
      ...headers,
      ...("retry-after" in headers ? { "retry-after": String(seconds) } : {}),
      ...("x-ratelimit-reset" in headers
        ? { "x-ratelimit-reset": String(Math.ceil(Date.now() / 1000) + seconds) }
        : {}),
    }),
  );
  return { ...refused, headers: sooner, closedMs: kind === "graphql secondary limit" ? seconds * 1_000 : 0 };
}

/** Hangs are rare: each holds a worker for half a minute. */
function mishap(random: SeededRandom, share: number): Mishap | null {
  if (!random.chance(share)) return null;
  if (random.chance(0.05)) return random.pick(["hang", "trickle", "half-open"] as const);
  return random.pick(["502", "reset", "broken off"] as const);
}

/**
 * The head that a write names: in a field, or in the words of a summary; of one that is being
 * written again, the new one.
 */
function headOf(text: string): string | null {
  return (
    /"(?:commit_id|head_sha)":"([0-9a-f]{40})"/.exec(text)?.[1] ??
    /Reading \d+ files? of \[`([0-9a-f]{7,40})`\]/.exec(text)?.[1] ??
    /Reviewed \[`([0-9a-f]{7,40})`\]/.exec(text)?.[1] ??
    null
  );
}

/** A name without numbers and names of repositories: `POST pulls/reviews`. */
function placeOf({ method, path }: Asked): string {
  const short = path
    .replace(/^\/repos\/[^/]+\/[^/]+\/?/, "")
    .replace(/^\//, "")
    .split("/")
    .filter((part) => !/^\d+$|^[0-9a-f]{40}/.test(part))
    .slice(0, 3)
    .join("/");
  return `${method} ${short.startsWith("contents") ? "contents" : short || "repository"}`;
}
