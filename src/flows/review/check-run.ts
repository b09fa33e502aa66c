// The check run of a review: begun and ended with it, however it ends. It never stops a review.
import { hasAccess } from "../../domain/command.ts";
import { OutOfReach, TooExpensive, Transient } from "../../domain/errors.ts";
import type { Repo, ReviewJob } from "../../domain/job.ts";
import type { Degraded, Skipped, SkippedCheck } from "../../domain/omissions.ts";
import { type PostedReview, type Review, type Superseded, worstOf } from "../../domain/review.ts";
import { publicErrorText } from "../../domain/text/public-error-text.ts";
import type { CheckStore, Checks } from "../../ports/checks.ts";
import type { Permissions } from "../../ports/conversation.ts";
import type { Reviews } from "../../ports.ts";
import {
  beginCheck,
  type CheckPorts,
  checkEnd,
  endCheck,
  failing,
  leftCheckEnd,
  refuseReview,
  worstOnHead,
} from "../../publish/publish.ts";
import type { ReviewPorts } from "./review-ports.ts";

/** A job's lease, and five minutes: a check that is in progress for longer is not believed. */
const PATIENCE_MS = 15 * 60_000;

type CheckRunPorts = Pick<ReviewPorts, "checks" | "checkStore" | "reviews" | "decisions" | "permissions">;

/** The check run of one job. Where none was begun, ending it does nothing. */
export function checkRun(job: ReviewJob, given: CheckRunPorts, now: () => number) {
  const { key, repo, installationId, number } = job;
  const { checkStore: store, checks, reviews } = given;
  const ports: CheckPorts = { checks, store, isOpenAt: openAt(repo, reviews) };
  const begin = ({ headSha, baseRef, failOn }: CheckPlace) =>
    beginCheck({ key, repo, installationId, headSha, baseRef, failOn }, number, ports, now());
  let doubted: CheckPlace | null = null;
  return {
    /** Never throws; returns what is missing without the check. */
    async begin(place: CheckPlace): Promise<readonly Degraded[]> {
      try {
        await begin(place);
        return [];
      } catch (error) {
        if (error instanceof Transient) doubted = place;
        const refused = "GitHub did not take it; the App needs the permission `checks: write`";
        return [{ part: "check-run", reason: error instanceof Transient ? publicErrorText(error.message) : refused }];
      }
    },
    /** Never throws; `sweepChecks` ends what GitHub did not take. */
    async end(result: PostedReview | Superseded | Skipped): Promise<void> {
      try {
        const missing = toBegin(result);
        // A head that has a check keeps what it says, whichever pull request it is of.
        if (missing !== null && (await store.newest(repo, missing.headSha)) === null) await begin(missing);
        const declined = await declinedNow();
        for (const keptCheck of await toEnd(result, key, store)) {
          const end = keptCheck.end ?? checkEnd(result, keptCheck.failOn, declined);
          const isEvaded = result.kind === "skipped" && keptCheck.end === null && (await isByAuthor(result));
          await endCheck(
            keptCheck,
            isEvaded ? failing(end, keptCheck.failOn) : end,
            ports,
            now(),
            result.kind === "posted",
          );
        }
      } catch {
        // Decided and not sent, or not even decided: the sweep finds it.
      }
    },
    /** Computes it again from the review that stands, if that would change it. Never throws. */
    async again(review: Review, place: CheckPlace): Promise<void> {
      try {
        const posted = {
          kind: "posted",
          review,
          reviewUrl: null,
          summaryUrl: null,
          findings: review.findings,
        } as const;
        const end = checkEnd(posted, place.failOn, await declinedNow());
        const own = await store.on(key, place.headSha);
        if (own?.isOpen === false && own.baseRef === place.baseRef) await store.judge(own.id, end.conclusion);
        const shown = await store.newest(repo, place.headSha);
        const worst = await worstOnHead({ key, repo, ...place }, ports);
        const due = worst === null ? end.conclusion : worstOf([end.conclusion, worst.conclusion]);
        const isShown = shown?.isOpen === true || shown?.conclusion === due;
        if (own?.baseRef === place.baseRef && isShown) return;
        await endCheck(await begin(place), end, ports, now(), true);
      } catch {
        // The sweep ends what was begun; the next event computes the rest again.
      }
    },
  };

  async function declinedNow(): Promise<ReadonlySet<string>> {
    const { declined } = (await given.decisions?.of(key)) ?? { declined: [] };
    return new Set(declined.filter(({ isWriter }) => isWriter).map(({ findingId }) => findingId));
  }

  /** Whether people without write access can prevent a review: that opens no gate. */
  async function isByAuthor({ isStopped, check }: Skipped): Promise<boolean> {
    const author = check?.author ?? null;
    return isStopped === true || (author !== null && !(await mayWrite(repo, author, given.permissions)));
  }

  function toBegin(result: PostedReview | Superseded | Skipped): CheckPlace | null {
    if (result.kind === "posted") return doubted?.headSha === result.review.headSha ? doubted : null;
    return result.kind === "skipped" ? (result.check ?? null) : null;
  }
}

type CheckPlace = Pick<SkippedCheck, "headSha" | "baseRef" | "failOn">;

/** A pull request that GitHub does not answer for counts as open: its verdict stands. */
function openAt(repo: Repo, reviews: Pick<Reviews, "head">): CheckPorts["isOpenAt"] {
  return async (key, headSha) => {
    try {
      const { state, sha } = await reviews.head(repo, Number(key.slice(key.lastIndexOf("#") + 1)));
      return state === "open" && sha === headSha;
    } catch (error) {
      return !(error instanceof OutOfReach && error.why === "missing");
    }
  };
}

/** @param permissions null where a person asks at a terminal: nothing is guarded there */
export async function mayWrite(
  repo: Repo,
  person: { readonly id: number; readonly login: string },
  permissions: Permissions | null,
): Promise<boolean> {
  return permissions === null || hasAccess(await permissions.of(repo, person), "write");
}

/** Whether people may write to a repository; for `admit`. */
export function writersOf(repo: Repo, { permissions }: Pick<ReviewPorts, "permissions">) {
  return (person: { readonly id: number; readonly login: string }) => mayWrite(repo, person, permissions);
}

export type CheckRun = ReturnType<typeof checkRun>;

async function toEnd(result: PostedReview | Superseded | Skipped, key: string, store: CheckStore) {
  if (result.kind !== "posted") return store.open(key);
  // Also one that ended before its time, as "still under way".
  const own = await store.on(key, result.review.headSha);
  return own === null ? [] : [{ ...own, end: null }];
}

/** What became of a check run that no job would have ended. */
export interface SweptCheck {
  readonly id: number;
  readonly key: string;
  readonly installationId: number;
  /** `refused`: not now, until a permission is back or the installation is no longer suspended. */
  readonly outcome: "ended" | "later" | "refused" | "given up";
  readonly error: unknown;
}

/**
 * Ends check runs that were left behind: by a dead process, a failed job, a review that takes too
 * long.
 *
 * @param checksOf access to the check runs of one repository
 * @param now epoch milliseconds
 * @param refusing keys of pull requests that need not be tried now
 */
export async function sweepChecks(
  store: CheckStore,
  checksOf: (installationId: number, repo: Repo) => Checks,
  now: number,
  refusing: ReadonlySet<string>,
): Promise<readonly SweptCheck[]> {
  const swept: SweptCheck[] = [];
  for (const check of await store.left(now, PATIENCE_MS)) {
    const { id, key, installationId, repo } = check;
    if (refusing.has(key)) continue;
    // Nobody is asked here: what may stand stands.
    const ports = { store, checks: checksOf(installationId, repo), isOpenAt: () => Promise.resolve(true) };
    const end = check.end ?? leftCheckEnd(check.why, check.failOn);
    const done = await attempted(() => endCheck(check, end, ports, now));
    if (done.outcome === "given up") await store.ended(id, now);
    swept.push({ id, key, installationId, ...done });
  }
  return swept;
}

/** Ends a post, or says what becomes of one that GitHub did not let us end. */
async function attempted(end: () => Promise<unknown>): Promise<Pick<SweptCheck, "outcome" | "error">> {
  try {
    await end();
    return { outcome: "ended", error: null };
  } catch (error) {
    if (error instanceof Transient) return { outcome: "later", error };
    const isRefused = error instanceof OutOfReach && error.why !== "missing";
    return { outcome: isRefused ? "refused" : "given up", error };
  }
}

/** Says on the pull request that its review failed for good. Never rejects: GitHub may be down. */
export async function noteFailure(
  { repo, number }: Pick<ReviewJob, "repo" | "number">,
  { reviews }: Pick<ReviewPorts, "reviews">,
): Promise<void> {
  const why = "the review failed and is not tried again; the operator's log has the cause";
  await refuseReview(repo, number, why, reviews).catch(() => {});
}

/**
 * Says that the change is too expensive to read; a check run that may fail fails.
 *
 * @throws TooExpensive when it is said, which parks the job; Transient when GitHub refuses it now
 */
export async function giveUpReview(job: ReviewJob, ports: ReviewPorts): Promise<never> {
  const { key, repo, number } = job;
  const { checks, checkStore: store, reviews, now } = ports;
  const tooExpensive = new TooExpensive();
  const check = { checks, store, isOpenAt: openAt(repo, reviews) };
  for (const keptCheck of await store.open(key))
    await endCheck(keptCheck, leftCheckEnd("too-expensive", keptCheck.failOn), check, now());
  await refuseReview(repo, number, tooExpensive.message, reviews);
  throw tooExpensive;
}
