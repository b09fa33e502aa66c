// kodiai jobs: lists, retries and drops jobs. Servers may be running.
import { UsageError } from "../../config/usage-error.ts";
import { shownPlace, storePlace } from "../../environment/data-dir.ts";
import type { JobAdmin, JobState, KeptJob } from "../../ports/jobs.ts";
import { openForReading } from "../../wire/cli/store.ts";
import { terminalText } from "../terminal-text.ts";
import { type ExitCode, noMore, oneOf, printed, verb, withPorts } from "../usage.ts";

const ACTIONS = ["ls", "retry", "drop"] as const;
const STATES = ["waiting", "running", "parked", "done", "superseded", "cancelled"] as const;
const SHOWN: readonly JobState[] = ["waiting", "running", "parked"];
const MOST = 1_000;

/** @returns 0 @throws UsageError; Error when a job cannot be retried or dropped */
export const jobs = verb("jobs", Number.POSITIVE_INFINITY, async (values, [word = "ls", ...ids]) => {
  const verb = ACTIONS.find((action) => action === word);
  if (verb === undefined) throw new UsageError(`jobs takes ls, retry ID or drop ID; not ${JSON.stringify(word)}`);
  const states = values.state === undefined ? SHOWN : [oneOf("state", values.state, STATES)];
  const place = storePlace(values["data-dir"]);
  return withPorts(openForReading(place), async (store) => {
    if (store === null)
      throw new Error(`${shownPlace(place)}/queue.db not found: no server has used this data directory`);
    const admin = store.jobs;
    if (verb === "ls") {
      noMore(ids);
      const found = (await admin.list(states, MOST)).map(shownOf);
      return printed(values, { jobs: found }, () => found.map(line).join("\n") || "no jobs");
    }
    return move(admin, verb, await idsOf(verb, ids, values.all === true, admin));
  });
});

async function move(admin: JobAdmin, verb: "retry" | "drop", ids: readonly number[]): Promise<ExitCode> {
  for (const id of ids) {
    const change = await (verb === "retry" ? admin.retry(id) : admin.drop(id, "dropped by the operator"));
    if (change.kind === "refused") throw new Error(`job ${id}: ${change.reason}`);
    console.log(verb === "retry" ? `job ${id} is queued again` : `job ${id} is dropped`);
  }
  return 0;
}

/** --all applies to parked jobs only. */
async function idsOf(name: string, [word, ...more]: readonly string[], isAll: boolean, admin: JobAdmin) {
  if (isAll && word === undefined) return (await admin.list(["parked"], MOST)).map(({ id }) => id);
  if (isAll || more.length > 0 || !/^[1-9]\d{0,14}$/.test(word ?? ""))
    throw new UsageError(`jobs ${name} takes the ID of one job, or --all`);
  return [Number(word)];
}

function line({ id, state, what, age, due, outcome }: ReturnType<typeof shownOf>): string {
  const when = due === null ? `${age} old` : `in ${due}`;
  const text = `${String(id).padStart(6)}  ${state.padEnd(10)} ${when.padEnd(10)} ${what}`;
  return terminalText((outcome === null ? text : `${text}  ${outcome}`).replaceAll("\n", " "));
}

/** For people and programs: the job's metadata, without text by others. */
function shownOf({ id, lane, state, job, attempt, deaths, dueInMs, ageMs, outcome }: KeptJob) {
  const { repo, key, delivery } = job;
  const name = repo.name === "" ? `${repo.host}/${repo.id}` : `${repo.owner}/${repo.name}`;
  const kind = job.kind === "command" && job.command.kind === "verb" ? job.command.verb : job.kind;
  const what = `${kind} ${name}${"number" in job ? `#${job.number}` : ""}`;
  const head = job.kind === "review" ? job.headSha : null;
  const due = dueInMs === null ? null : duration(dueInMs);
  const age = duration(ageMs);
  return { id, state, lane, what, head, key, delivery, attempt, deaths, due, age, outcome };
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

/** `3d`, `5h`, `12m`, `8s`. */
function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? ["s", 1_000];
  return `${Math.round(ms / size)}${unit}`;
}
