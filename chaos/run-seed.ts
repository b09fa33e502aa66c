// One run: a GitHub, servers, people, and disturbances of the servers; then quiet, and the checker.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Pull, Repository } from "../test/fakes/github/conversation.ts";
import { type GitHubWorld, startGitHub } from "../test/fakes/github/github.ts";
import { type Breakpoints, newBreakpoints } from "./breakpoints.ts";
import { type Canaries, newCanaries } from "./canaries.ts";
import { type Broken, check, givenUpOf, unlearntOf } from "./checker.ts";
import { openClock, type WallClock } from "./clock.ts";
import { type ActiveFaults, type Fault, happens } from "./faults.ts";
import { type GitHubProxy, openGitHubProxy, type Place } from "./github-proxy.ts";
import type { GroundTruth, PullTruth, Quiet, StoreView } from "./ground-truth.ts";
import { type HealthSampler, startHealthSampler } from "./health-sampler.ts";
import { type History, type HistoryEvent, ofKind, openHistory } from "./history.ts";
import { type ModelServers, startModelServers } from "./model-servers.ts";
import { type Nemesis, type NemesisOptions, nemesis, ownFailPoints, terminate } from "./nemesis.ts";
import { gatherPeople, type People } from "./people.ts";
import { openPostgresDatabase, type PostgresDatabase } from "./postgres-database.ts";
import { truthOf } from "./read-ground-truth.ts";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";
import { freePort, type ServerProcess, startServer, workerOf } from "./server-process.ts";
import { openSmallDisk, type SmallDisk } from "./small-disk.ts";
import { sqliteView } from "./sqlite-view.ts";
import { openWebhookDelivery, type WebhookDelivery } from "./webhook-delivery.ts";

export interface SeedOptions {
  readonly seed: string;
  /** Actions of people, each with one delivery; duplicates come on top. */
  readonly deliveries: number;
  readonly kills: number;
  readonly faults: ReadonlySet<Fault>;
  /** Share of writes whose answer is lost. */
  readonly lostShare: number;
  readonly owners: number;
  readonly repositoriesEach: number;
  readonly pulls: number;
  readonly workers: number;
  /** How long after the last trouble everything must have come to its end. */
  readonly settleMs: number;
  /**
   * `sqlite`; `postgres` for a server of the harness's own; or the address of one that takes new
   * databases.
   */
  readonly store: string;
  /** Servers on one store; more than one needs Postgres. Absent: one. */
  readonly processes?: number;
  /**
   * The place of the data folder, for the fault `disk`: a file system of a few dozen MiB. Absent:
   * with the rest.
   */
  readonly smallDisk?: string | undefined;
  /** The longest time between two acts. Absent: 60 ms. */
  readonly paceMs?: number;
  /** Keeps the folder with history, log and databases. */
  readonly keep: boolean;
  readonly say: (line: string) => void;
  /** Aborted: the run ends at once, and leaves no process behind. */
  readonly unwanted?: AbortSignal;
}

export interface SeedResult {
  readonly broken: readonly Broken[];
  readonly history: readonly HistoryEvent[];
  readonly started: number;
  readonly folder: string;
  readonly figures: Readonly<Record<string, number>>;
  readonly breakpoints: Breakpoints["seen"];
}

/** One of the servers, with what is its own; `server` is its present life. */
interface Slot {
  /** Absent where there is one. */
  readonly index: number | undefined;
  readonly dataDir: string;
  readonly port: number;
  readonly adminPort: number;
  readonly foe: Nemesis;
  readonly clock: WallClock;
  server: ServerProcess | null;
}

interface Theatre {
  readonly options: SeedOptions;
  readonly folder: string;
  readonly slots: readonly Slot[];
  /** Null where the store is files of the data folder. */
  readonly stage: PostgresDatabase | null;
  readonly history: History;
  readonly activeFaults: ActiveFaults;
  readonly canaries: Canaries;
  readonly world: GitHubWorld;
  readonly gate: GitHubProxy;
  readonly office: WebhookDelivery;
  readonly models: ModelServers;
  readonly people: People;
  readonly breakpoints: Breakpoints;
  readonly view: StoreView;
  readonly health: HealthSampler;
  readonly disk: SmallDisk | null;
  /** Interrupted jobs: when, and the token with which they were held. */
  readonly interrupted: Map<string, { readonly at: number; readonly token: number }>;
}

const SECRETS = {
  WEBHOOK_SECRET: "chaos-7b1f0e6c5d4a39281706f5e4d3c2b1a0",
  ANTHROPIC_API_KEY: "sk-ant-api03-cHaOs9wLx4ZbN7mJcYpQ2rT8vE",
  KODIAI_EMBEDDINGS_API_KEY: "emb-cHaOs-4ZbN7mJcYpQ2rT8vE9wLx",
} as const;

export async function runSeed(options: SeedOptions): Promise<SeedResult> {
  const theatre = await build(options);
  const { slots } = theatre;
  const started = Date.now();
  const watching = setInterval(() => void sample(theatre), 500);
  const redelivering = setInterval(() => {
    const isAnybodyThere = slots.some(({ server }) => server?.isListening() === true);
    if (isAnybodyThere) void theatre.office.sendFailedAgain();
  }, 1_500);
  try {
    return await Promise.race([played(theatre, started), unwanted(options.unwanted)]);
  } finally {
    clearInterval(watching);
    clearInterval(redelivering);
    await Promise.all(slots.map(({ server }) => server?.kill("at the end")));
    await close(theatre);
  }
}

async function played(theatre: Theatre, started: number): Promise<SeedResult> {
  const { options, slots } = theatre;
  const acting = actors(theatre);
  await Promise.all(slots.map((slot) => livesIn(theatre, slot, acting)));
  const lastKill = Date.now();
  // Whoever starts now looks at all that is open: what was switched off is on again, and what was
  // renamed has its name.
  theatre.activeFaults.isLastLife = true;
  await theatre.people.calm();
  await Promise.all(slots.map((slot) => oneThatListens(theatre, slot)));
  const molested = slots.map((slot) => lastMolest(theatre, slot));
  await acting(options.deliveries);
  theatre.activeFaults.isCalm = true;
  await theatre.people.calm();
  const calm = Date.now();
  for (const { clock } of slots) if (clock.offset() !== 0) clock.set(0);
  await untilQuiet(theatre);
  await Promise.all(molested);
  await untilNoneIsGivenUp(theatre);
  const quiet = Date.now();
  const atQuiet: Quiet = { ends: await theatre.view.ends(), reported: await reportedRefusals(theatre) };
  if (options.faults.has("feedback")) await theatre.people.answer(Math.ceil(options.deliveries / 10));
  await oneMoreLook(theatre);
  const before = Date.now();
  const codes = await Promise.all(slots.map(({ server }) => (server === null ? 0 : terminate(server))));
  for (const code of codes) if (code !== 0) options.say(`  the last SIGTERM ended with ${code}`);
  const truth = { ...(await groundTruth(theatre)), quiet: atQuiet };
  const history = theatre.history.all.toSorted((a, b) => a.at - b.at);
  const figures = {
    seconds: (Date.now() - started) / 1000,
    secondsToQuiet: (quiet - calm) / 1000,
    secondsSinceLastKill: (quiet - lastKill) / 1000,
    termSeconds: (Date.now() - before) / 1000,
    tokens: theatre.models.tokens(),
    ...recovery(history),
    ...counts(history, truth),
  };
  return {
    broken: check(history, truth),
    history,
    started,
    folder: theatre.folder,
    figures,
    breakpoints: theatre.breakpoints.seen,
  };
}

/**
 * A look at all open pull requests may have failed while everything did. The next one, ten minutes
 * later or at a start, finds what it would have found: the harness does not wait for ten minutes.
 */
async function oneMoreLook(theatre: Theatre): Promise<void> {
  const { slots } = theatre;
  let before: number;
  let left = Number.MAX_SAFE_INTEGER;
  // A start looks at fifty pull requests for what people did.
  do {
    before = left;
    await Promise.all(slots.map(({ server }) => (server === null ? 0 : terminate(server))));
    // Reactions are looked for when an hour has passed since the review: on the server's clock it
    // has.
    if (theatre.options.faults.has("feedback")) for (const { clock } of slots) clock.set(LATER_MS);
    await Promise.all(slots.map((slot) => oneThatListens(theatre, slot)));
    await untilQuiet(theatre);
    left = await unlearnt(theatre);
  } while (left > 0 && left < before);
}

const LATER_MS = 2.5 * 60 * 60_000;

/** Acts of people about findings from which nothing was learnt yet. */
async function unlearnt(theatre: Theatre): Promise<number> {
  if (!theatre.options.faults.has("feedback")) return 0;
  const [pulls, learnt] = [await truths(theatre), await theatre.view.learnt()];
  return unlearntOf(pulls, learnt).length;
}

/**
 * The look that finds a head again may have failed while everything did: it comes again within
 * minutes.
 */
async function untilNoneIsGivenUp(theatre: Theatre): Promise<void> {
  const pulls = await truths(theatre);
  const until = Date.now() + Math.min(AGAIN_MS, theatre.options.settleMs);
  const isOver = async () => givenUpOf(pulls, { ends: await theatre.view.ends(), reported: 1 }).length === 0;
  while (Date.now() < until && !(await isOver())) await wait(2_000);
  await untilQuiet(theatre);
}

/** Looks at open pull requests are ten minutes apart. */
const AGAIN_MS = 11 * 60_000;

/** Installations that the servers report as refused: the most that one of them does. */
async function reportedRefusals({ slots }: Theatre): Promise<number> {
  const texts = slots.map(async ({ adminPort }) => {
    const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`).catch(() => null);
    return Number(/^kodiai_refused_installations (\d+)$/m.exec((await response?.text()) ?? "")?.[1] ?? 0);
  });
  return Math.max(0, ...(await Promise.all(texts)));
}

/** Rejects when the run is to end. */
function unwanted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

/** Lives and deaths of one server, until all of them together were killed often enough. */
async function livesIn(theatre: Theatre, slot: Slot, acting: (count: number) => Promise<void>): Promise<void> {
  const { options, history } = theatre;
  const killed = () => ofKind(history.all, "process").filter(({ what }) => what === "killed").length;
  for (let lives = 0; killed() < options.kills && lives < 3 * options.kills; lives++) {
    slot.server = theLife(theatre, slot);
    const acted = acting(Math.ceil((options.deliveries * (killed() + 1)) / (options.kills + 1)));
    await slot.foe.endLife(slot.server);
    await Promise.all([acted, markInterrupted(theatre, slot)]);
    if (lives % 10 === 9) options.say(`  ${killed()} of ${options.kills} kills, ${theatre.people.count()} acts`);
  }
}

/** People act one after the other, however many servers live for how long. */
function actors(theatre: Theatre): (count: number) => Promise<void> {
  let last = Promise.resolve();
  return (count) => {
    last = last.then(() => actUntil(theatre, count));
    return last;
  };
}

async function build(options: SeedOptions): Promise<Theatre> {
  const throws = seededRandom(options.seed);
  const folder = mkdtempSync(join(tmpdir(), `kodiai-chaos-${options.seed.replace(/\W/g, "")}-`));
  const history = openHistory(join(folder, "history.jsonl"));
  // Quiet while the stage is set.
  const activeFaults: ActiveFaults = { faults: options.faults, isCalm: true };
  const canaries = newCanaries();
  for (const secret of Object.values(SECRETS)) canaries.owners.set(secret, "secret");
  const owners = Array.from({ length: options.owners }, (_, index) => `owner${String.fromCharCode(97 + index)}`);
  const world = await startGitHub({ owners, webhookSecret: SECRETS.WEBHOOK_SECRET });
  const { privateKey } = world.appCredentials;
  canaries.owners.set(privateKey.split("\n")[5] ?? privateKey, "secret");
  const breakpoints = newBreakpoints();
  const people = await gatherPeople({
    world,
    random: throws.fork("people"),
    history,
    canaries,
    owners,
    repositoriesEach: options.repositoriesEach,
    pulls: options.pulls,
    upheaving: () => ({ people: happens(activeFaults, "people"), permission: happens(activeFaults, "permission") }),
    answering: () => happens(activeFaults, "feedback"),
    hidesPatches: () => happens(activeFaults, "refuse"),
    ...howOften(options),
  });
  const ofOffice = {
    receives: people.desk.receives,
    nameOf: (id: number) => {
      const found = people.byId(id);
      return found === null ? null : people.bornAs(found);
    },
  };
  const office = await openWebhookDelivery({
    random: throws.fork("post"),
    activeFaults,
    history,
    ...ofOffice,
  });
  world.setWebhookUrl(office.url);
  const common = { activeFaults, history, canaries, breakpoints };
  const gate = await openTheGate(options, throws, common, world, people);
  const models = await startModelServers({ ...common, random: throws.fork("model") });
  const pullOf = (key: string) => {
    const [, id, number] = /\/(\d+)#(\d+)$/.exec(key) ?? [];
    const found = people.byId(Number(id));
    return found === null ? key : `${people.bornAs(found)}#${number}`;
  };
  const { store, say, faults } = options;
  let look: StoreView | null = null;
  const atWork = async (pid: number | null) => {
    const jobs = (await look?.open()) ?? [];
    const own = pid === null ? [] : [pid, workerOf(pid)];
    return jobs.filter((one) => one.isRunning && (pid === null || own.includes(one.pid ?? pid))).length;
  };
  const running = () => atWork(null);
  const stage =
    store === "sqlite"
      ? null
      : await openPostgresDatabase({ store, random: throws.fork("database"), activeFaults, history, say, running });
  const disk = stage === null && options.smallDisk === undefined && faults.has("disk") ? openSmallDisk() : null;
  const home =
    options.smallDisk === undefined ? (disk?.folder ?? null) : mkdtempSync(join(options.smallDisk, "kodiai-"));
  // Filling a file system that others need is no test.
  if (home === null && stage === null && faults.has("disk"))
    say("  no disk is filled: that needs the right to mount one");
  const ofSlots = { ...common, atWork: ({ pid }: ServerProcess) => atWork(pid) };
  const slots = await openSlots(options, throws, ofSlots, { folder, home, stage });
  const view = stage?.view(pullOf) ?? sqliteView(slots[0]?.dataDir ?? folder, pullOf);
  look = view;
  office.address(...slots.map(({ port }) => `http://127.0.0.1:${port}/api/github/webhooks`));
  activeFaults.isCalm = false;
  const theatre = { options, folder, slots, stage, history, activeFaults, canaries, world, gate, office, models };
  return { ...theatre, people, breakpoints, view, disk, health: startHealthSampler(), interrupted: new Map() };
}

interface Places {
  readonly folder: string;
  /** For the data; null: with the rest, and no disk is filled. */
  readonly home: string | null;
  readonly stage: PostgresDatabase | null;
}

async function openSlots(
  options: SeedOptions,
  throws: SeededRandom,
  common: Pick<NemesisOptions, "activeFaults" | "history" | "breakpoints" | "atWork">,
  { folder, home, stage }: Places,
): Promise<readonly Slot[]> {
  const count = options.processes ?? 1;
  if (count > 1 && stage === null) throw new Error("several servers need one Postgres");
  const failPoints = await ownFailPoints();
  const slots: Slot[] = [];
  for (let index = 0; index < count; index++) {
    const isOnly = count === 1;
    const dataDir = join(home ?? folder, isOnly ? "data" : `data-${index}`);
    mkdirSync(dataDir);
    const [port, adminPort] = [await freePort(), await freePort()];
    const clock = openClock(folder, isOnly ? "clock" : `clock-${index}`);
    const foe = nemesis({
      ...common,
      ...{ port, clock, index: isOnly ? undefined : index, waitsForWork: !isOnly },
      random: throws.fork(isOnly ? "nemesis" : `nemesis ${index}`),
      failPoints: [...failPoints.slice(index * 7), ...failPoints.slice(0, index * 7)],
      patienceMs: 3_500,
      fillsDisk: home !== null,
      ...(stage === null ? { dataDir } : { dataDir: null, holdLock: stage.holdLock, outlastsLeases: !isOnly }),
    });
    slots.push({ index: isOnly ? undefined : index, dataDir, port, adminPort, foe, clock, server: null });
  }
  return slots;
}

function openTheGate(
  options: SeedOptions,
  throws: SeededRandom,
  common: { activeFaults: ActiveFaults; history: History; canaries: Canaries; breakpoints: Breakpoints },
  world: GitHubWorld,
  people: People,
): Promise<GitHubProxy> {
  const own = throws.fork("gate");
  const { lostShare, processes = 1 } = options;
  const { onTheWay } = howOften(options);
  const placeOf = (found: Repository | null): Place | null =>
    found === null
      ? null
      : { id: found.id, owner: found.owner, now: `${found.owner}/${found.name}`, born: people.bornAs(found) };
  return openGitHubProxy({
    ...common,
    target: world.apiUrl,
    random: own,
    lostShare,
    doors: processes,
    desk: people.desk,
    byName: (name) => placeOf(people.byName(name)),
    byId: (id) => placeOf(people.byId(id)),
    pullOfComment: ({ id: repository }, id) => {
      const pull = people
        .byId(repository)
        ?.pulls.find(({ issueComments }) => issueComments.some((one) => one.id === id));
      return pull === undefined ? null : people.nameOf(pull);
    },
    onWrite: async (pull) => {
      if (happens(common.activeFaults, "push") && own.chance(0.03)) await people.disturb(pull);
    },
    onVisit: async ({ id }, what) => {
      const found = people.byId(id);
      const isUpheaving = happens(common.activeFaults, "people") || happens(common.activeFaults, "permission");
      if (found !== null && isUpheaving && own.chance(onTheWay)) await people.upheave(found, what);
    },
  });
}

/**
 * What is done to repositories as such: a dozen acts for 250 deliveries, at random moments and (a
 * delivery makes two dozen visits) on the way.
 */
function howOften({ deliveries }: SeedOptions): {
  readonly onTheWay: number;
  readonly atRandom: number;
  readonly times: number;
} {
  const times = Math.max(1, Math.round(deliveries / 250));
  return { times, atRandom: Math.min(0.1, (4 * times) / deliveries), onTheWay: Math.min(0.02, times / 2 / deliveries) };
}

function theLife(theatre: Theatre, { index, port, adminPort, dataDir, foe, clock }: Slot): ServerProcess {
  const { options, world, gate, models, folder, history, stage } = theatre;
  options.unwanted?.throwIfAborted();
  const { appId, privateKey } = world.appCredentials;
  const env: Record<string, string> = {
    ...SECRETS,
    APP_ID: String(appId),
    PRIVATE_KEY: privateKey.replaceAll("\n", "\\n"),
    ...(needsClock(options) ? clock.env : {}),
    KODIAI_GITHUB_API_URL: gate.urls[index ?? 0] ?? "",
    KODIAI_DATA_DIR: dataDir,
    KODIAI_ADMIN_PORT: String(adminPort),
    KODIAI_WORKERS: String(options.workers),
    ANTHROPIC_BASE_URL: models.modelUrl,
    KODIAI_EMBEDDINGS: "http",
    KODIAI_EMBEDDINGS_URL: models.embeddingsUrl,
    KODIAI_EMBEDDINGS_MODEL: "chaos-embed",
    KODIAI_EMBEDDINGS_DIMENSION: "16",
    ...(stage === null ? {} : { DATABASE_URL: stage.url }),
  };
  const args = needsClock(options) ? clock.args : [];
  return startServer({ env, args, port, folder, history, index, failAt: foe.failAt() });
}

/** A clock that can be set: as trouble, or to have an hour pass. */
function needsClock({ faults }: SeedOptions): boolean {
  return faults.has("clock") || faults.has("feedback");
}

/**
 * A fail point may end this one as well, or a database that is away: one without comes up, as an
 * orchestrator tries again.
 */
async function oneThatListens(theatre: Theatre, slot: Slot): Promise<void> {
  for (let tries = 0; tries < 30; tries++) {
    const wasCalm = theatre.activeFaults.isCalm;
    theatre.activeFaults.isCalm = true;
    slot.server = theLife(theatre, slot);
    // On a busy machine a start takes longer than the database is left alone: then it is, for once.
    theatre.activeFaults.isCalm = wasCalm || tries > 5;
    const listens = await slot.server.listening;
    theatre.activeFaults.isCalm = wasCalm;
    if (listens) return;
    await wait(1_000);
  }
  throw new Error(`the server does not start any more: see ${join(theatre.folder, "server.log")}`);
}

/** Until everything is quiet there is time to see what becomes of those who are slow. */
async function lastMolest({ activeFaults }: Theatre, { foe, server }: Slot): Promise<void> {
  if (server !== null && happens(activeFaults, "loris")) await foe.molest(server, 8);
}

async function actUntil({ people, options }: Theatre, count: number): Promise<void> {
  const own = seededRandom(`${options.seed}/pace/${count}`);
  while (people.count() < count) {
    await people.act().catch((error: unknown) => options.say(`  an action failed: ${String(error)}`));
    await wait(own.between(5, options.paceMs ?? 60));
  }
}

/** Jobs that the dead server had in its hands. */
async function markInterrupted({ view, interrupted, history }: Theatre, { server, index }: Slot): Promise<void> {
  const killed = ofKind(history.all, "process").filter(({ what, process }) => what === "killed" && process === index);
  const at = killed.at(-1)?.at ?? Date.now();
  for (const { id, isRunning, token, pid } of await view.open()) {
    const wasIts = pid === undefined || pid === server?.pid;
    if (isRunning && wasIts && !interrupted.has(id)) interrupted.set(id, { at, token });
  }
}

async function sample(theatre: Theatre): Promise<void> {
  await Promise.all(theatre.slots.map((slot) => sampleOne(theatre.history, theatre.health, slot)));
  await noteRecovered(theatre).catch(() => {});
}

async function sampleOne(history: History, health: HealthSampler, { server, port, index }: Slot): Promise<void> {
  const rssMiB = server?.rssMiB() ?? null;
  if (server === null || rssMiB === null) return;
  const healthMs = await health.ask(port, server.pid);
  history.note({
    kind: "sample",
    at: Date.now(),
    rssMiB,
    healthMs,
    ...(index === undefined ? {} : { process: index }),
  });
}

/** A job counts as recovered when a worker has taken it up again, or it has ended. */
async function noteRecovered({ view, interrupted, history }: Theatre): Promise<void> {
  if (interrupted.size === 0) return;
  const open = new Map((await view.open()).map((job) => [job.id, job]));
  for (const [id, { at, token }] of interrupted) {
    const job = open.get(id);
    if (job !== undefined && job.token <= token) continue;
    interrupted.delete(id);
    history.note({ kind: "recovered", at: Date.now(), job: id, ms: Date.now() - at });
  }
}

/**
 * No delivery is in flight, no job is open, no request goes to GitHub, and no check run is in
 * progress: one whose end GitHub never heard is ended by the server's own sweep, within a minute or
 * two.
 */
async function untilQuiet(theatre: Theatre): Promise<void> {
  const { view, office, history, options, activeFaults } = theatre;
  const deadline = Date.now() + options.settleMs;
  let quietSince = Date.now();
  while (Date.now() < deadline) {
    await wait(500);
    const last = ofKind(history.all.slice(-200), "request").at(-1)?.at ?? 0;
    const isBusy = office.pending() > 0 || Date.now() - last < 2_000 || (await view.open()).length > 0;
    if (isBusy || (await view.forgetting()) > 0 || (await openChecks(theatre)) > 0) quietSince = Date.now();
    // A letter may have been accepted a moment ago.
    if (Date.now() - quietSince > 3_000) return;
  }
  options.say(`  not quiet after ${options.settleMs / 1000} s (calm: ${activeFaults.isCalm})`);
}

const pullsOf = ({ people }: Theatre) => people.repositories.flatMap(({ pulls }) => pulls as Pull[]);

/** For open pull requests that need a review; others need no check. */
async function openChecks(theatre: Theatre): Promise<number> {
  const open = (await truths(theatre)).filter(
    ({ state, isAsked, isRefused }) => state === "open" && isAsked && !isRefused,
  );
  return open.reduce((sum, one) => sum + one.openChecks, 0);
}

function truths(theatre: Theatre): Promise<readonly PullTruth[]> {
  return Promise.all(pullsOf(theatre).map((pull) => truthOf(theatre.world, pull, theatre.people)));
}

async function groundTruth(theatre: Theatre): Promise<GroundTruth> {
  const { world, people, view, canaries, options, history, folder, gate, models, stage } = theatre;
  await scan(theatre);
  const allowed = [...gate.urls, models.modelUrl, models.embeddingsUrl, ...(stage === null ? [] : [stage.url])];
  const hosts = allowed.map((url) => new URL(url).host);
  const frozen = ofKind(history.all, "process").filter(({ what }) => what === "stopped").length;
  const reached = join(folder, "egress.log");
  for (const host of existsSync(reached) ? readFileSync(reached, "utf8").trim().split("\n") : [])
    history.note({ kind: "connected", at: Date.now(), host });
  return {
    pulls: await truths(theatre),
    learnt: await view.learnt(),
    inbox: await view.inbox(),
    open: await view.open(),
    ends: await view.ends(),
    allowedHosts: new Set(hosts),
    canaries: canaries.owners,
    workers: options.workers,
    // Whoever is cut off from the database is cut off with all.
    takeovers: stage === null ? 0 : frozen + stage.takeovers() * theatre.slots.length,
    removed: new Set(people.repositories.filter((one) => people.desk.isRemoved(one)).map(people.bornAs)),
    violations: world.violations,
  };
}

/**
 * Every byte that the servers left on disk and in the database, but for snapshots, whose blobs are
 * kept as they are.
 */
async function scan({ folder, canaries, history, slots, view }: Theatre): Promise<void> {
  const kept = slots.flatMap(({ dataDir }) =>
    readdirSync(dataDir, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => join(dataDir, name)),
  );
  for (const file of [join(folder, "server.log"), ...kept]) {
    if (!existsSync(file)) continue;
    for (const canary of canaries.in(readFileSync(file, "latin1")))
      history.note({ kind: "found", at: Date.now(), canary, where: file.slice(folder.length + 1) });
  }
  for (const { where, text } of (await view.texts?.()) ?? [])
    for (const canary of canaries.in(text)) history.note({ kind: "found", at: Date.now(), canary, where });
}

/**
 * How long interrupted jobs waited for a worker: by the clock, and of that only while a server was
 * up to take them.
 */
export function recovery(history: readonly HistoryEvent[]): Record<string, number> {
  const lives = livesOf(history);
  const recovered = ofKind(history, "recovered");
  const waits = recovered.map(({ ms }) => ms / 1000).toSorted((a, b) => a - b);
  const up = recovered.map(({ at, ms }) => upWithin(lives, at - ms, at) / 1000).toSorted((a, b) => a - b);
  // From when a server is up, or from the death where one was all the time: what came before is the
  // orchestrator's.
  const since = recovered.map(({ at, ms }) => sinceUp(lives, at - ms, at) / 1000).toSorted((a, b) => a - b);
  const starts = startTimes(history).toSorted((a, b) => a - b);
  return {
    recovered: waits.length,
    recoveryMedianSeconds: waits[Math.floor(waits.length / 2)] ?? 0,
    recoveryMaxSeconds: waits.at(-1) ?? 0,
    recoveryUpMedianSeconds: up[Math.floor(up.length / 2)] ?? 0,
    recoveryUpMaxSeconds: up.at(-1) ?? 0,
    recoverySinceUpMedianSeconds: since[Math.floor(since.length / 2)] ?? 0,
    recoverySinceUpMaxSeconds: since.at(-1) ?? 0,
    recoveredLateSinceUp: since.filter((one) => one >= 60).length,
    startMedianSeconds: starts[Math.floor(starts.length / 2)] ?? 0,
  };
}

type Lives = readonly (readonly [from: number, to: number])[];

/** From when to when any server listened; in order, and none touching another. */
function livesOf(history: readonly HistoryEvent[]): Lives {
  const processes = Map.groupBy(ofKind(history, "process"), ({ process }) => process);
  const lives = [...processes.values()].flatMap(livesOfOne).toSorted(([a], [b]) => a - b);
  const merged: [number, number][] = [];
  for (const [from, to] of lives) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

function livesOfOne(own: readonly { readonly what: string; readonly at: number }[]): Lives {
  const lives: [number, number][] = [];
  let since: number | null = null;
  for (const { what, at } of own) {
    if (what === "listening") since = at;
    else if (what !== "stopped" && what !== "continued" && since !== null) {
      lives.push([since, at]);
      since = null;
    }
  }
  return since === null ? lives : [...lives, [since, Number.MAX_SAFE_INTEGER]];
}

function upWithin(lives: Lives, from: number, to: number): number {
  return lives.reduce((sum, [begin, end]) => sum + Math.max(0, Math.min(to, end) - Math.max(from, begin)), 0);
}

/**
 * How long the life had lasted in which a job was taken up again that was interrupted at `from`.
 */
function sinceUp(lives: Lives, from: number, to: number): number {
  const life = lives.findLast(([begin]) => begin <= to);
  // Jobs are taken up before the first answer: then the life begins later, and the one before has
  // ended.
  return life === undefined || to > life[1] ? 0 : to - Math.max(from, life[0]);
}

function startTimes(history: readonly HistoryEvent[]): number[] {
  const started = new Map<number | undefined, number>();
  return ofKind(history, "process").flatMap(({ what, at, process }) => {
    if (what === "started") started.set(process, at);
    const since = started.get(process);
    return what === "listening" && since !== undefined ? [(at - since) / 1000] : [];
  });
}

function counts(history: readonly HistoryEvent[], { pulls, inbox, ends, learnt }: GroundTruth): Record<string, number> {
  const delivered = ofKind(history, "delivered");
  const requests = ofKind(history, "request");
  const of = (what: string) => ofKind(history, "process").filter((one) => one.what === what).length;
  return {
    acts: ofKind(history, "act").length,
    deliveries: delivered.length,
    accepted: delivered.filter(({ status }) => status !== null && status < 300).length,
    refused: delivered.filter(({ status }) => status !== null && status >= 300).length,
    inbox: inbox.size,
    kills: of("killed"),
    workersKilled: of("worker killed"),
    terms: of("terminated"),
    exits: of("exited"),
    // Not a refusal to start, which is 2.
    crashes: ofKind(history, "process").filter(({ what, code }) => what === "exited" && code === 3).length,
    freezes: of("stopped"),
    pulls: pulls.length,
    openAndAsked: pulls.filter(({ state, isAsked }) => state === "open" && isAsked).length,
    reviews: pulls.reduce((sum, { reviews }) => sum + reviews.length, 0),
    parked: ends.filter(({ end }) => end === "parked").length,
    requests: requests.length,
    refusals: requests.filter(({ fault }) => fault === "refused in other words").length,
    forbidden: requests.filter(({ fault, status }) => fault === "not ours any more" && status === 403).length,
    fullDisks: ofKind(history, "trouble").filter(({ what }) => what === "the disk is full").length,
    feedback: pulls.reduce((sum, one) => sum + one.feedback.length, 0),
    learnt: learnt?.evidence.size ?? 0,
    lostAnswers: requests.filter(({ fault }) => fault?.startsWith("answer lost") === true).length,
    limits: ofKind(history, "limited").length,
    ...struckAtWork(history),
    modelCalls: ofKind(history, "sent").filter(({ to }) => to === "model").length,
    secondReadings: ofKind(history, "sent").filter(({ to }) => to === "second reading").length,
    failedSecondReadings: ofKind(history, "sent").filter(({ to, answered }) => to === "second reading" && !answered)
      .length,
    rssMaxMiB: Math.max(0, ...ofKind(history, "sample").map(({ rssMiB }) => rssMiB)),
  };
}

/** How much the faults hit jobs that ran: a run in which none did shows little. */
function struckAtWork(history: readonly HistoryEvent[]): Record<string, number> {
  const steps = ofKind(history, "clock");
  const repositoryEvents = ofKind(history, "upheaval");
  const troubles = ofKind(history, "trouble").filter(({ running = 0 }) => running > 0);
  return {
    troublesWhileJobsRan: troubles.length,
    jobsInTrouble: troubles.reduce((sum, { running = 0 }) => sum + running, 0),
    clockSteps: steps.length,
    clockStepsWhileJobsRan: steps.filter(({ running }) => running > 0).length,
    clockStepsBack: steps.filter(({ stepMs }) => stepMs < 0).length,
    repositoryEvents: repositoryEvents.length,
    eventsDuringReviews: repositoryEvents.filter(({ where }) => where.startsWith("before")).length,
    slowOnes: ofKind(history, "slow").length,
    slowestSeconds: Math.max(0, ...ofKind(history, "slow").map(({ ms }) => ms)) / 1000,
  };
}

async function close({
  slots,
  stage,
  models,
  gate,
  office,
  world,
  view,
  folder,
  options,
  health,
  disk,
}: Theatre): Promise<void> {
  for (const { foe } of slots) foe.close();
  await Promise.all([
    health.close(),
    models.close(),
    gate.close(),
    office.close(),
    world.close(),
    view.close(),
    stage?.close(),
  ]);
  if (disk !== null) {
    if (options.keep) cpSync(disk.folder, folder, { recursive: true });
    disk.close();
  }
  if (options.keep) return;
  for (const path of [folder, ...slots.map(({ dataDir }) => dirname(dataDir))])
    rmSync(path, { recursive: true, force: true });
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
