// kodiai doctor: checks configuration, connectivity and degraded features, and names the fixes.

import { styleText } from "node:util";
import { type Env, readEnv, unknownNames } from "../../config/environment/env.ts";
import { LOGIN_CALLBACK } from "../../config/environment/github-address.ts";
import { type RetrievalFigures, retrievalAlerts, scoreLimit } from "../../domain/figures/retrieval-figures.ts";
import type { EmbeddingSpace } from "../../domain/memory.ts";
import { counted } from "../../domain/text/counted.ts";
import { isDatabase, makeDataFolder, shownPlace, storePlace } from "../../environment/data-dir.ts";
import { privateKeyOf } from "../../environment/private-key.ts";
import { readServersEnv } from "../../environment/server-folder.ts";
import { githubAnswers } from "../../wire/github.ts";
import { inspector, knownRules } from "../../wire/rules.ts";
import { openStore } from "../../wire/store.ts";
import { DAY_MS } from "../data/stats.ts";
import { type ExitCode, printJson, readWords, withPorts } from "../usage.ts";
import { VERBS } from "../verbs.ts";
import { broken, type Check, embedderCheck, memoryChecks, note, ok, readinessChecks } from "./doctor-memory.ts";
import { modelChecks } from "./doctor-model.ts";

/**
 * @param readEnvFile reads a `.env` beside the folder of `--data-dir`; returns why not, or null
 * @returns 0 when nothing is broken, else 3
 */
export async function doctor(words: readonly string[], readEnvFile = readServersEnv): Promise<ExitCode> {
  const { values } = readWords(words, VERBS.doctor.options);
  // Throws for a rule that cannot run.
  inspector();
  const unread = readEnvFile(values["data-dir"]);
  const place = storePlace(values["data-dir"]);
  const embedder = await embedderCheck();
  const { checks: ofStore, figures } = await store(place, embedder.space);
  const remedies = REMEDIES.filter(({ isSeen }) => figures !== null && isSeen(figures)).map(
    ({ isSeen: _, ...remedy }) => remedy,
  );
  const checks = [
    ok("node", `${process.versions.node} on ${process.platform} ${process.arch}`),
    ok("rules", `${knownRules().ruleIds.size} rules are loaded`),
    ...(unread === null ? [] : [note("env", unread)]),
    ...ofStore,
    embedder.check,
    ...(await modelChecks({ asks: values.model === true })),
    ...(await server()),
  ];
  if (values.json === true) printJson({ checks, remedies });
  else if (values.all !== true) reportProblems(checks);
  else {
    for (const check of checks) console.log(line(check));
    for (const { symptom, sign, cause, remedy } of remedies)
      console.log(styleText("dim", `remedy ${symptom} (${sign}): ${cause} → ${remedy}`));
  }
  return checks.some((check) => check.state === "broken") ? 3 : 0;
}

/** Opens the store once, and checks its files as a server's start does. Never rejects. */
async function store(place: string, space: EmbeddingSpace | null) {
  try {
    if (!isDatabase(place)) makeDataFolder(place);
    return await withPorts(openStore(place, { isCommand: true, isChecked: true }), async (opened) => {
      const { waiting, running, parked } = await opened.queue.counts();
      const heads = await opened.missed.recovered(Date.now() - 30 * DAY_MS);
      const figures = await opened.statistics.read({ ms: DAY_MS, repo: null });
      const checks = [
        ok("data", shownPlace(place)),
        (parked > 0 ? note : ok)("queue", `${waiting} waiting, ${running} running, ${parked} parked`),
        ok("missed", `${counted(heads, "missed push", "missed pushes")} recovered (last 30 days)`),
        ...(await memoryChecks(opened, space)),
        ...retrieval(figures),
      ];
      return { checks, figures };
    });
  } catch (error) {
    const fix = isDatabase(place) ? "; check the address and the server" : "";
    return { checks: [broken("data", `${shownPlace(place)}: ${message(error)}${fix}`)], figures: null };
  }
}

function retrieval(figures: RetrievalFigures): readonly Check[] {
  const alerts = retrievalAlerts(figures);
  const searches = counted(figures.count, "search", "searches");
  const text = `${searches} in 24 h, P95 ${Math.round(figures.ms.p95)} ms; see kodiai stats`;
  if (alerts.length === 0) return [ok("retrieval", text)];
  return alerts.map((alert) => note("retrieval", `${alert.text}; ${alert.fix}`));
}

async function server(): Promise<Check[]> {
  if (process.env.APP_ID === undefined) {
    const misspelt = unknownNames(process.env).map((text) => note("variables", text));
    return [ok("server", "not configured (APP_ID is not set): this machine only runs the command line"), ...misspelt];
  }
  const read = readEnv(process.env);
  if ("problems" in read) return read.problems.map((text) => broken("server", text));
  return [await github(read.env), dashboardCheck(read.env), ...(await readinessChecks(read.env))];
}

/** Who can open the dashboard, and where; only a browser can test the callback URL. */
function dashboardCheck({ dashboardToken, dashboardLogin, adminHost, adminPort }: Env): Check {
  if (dashboardToken === null && dashboardLogin === null) {
    const fix = "GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET of the App, or KODIAI_DASHBOARD_TOKEN, open it";
    return note("dashboard", `closed: ${fix}`);
  }
  const token = dashboardToken === null ? [] : [`http://${adminHost}:${adminPort} by its token`];
  const at = dashboardLogin?.origin;
  const login = at === undefined ? [] : [`${at} by GitHub; the App's callback URL must be ${at}${LOGIN_CALLBACK}`];
  return ok("dashboard", [...token, ...login].join(", "));
}

async function github(env: Env): Promise<Check> {
  try {
    const slug = await githubAnswers({ appId: env.appId, privateKey: privateKeyOf(env) }, env.githubApiUrl);
    return ok("github", `${env.githubApiUrl} recognises this App as ${slug}`);
  } catch (error) {
    const fix = "check APP_ID, the private key, the network and the proxy";
    return broken("github", `${env.githubApiUrl}: ${message(error)}; ${fix}`);
  }
}

function reportProblems(checks: readonly Check[]): void {
  const problems = checks.filter(({ state }) => state !== "ok");
  for (const check of problems) console.log(line(check));
  const well = counted(checks.length - problems.length, "check");
  const all = problems.length === 0 ? `no problems: ${well} passed` : `${well} passed`;
  console.log(styleText("dim", `${all}; --all lists them`));
}

const MARK = { ok: ["green", "ok    "], note: ["yellow", "note  "], broken: ["red", "broken"] } as const;

function line({ name, state, text }: Check): string {
  const [color, mark] = MARK[state];
  return `${styleText(color, mark)} ${name.padEnd(10)} ${text}`;
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const SLOW_MS = 500;

/** Problems of memory, shown when the last day's retrievals have their sign. */
const REMEDIES = [
  {
    symptom: "low scores",
    sign: "the average similarity of results is below .6",
    isSeen: ({ byProbability, averageDistance, averageScore, calibrated }: RetrievalFigures) =>
      byProbability === 0 && averageDistance > 0 && averageScore < scoreLimit(calibrated),
    cause: "there are few memories, the embedder changed, or titles and descriptions are uninformative",
    remedy:
      "kodiai memory stats counts memories; import history and index documents; kodiai doctor reports memories of another embedder; kodiai explain shows the query",
  },
  {
    symptom: "slow retrieval",
    sign: "a retrieval takes longer than 500 ms",
    isSeen: ({ ms }: RetrievalFigures) => ms.p50 > SLOW_MS,
    cause: "the embedding service is slow or retries, or the first search of a process reads the index",
    remedy:
      "check the service's latency, use KODIAI_EMBEDDINGS=local, or knowledge.retrieval.method: keyword, which embeds nothing",
  },
  {
    symptom: "irrelevant results",
    sign: "cited comments have nothing to do with the change",
    isSeen: ({ byProbability, averageDistance, calibrated }: RetrievalFigures) =>
      byProbability === 0 && averageDistance > calibrated,
    cause:
      "the threshold is wider than the embedder's own, another repository's memory is shared, or comments are uninformative",
    remedy:
      "set knowledge.retrieval.distanceThreshold to auto or lower it, turn knowledge.sharing.takes off, and look at one memory with kodiai memory show",
  },
  {
    symptom: "cold start",
    sign: "the first review after a start is slower than the next ones",
    isSeen: ({ ms }: RetrievalFigures) => ms.p50 <= SLOW_MS && ms.p99 > SLOW_MS,
    cause: "the index and the embedder load with the first question",
    remedy:
      "warm up: ask for one review by the label kodiai:review after a start; query vectors are kept in memory.db for a day and survive a restart",
  },
];
