// The invariants of every run, for any disturbance. Pure: takes a history and the ground truth,
// returns violations.
import type { GroundTruth, Learnt, PullTruth, Quiet } from "./ground-truth.ts";
import { type HistoryEvent, ofKind, type PullName } from "./history.ts";
import { isRead } from "./request-method.ts";

export type InvariantId = "I1" | "I2" | "I3" | "I4" | "I5" | "I6" | "I7" | "I8" | "I9" | "I10" | "I11" | "I12";

export const INVARIANTS: Readonly<Record<InvariantId, string>> = {
  I1: "every delivery that was accepted is in the inbox",
  I2: "the last head of every open pull request has exactly one outcome",
  I3: "no review, summary, comment or answer is posted twice",
  I4: "nothing is posted without a request",
  I5: "nothing is written after a newer head, a close or the end of the installation, and nothing kept after that end",
  I6: "no word of one repository is sent for another",
  I7: "no secret leaves in a body, a log or a file",
  I8: "only allowed hosts are reached",
  I9: "no request inside a rate limit, and writes a second apart",
  I10: "memory, answers of /healthz and money stay within bounds",
  I11: "once trouble is over no head stays given up, but for refusals that last and are reported",
  I12: "what people did about a finding is learnt",
};

export interface Broken {
  readonly invariant: InvariantId;
  readonly what: string;
  /** Where to look in the history; null when it is not about one pull request. */
  readonly pull: PullName | null;
}

export interface Bounds {
  /** A write may be in flight during a push: reading the head and the write are two requests. */
  readonly lateWriteMs: number;
  /**
   * GitHub: "at least one second between each request" that writes; a little less for clocks and
   * the way.
   */
  readonly betweenWritesMs: number;
  /** Requests in flight when the limit was announced. */
  readonly inFlightMs: number;
  readonly rssMiB: number;
  /** The 99th percentile. */
  readonly healthMs: number;
  /**
   * Whoever sends slowly to the public port is cut by then: 15 s are given for a request, 10 s for
   * silence.
   */
  readonly slowSenderMs: number;
  /**
   * And GitHub, answering slowly or not at all, is not listened to for longer: its deadline is 30
   * s.
   */
  readonly slowAnswerMs: number;
}

export const BOUNDS: Bounds = {
  lateWriteMs: 2_000,
  betweenWritesMs: 900,
  inFlightMs: 500,
  rssMiB: 512,
  healthMs: 1_000,
  slowSenderMs: 25_000,
  slowAnswerMs: 45_000,
};

/**
 * @param history in the order in which it happened
 * @returns every broken invariant; none when all hold
 */
export function check(
  history: readonly HistoryEvent[],
  truth: GroundTruth,
  bounds: Bounds = BOUNDS,
): readonly Broken[] {
  return [
    ...lostDeliveries(history, truth),
    ...truth.pulls.flatMap((pull) => [...missingOutcome(pull, truth), ...saidTwice(pull), ...unasked(pull)]),
    ...lateWrites(history, bounds),
    ...keptAfterTheEnd(history, truth),
    ...mixedTenants(history, truth),
    ...leaks(history, truth),
    ...strangers(history, truth),
    ...insideLimits(history, bounds),
    ...hurriedWrites(history, bounds),
    ...beyondBounds(history, truth, bounds),
    ...heldBySlowOnes(history, bounds),
    ...(truth.quiet === undefined ? [] : givenUpOf(truth.pulls, truth.quiet)),
    ...(truth.learnt === undefined ? [] : unlearntOf(truth.pulls, truth.learnt)),
  ];
}

function lostDeliveries(history: readonly HistoryEvent[], { inbox }: GroundTruth): Broken[] {
  const accepted = ofKind(history, "delivered").filter(
    ({ status }) => status !== null && status >= 200 && status < 300,
  );
  // One event may have been delivered under several GUIDs: one of them is enough.
  const families = new Set(accepted.filter(({ guid }) => inbox.has(guid)).map(({ guid, sameAs }) => sameAs ?? guid));
  const isLost = ({ guid, sameAs }: { readonly guid: string; readonly sameAs: string | null }) =>
    !inbox.has(guid) && !families.has(sameAs ?? guid);
  const lost = new Map(accepted.filter(isLost).map((one) => [one.guid, one]));
  return [...lost.values()].map(({ guid, event, action, status, pull }) => ({
    invariant: "I1",
    what: `${event}.${action} ${guid} was answered ${status} and is not in the inbox`,
    pull,
  }));
}

function missingOutcome(truth: PullTruth, { ends, open }: GroundTruth): Broken[] {
  const { pull, head, state, isAsked, isRefused, summaries, isSilent } = truth;
  const broken = (what: string): Broken[] => [{ invariant: "I2", what, pull }];
  if (state !== "open" || !isAsked || isRefused) return [];
  const own = ends.filter((one) => one.pull === pull && sameHead(one.head, head));
  const posted = own.filter(({ end }) => end === "posted");
  const waiting = open.filter((job) => job.pull === pull);
  if (waiting.length > 0) return broken(`a job of it is still open, at attempt ${waiting[0]?.attempt}`);
  const about = summaries.some(({ heads }) => heads.some((one) => sameHead(one, head)));
  // A summary that was posted is kept up to date, also by a review that has nothing to say.
  const said = about || (isSilent && summaries.length === 0);
  if (posted.length === 0) {
    const outcomes = own.map(({ end, reason }) => `${end}: ${reason}`).join("; ");
    const known = ends.filter((one) => one.pull === pull).map((one) => one.head.slice(0, 7));
    return broken(
      `the last head ${head.slice(0, 7)} has no review (${outcomes || `ends are known of ${known.join(", ") || "no head"}`})`,
    );
  }
  if (!said) return broken(`the last head ${head.slice(0, 7)} counts as posted, and no summary or 👍 speaks of it`);
  if (posted.length > 1) return broken(`the last head ${head.slice(0, 7)} has ${posted.length} outcomes`);
  return truth.openChecks > 0 ? broken(`${truth.openChecks} check runs never ended`) : [];
}

/**
 * Heads that the servers had given up when all was quiet, before a start would have had them look
 * at everything again.
 */
export function givenUpOf(pulls: readonly PullTruth[], quiet: Quiet): Broken[] {
  return pulls.flatMap(({ pull, head, state, isAsked, isRefused }): Broken[] => {
    if (state !== "open" || !isAsked) return [];
    const own = quiet.ends.filter((one) => one.pull === pull && sameHead(one.head, head));
    const parked = own.findLast(({ end }) => end === "parked");
    if (parked === undefined || own.some(({ end }) => end === "posted")) return [];
    if (isRefused && isRefusal(parked.reason) && quiet.reported > 0) return [];
    const what = isRefused && isRefusal(parked.reason) ? "is refused, which is not reported" : "was given up";
    return [{ invariant: "I11", what: `the last head ${head.slice(0, 7)} ${what} (${parked.reason})`, pull }];
  });
}

function isRefusal(reason: string): boolean {
  return /^(?:refused|unauthorised):/.test(reason);
}

/** Of findings that are remembered: others could not be learnt about. */
export function unlearntOf(pulls: readonly PullTruth[], learnt: Learnt): Broken[] {
  const known = [...learnt.evidence];
  return pulls.flatMap(({ pull, state, isRefused, feedback }) => {
    if (state === "removed" || isRefused) return [];
    return feedback.flatMap(({ finding, key }): Broken[] => {
      const about = `${pull} ${finding}`;
      if (!learnt.findings.has(about) || known.some((one) => one.startsWith(`${about} ${key}`))) return [];
      return [{ invariant: "I12", what: `${key} about finding ${finding} was not learnt`, pull }];
    });
  });
}

function saidTwice({ pull, reviews, summaries, comments, answers }: PullTruth): Broken[] {
  const kinds: readonly (readonly [string, readonly string[]])[] = [
    ["review of", reviews.map(({ head }) => head.slice(0, 7))],
    ["summary", summaries.map(() => "of the pull request")],
    ["comment on", comments.map(({ finding, head }) => `${finding} at ${head.slice(0, 7)}`)],
    ["answer to", answers.map(({ to }) => to)],
  ];
  return kinds.flatMap(([kind, said]) =>
    [...counted(said)].flatMap(([about, times]): Broken[] =>
      times > 1 ? [{ invariant: "I3", what: `${times} times the ${kind} ${about}`, pull }] : [],
    ),
  );
}

function unasked({ pull, isAsked, isSpokenTo, reviews, summaries, comments, answers }: PullTruth): Broken[] {
  const said = isAsked ? 0 : reviews.length + summaries.length + comments.length;
  const answered = isSpokenTo ? 0 : answers.length;
  if (said + answered === 0) return [];
  return [{ invariant: "I4", what: `${said + answered} posts without a request`, pull }];
}

/**
 * Writes that say which head they are about, or that speak on a pull request at all once it is
 * closed.
 */
function lateWrites(history: readonly HistoryEvent[], bounds: Bounds): Broken[] {
  const broken: Broken[] = [];
  const acts = Map.groupBy(ofKind(history, "act"), ({ pull }) => pull);
  for (const request of ofKind(history, "request")) {
    const { pull, head, at, method, path } = request;
    if (pull === null || !isPost(method, path)) continue;
    const before = (acts.get(pull) ?? []).filter((act) => act.at < at);
    const last = before.at(-1);
    // Where the App is no more GitHub refuses: there the try is what is wrong.
    if (!request.applied && last?.state !== "removed") continue;
    // The first act that made the write pointless, and how long the server could have known.
    const since = last === undefined ? null : pointlessSince(before, head);
    if (last === undefined || since === null) continue;
    const late = at - since - stoppedWithin(history, since, at);
    if (late <= bounds.lateWriteMs) continue;
    const why = last.state === "open" ? `its head was ${last.head.slice(0, 7)}` : `it was ${last.state}`;
    const about = head === null ? "" : ` about ${head.slice(0, 7)}`;
    broken.push({
      invariant: "I5",
      what: `${method} ${path}${about} came ${(late / 1000).toFixed(1)} s after ${why}`,
      pull,
    });
  }
  return broken;
}

/** Words of a repository that the App does not reach any more, in what the server left. */
function keptAfterTheEnd(history: readonly HistoryEvent[], { canaries, removed = new Set() }: GroundTruth): Broken[] {
  const kept = ofKind(history, "found").flatMap(({ canary, where }) => {
    const whose = canaries.get(canary) ?? "";
    return removed.has(whose) ? [`texts of ${whose} are in ${where} after its removal`] : [];
  });
  return [...new Set(kept)].map((what) => ({ invariant: "I5", what, pull: null }));
}

function pointlessSince(
  acts: readonly { readonly at: number; readonly head: string; readonly state: string }[],
  head: string | null,
): number | null {
  let since: number | null = null;
  for (const act of acts) {
    // Who asks on a closed pull request is answered; what has a head is a review or its summary.
    const isAbout = head !== null && (act.state === "closed" || !sameHead(act.head, head));
    const isPointless = act.state === "removed" || isAbout;
    since = isPointless ? (since ?? act.at) : null;
  }
  return since;
}

/**
 * Milliseconds in which a process was frozen: it could not have looked. Of several the longest
 * counts.
 */
function stoppedWithin(history: readonly HistoryEvent[], from: number, to: number): number {
  const processes = Map.groupBy(ofKind(history, "process"), ({ process }) => process);
  return Math.max(0, ...[...processes.values()].map((own) => frozenWithin(own, from, to)));
}

function frozenWithin(
  own: readonly { readonly what: string; readonly at: number }[],
  from: number,
  to: number,
): number {
  let frozen = 0;
  let stoppedAt: number | null = null;
  for (const { what, at } of own) {
    if (what === "stopped") stoppedAt = at;
    else if (stoppedAt !== null) {
      frozen += Math.max(0, Math.min(to, at) - Math.max(from, stoppedAt));
      stoppedAt = null;
    }
  }
  return frozen;
}

function mixedTenants(history: readonly HistoryEvent[], { canaries }: GroundTruth): Broken[] {
  return ofKind(history, "sent").flatMap(({ to, repository, canaries: found }): Broken[] => {
    const owners = new Set(
      found.map((canary) => canaries.get(canary) ?? "unknown").filter((whose) => whose !== "secret"),
    );
    if (repository !== null) owners.add(repository);
    if (owners.size < 2) return [];
    return [
      { invariant: "I6", what: `words of ${[...owners].sort().join(" and ")} in one request to ${to}`, pull: null },
    ];
  });
}

function leaks(history: readonly HistoryEvent[], { canaries }: GroundTruth): Broken[] {
  const isSecret = (canary: string) => canaries.get(canary) === "secret";
  const sent = ofKind(history, "sent").flatMap(({ to, canaries: found }) => {
    return found.filter(isSecret).map((canary) => `${shown(canary)} was sent to ${to}`);
  });
  const found = ofKind(history, "found")
    .filter(({ canary }) => isSecret(canary))
    .map(({ canary, where }) => `${shown(canary)} is in ${where}`);
  return [...new Set([...sent, ...found])].map((what) => ({ invariant: "I7", what, pull: null }));
}

function strangers(history: readonly HistoryEvent[], { allowedHosts }: GroundTruth): Broken[] {
  const reached = new Set(ofKind(history, "connected").map(({ host }) => host));
  return [...reached]
    .filter((host) => !allowedHosts.has(host))
    .map((host) => ({ invariant: "I8", what: `${host} was reached`, pull: null }));
}

/**
 * For each window, the requests in it by processes that could know of it, by themselves or from the
 * store.
 */
function insideLimits(history: readonly HistoryEvent[], bounds: Bounds): Broken[] {
  const requests = ofKind(history, "request").filter(({ method, path }) => !isToken(method, path));
  const windows = Map.groupBy(ofKind(history, "limited"), ({ installation, until }) => `${installation} ${until}`);
  return [...windows.values()].flatMap((answers): Broken[] => {
    const { installation = null, at = 0, until = 0 } = answers[0] ?? {};
    const inside = requests.filter(
      (one) =>
        one.installation === installation &&
        one.at < until &&
        answers.some((limit) => limit.at < one.at && knownForMs(one, limit, history) > bounds.inFlightMs),
    );
    if (inside.length === 0) return [];
    const what = `${inside.length} requests of installation ${installation} within ${Math.round((until - at) / 1000)} s of its limit`;
    return [{ invariant: "I9", what, pull: null }];
  });
}

/**
 * For how many milliseconds the sender of a request could have known a limit that GitHub announced
 * to a process; 0 when it could not. A process knows its own limits; the others know them from the
 * store, if it can be written and the process lives to do so.
 */
function knownForMs(
  { at, process }: { readonly at: number; readonly process?: number },
  limit: { readonly at: number; readonly process?: number },
  history: readonly HistoryEvent[],
): number {
  const isEnd = (what: string) => ["killed", "worker killed", "terminated", "exited"].includes(what);
  const ended = ofKind(history, "process").find(
    (one) => one.process === limit.process && one.at >= limit.at && one.at <= at && isEnd(one.what),
  );
  const known = at - limit.at - stoppedWithin(history, limit.at, at);
  if (ended === undefined && process === limit.process) return known;
  if (ended !== undefined && usable(history, limit.at, ended.at) <= LEAST_TO_RECORD_MS) return 0;
  // The clock of an embedded queue is the wall's when its server starts: what was recorded by
  // another clock means another time.
  if (offsetOf(history, limit.process, limit.at) !== offsetOf(history, process, at)) return 0;
  return usable(history, limit.at, at);
}

/**
 * By how many milliseconds the wall clock was off when the process that runs at that time was
 * started.
 */
function offsetOf(history: readonly HistoryEvent[], process: number | undefined, at: number): number {
  const start = ofKind(history, "process").findLast(
    (one) => one.process === process && one.what === "started" && one.at <= at,
  );
  const steps = ofKind(history, "clock").filter((one) => one.process === process);
  return steps.findLast((one) => one.at <= (start?.at ?? 0))?.offsetMs ?? 0;
}

/** Milliseconds in which no process was frozen and the store was undisturbed. */
function usable(history: readonly HistoryEvent[], from: number, to: number): number {
  return to - from - stoppedWithin(history, from, to) - troubledWithin(history, from, to);
}

/** A statement of one process, on a machine that runs all of them. */
const LEAST_TO_RECORD_MS = 250;

/** Milliseconds in which the store was disturbed. */
function troubledWithin(history: readonly HistoryEvent[], from: number, to: number): number {
  let troubled = 0;
  let until = from;
  for (const one of ofKind(history, "trouble").toSorted((a, b) => a.at - b.at)) {
    const [begins, ends] = [Math.max(one.at, until), Math.min(one.until, to)];
    if (ends <= begins) continue;
    troubled += ends - begins;
    until = ends;
  }
  return troubled;
}

function hurriedWrites(history: readonly HistoryEvent[], bounds: Bounds): Broken[] {
  const writes = ofKind(history, "request").filter(
    ({ method, path, applied }) => !isRead(method) && applied && !isToken(method, path) && !path.startsWith("/app"),
  );
  return [...Map.groupBy(writes, ({ installation }) => installation)].flatMap(([installation, own]): Broken[] => {
    const apart = own.flatMap((one, index) => {
      const before = own[index - 1];
      return before === undefined ? [] : [one.at - before.at];
    });
    const hurried = apart.filter((ms) => ms < bounds.betweenWritesMs);
    if (hurried.length === 0) return [];
    const what = `${hurried.length} of ${own.length} writes of installation ${installation} less than a second after another (${Math.min(...hurried)} ms)`;
    return [{ invariant: "I9", what, pull: null }];
  });
}

function beyondBounds(history: readonly HistoryEvent[], truth: GroundTruth, bounds: Bounds): Broken[] {
  const broken = (what: string): Broken => ({ invariant: "I10", what, pull: null });
  const samples = ofKind(history, "sample");
  const most = Math.max(0, ...samples.map(({ rssMiB }) => rssMiB));
  const calm = samples.filter(
    ({ at, healthMs, process }) => healthMs !== null && !isTroubled(history, at, healthMs, process),
  );
  const waits = calm.map(({ healthMs }) => healthMs ?? 0).toSorted((a, b) => a - b);
  const p99 = waits[Math.floor(waits.length * 0.99)] ?? 0;
  const heads = new Set(ofKind(history, "act").map(({ pull, head }) => `${pull} ${head}`)).size;
  const kills = ofKind(history, "process").filter(({ what }) => /killed/.test(what)).length;
  const asked = (reading: "model" | "second reading") =>
    ofKind(history, "sent").filter(({ to, answered }) => to === reading && answered).length;
  // A crash may cost the question of each worker once more, and so may a process that was cut off
  // for too long.
  const paid = heads + (kills + (truth.takeovers ?? 0)) * truth.workers;
  return [
    ...(most > bounds.rssMiB ? [broken(`${Math.round(most)} MiB of memory`)] : []),
    ...(p99 > bounds.healthMs ? [broken(`/healthz took ${Math.round(p99)} ms at the 99th percentile`)] : []),
    ...(["model", "second reading"] as const).flatMap((reading) =>
      asked(reading) <= paid
        ? []
        : [broken(`the ${reading} was asked ${asked(reading)} times for ${heads} heads and ${kills} kills`)],
    ),
    ...truth.violations.slice(0, 5).map((what) => broken(`not in GitHub's description: ${what}`)),
  ];
}

/** Connections of slow peers that were held longer than the server allows. */
function heldBySlowOnes(history: readonly HistoryEvent[], bounds: Bounds): Broken[] {
  return ofKind(history, "slow").flatMap(({ at, where, how, ms }): Broken[] => {
    const most = where === "ingress" ? bounds.slowSenderMs : bounds.slowAnswerMs;
    if (ms - stoppedWithin(history, at - ms, at) <= most) return [];
    const who =
      where === "ingress" ? `a sender (${how}) held the public port` : `an answer of GitHub (${how}) was awaited`;
    return [{ invariant: "I10", what: `${who} for ${Math.round(ms / 1000)} s`, pull: null }];
  });
}

/** Frozen, dying, or waiting for a lock that the harness holds. */
function isTroubled(history: readonly HistoryEvent[], at: number, took: number, process: number | undefined): boolean {
  const from = at - took;
  const isWithin = (one: number) => one >= from - 1_000 && one <= at;
  return history.some(
    (one) =>
      (one.kind === "process" && one.process === process && isWithin(one.at)) ||
      (one.kind === "trouble" && one.at <= at && one.until >= from),
  );
}

function isPost(method: string, path: string): boolean {
  return method !== "GET" && /\/(?:pulls|issues)\/(?:\d+\/(?:reviews|comments)|comments\/\d+)$/.test(path);
}

function isToken(method: string, path: string): boolean {
  return method === "POST" && path.endsWith("/access_tokens");
}

/** One of the two may be shortened. */
function sameHead(one: string, other: string): boolean {
  return one.length >= 7 && other.length >= 7 && (one.startsWith(other) || other.startsWith(one));
}

function counted(items: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

function shown(canary: string): string {
  return `${canary.slice(0, 12)}…`;
}
