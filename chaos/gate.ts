// The way between the server and GitHub: everything passes here, is written down, and goes wrong as the weather has it.
// Behind it stands the strict fake, whose own store is the truth.
import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Canaries } from "./canaries.ts";
import type { Dice } from "./dice.ts";
import { happens, type Weather } from "./faults.ts";
import type { History, PullName } from "./history.ts";
import { methodOf } from "./method-of.ts";
import type { Points } from "./points.ts";

export interface GateOptions {
  /** The fake's own address. */
  readonly target: string;
  readonly dice: Dice;
  readonly weather: Weather;
  readonly history: History;
  readonly canaries: Canaries;
  readonly points: Points;
  /** Share of writes whose answer is lost. */
  readonly lostShare: number;
  /** `OWNER/NAME` of a repository's id; null when there is none. */
  readonly nameOf: (id: number) => string | null;
  readonly idOf: (name: string) => number | null;
  /** The pull request on which a comment of the conversation stands. */
  readonly pullOfComment: (repository: string, id: number) => PullName | null;
  /** Answers what the delivery log is asked; null for anything else. */
  readonly log: (method: string, path: string, search: string, authorization: string) => Promise<Answer | null>;
  /** Called before a write on a pull request is let through: people may act just now. */
  readonly onWrite: (pull: PullName, what: string) => Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Asked {
  readonly at: number;
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
type Mishap = "502" | "reset" | "hang" | "broken off";

const HANG_MS = 35_000;

export interface Gate {
  readonly url: string;
  close(): Promise<void>;
}

export async function openGate(options: GateOptions): Promise<Gate> {
  const agent = new Agent({ keepAlive: false });
  const tokens = new Map<string, number>();
  const limitedUntil = new Map<number, number>();
  /** Ids of what was just written → when lists show it. */
  const unseen = new Map<number, number>();
  const own = { url: "" };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      pass(read(request, Buffer.concat(chunks).toString()), response).catch((error: unknown) => {
        console.error("the gate broke", error);
        response.destroy();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  own.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function read(request: IncomingMessage, text: string): Asked {
    const [rawPath = "", query] = (request.url ?? "").split("?");
    const byId = /^\/repositories\/(\d+)(\/.*)?$/.exec(rawPath);
    const path = byId === null ? rawPath : `/repos/${options.nameOf(Number(byId[1])) ?? "gone/gone"}${byId[2] ?? ""}`;
    const token = /^(?:bearer|token)\s+(\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const repository = /^\/repos\/([^/]+\/[^/]+)/.exec(path)?.[1] ?? null;
    return {
      at: Date.now(),
      method: request.method ?? "GET",
      path,
      search: query === undefined ? "" : `?${query}`,
      headers: request.headers,
      text,
      installation: tokens.get(token) ?? null,
      repository,
      pull: pullOf(path, repository),
      head: headOf(text),
    };
  }

  function pullOf(path: string, repository: string | null): PullName | null {
    if (repository === null) return null;
    const number = /^\/repos\/[^/]+\/[^/]+\/(?:pulls|issues)\/(\d+)(?:\/|$)/.exec(path)?.[1];
    if (number !== undefined) return `${repository}#${number}`;
    const comment = /\/issues\/comments\/(\d+)$/.exec(path)?.[1];
    return comment === undefined ? null : options.pullOfComment(repository, Number(comment));
  }

  async function pass(asked: Asked, response: ServerResponse): Promise<void> {
    const { dice, points } = options;
    const logged = await options.log(asked.method, asked.path, asked.search, asked.headers.authorization ?? "");
    if (logged !== null) return end(asked, response, logged, null, true);
    if (asked.method !== "GET") noteSent(asked);
    const until = asked.installation === null ? 0 : (limitedUntil.get(asked.installation) ?? 0);
    if (until > Date.now()) return end(asked, response, limit(until), "limited", false);
    if (startsLimit(asked)) return beginLimit(asked, response);
    if (
      asked.method === "GET" &&
      asked.repository !== null &&
      happens(options.weather, "redirect") &&
      dice.chance(0.01)
    )
      return redirect(asked, response, asked.repository);
    const place = placeOf(asked);
    if (asked.pull !== null && asked.method !== "GET") await options.onWrite(asked.pull, place);
    if (points.reach(`before ${place}`)) return cut(asked, response, "struck before", false);
    const early = happens(options.weather, "http") ? mishap(dice, 0.02) : null;
    if (early !== null) return goWrong(asked, response, early, false);
    const answer = await forward(asked);
    remember(asked, answer);
    if (points.reach(`after ${place}`)) return cut(asked, response, "struck after", true);
    const isWrite = asked.method !== "GET" && !asked.path.endsWith("/access_tokens");
    const late = isWrite && happens(options.weather, "lost") ? mishap(dice, options.lostShare) : null;
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
    options.history.note({ kind: "request", at, installation, method, path, pull, head, status, applied, fault });
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
    response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
    response.write('{"id":');
    setTimeout(() => response.destroy(), 20);
  }

  function startsLimit({ installation }: Asked): boolean {
    return installation !== null && happens(options.weather, "limit") && options.dice.chance(0.002);
  }

  function beginLimit(asked: Asked, response: ServerResponse): void {
    const until = Date.now() + Math.round(options.dice.between(4_000, 12_000));
    const installation = asked.installation ?? 0;
    limitedUntil.set(installation, until);
    end(asked, response, limit(until), "limit begins", false);
    options.history.note({ kind: "limited", at: Date.now(), installation, until });
  }

  function redirect(asked: Asked, response: ServerResponse, repository: string): void {
    const id = options.idOf(repository);
    const rest = asked.path.slice(`/repos/${repository}`.length);
    const location = `${own.url}/repositories/${id}${rest}${asked.search}`;
    const answer = { ...failure(301, "Moved Permanently"), headers: { ...JSON_TYPE, location } };
    end(asked, response, answer, "redirected", false);
  }

  function remember(asked: Asked, answer: Answer): void {
    if (asked.method !== "POST" || answer.status >= 300) return;
    const minted = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(asked.path)?.[1];
    const body = JSON.parse(answer.body.toString() || "{}") as { token?: string; id?: number };
    if (minted !== undefined && body.token !== undefined) tokens.set(body.token, Number(minted));
    if (minted === undefined && body.id !== undefined && happens(options.weather, "lag") && options.dice.chance(0.3))
      unseen.set(body.id, Date.now() + options.dice.between(300, 3_000));
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

  function forward({ method, path, search, headers, text }: Asked): Promise<Answer> {
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

  function ours(text: string): string {
    return text.replaceAll(options.target, own.url);
  }

  return {
    url: own.url,
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

function failure(status: number, message: string): Answer {
  return { status, headers: JSON_TYPE, body: Buffer.from(JSON.stringify({ message })) };
}

function limit(until: number): Answer {
  const seconds = String(Math.ceil((until - Date.now()) / 1000));
  const told = failure(
    403,
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
  );
  return { ...told, headers: { ...JSON_TYPE, "retry-after": seconds } };
}

/** Hangs are rare: each holds a worker for half a minute. */
function mishap(dice: Dice, share: number): Mishap | null {
  if (!dice.chance(share)) return null;
  return dice.chance(0.03) ? "hang" : dice.pick(["502", "reset", "broken off"] as const);
}

/** The head that a write names: in a field, or in the words of a summary. */
function headOf(text: string): string | null {
  return (
    /"(?:commit_id|head_sha)":"([0-9a-f]{40})"/.exec(text)?.[1] ??
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
