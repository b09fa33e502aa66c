// Options of startApp, and the handle that it returns.
import type { Logger } from "pino";
import type { Env } from "../config/environment/env.ts";
import type { Inspector } from "../ports.ts";
import type { chosenEmbedder } from "../wire/models.ts";
import type { StoreSettings } from "../wire/store.ts";
import type { PullJob } from "./run-job.ts";
import type { MissedChoice } from "./sweeps/missed-sweeper.ts";

type OfEnvironment = Pick<
  Env,
  "appId" | "webhookSecret" | "webhookPath" | "githubHost" | "dataDir" | "reviewerLogin" | "workers" | "dryRun"
> &
  Pick<Env, "embeddings" | "model" | "reranker"> &
  Partial<Pick<Env, "formerSecret" | "dashboardToken" | "dashboardLogin" | "databaseUrl" | "searchMemoryBytes">>;

export interface AppOptions extends OfEnvironment {
  /** PEM. */
  readonly privateKey: string;
  /** `https://api.github.com`, or `https://HOST/api/v3`. */
  readonly apiUrl: string;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Address of the admin server; null or absent: none. */
  readonly admin?: { readonly host: string; readonly port: number } | null;
  /** False: pushes are not debounced; in tests only. */
  readonly debounce?: boolean;
  /** Time between two feedback checks of a pull request; other than an hour in tests only. */
  readonly feedbackAfterMs?: number;
  /** Other times of the missed-event sweep, or "off"; in tests only. */
  readonly missed?: MissedChoice;
  /** Spaces out writes as GitHub asks; off in tests only. */
  readonly pace: boolean;
  /** Overrides of the documented waits, in milliseconds; in tests only. */
  readonly waits?: Waits;
  /** Overrides of the documented limits; in tests only. */
  readonly memory?: StoreSettings;
  readonly embeddingLimits?: Parameters<typeof chosenEmbedder>[1];
  /** Runs jobs in this process. Absent: only where a function here cannot be sent to a worker. */
  readonly inProcess?: boolean;
  /** Replaces the rules' process, which takes a second to start; in tests only. */
  readonly inspector?: Inspector & { close?(): void };
  readonly unwanted?: AbortSignal;
  readonly log: Logger;
  /** Called with the output of each stage; the demo prints it. */
  readonly onStep?: (job: PullJob, stage: string, value: unknown, ms: number) => void;
}

interface Waits {
  readonly beatMs?: number;
  /** A process without a heartbeat for so long is taken for dead. */
  readonly silentMs?: number;
  /** After so long, a write to GitHub has either arrived or never will. */
  readonly settledMs?: number;
  readonly deadlineMs?: number;
  readonly verifyMs?: number;
  readonly drainMs?: number;
  /** Processor time and wall time that a job may take before its process is ended. */
  readonly processorMs?: number;
  readonly wallMs?: number;
}

export interface RunningApp {
  readonly url: string;
  readonly adminUrl: string | null;
  /** Answers 503, lets running jobs end (at most 22 s), stops listening and closes the store. */
  close(): Promise<void>;
}
