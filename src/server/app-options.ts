// What the app is started with, and what whoever started it holds in return.
import type { Logger } from "pino";
import type { Embeddings } from "../config/read-embeddings.ts";
import type { ModelChoice } from "../config/read-model.ts";
import type { RerankerChoice } from "../config/read-reranker.ts";
import type { ShownVariable } from "../config/shown-variables.ts";
import type { Inspector } from "../ports.ts";
import type { LoginChoice } from "../wire/dashboard.ts";
import type { chosenEmbedder } from "../wire/models.ts";
import type { MemorySettings } from "../wire/store.ts";
import type { MissedChoice } from "./missed-sweeper.ts";
import type { PullJob } from "./run-job.ts";
import type { FormerSecret } from "./verify-signature.ts";

export interface AppOptions {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** The secret before that one while it is still taken; null or absent: there is none. */
  readonly formerSecret?: FormerSecret | null;
  readonly webhookPath: string;
  /** `github.com`, or the host of a GitHub Enterprise Server. */
  readonly githubHost: string;
  /** `https://api.github.com`, or `https://HOST/api/v3`. */
  readonly apiUrl: string;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Where questions about the process are answered; null or absent: nowhere. */
  readonly admin?: { readonly host: string; readonly port: number } | null;
  /** What opens the dashboard there; null or absent: it is closed. */
  readonly dashboardToken?: string | null;
  /** Opens it for people whom GitHub names, where they may write; null or absent: it does not. */
  readonly dashboardLogin?: LoginChoice | null;
  /** The environment as the dashboard shows it; null or absent: it was not started by one. */
  readonly variables?: readonly ShownVariable[] | null;
  readonly dataDir: string;
  /** `postgres://…`: everything is kept there; null or absent: in dataDir. */
  readonly databaseUrl?: string | null;
  readonly reviewerLogin: string | null;
  /** Jobs of different pull requests that may run at a time. */
  readonly workers: number;
  /** What searching may hold in memory; null or absent: by what the machine has. */
  readonly searchMemoryBytes?: number | null;
  /** What turns text into vectors for the memory. */
  readonly embeddings: Embeddings;
  /** Null: rules and memory review alone. */
  readonly model: ModelChoice | null;
  /** What puts found memories into a better order. */
  readonly reranker: RerankerChoice;
  /** False: a push does not wait for the next one; in tests only. */
  readonly debounce?: boolean;
  /** How long a pull request is left alone between two looks at what people did; other than an hour in tests only. */
  readonly feedbackAfterMs?: number;
  /** Other times for finding what nobody told us of, or not at all; in tests only. */
  readonly missed?: MissedChoice;
  /** Write reviews and post nothing. */
  readonly dryRun: boolean;
  /** Space out writes as GitHub asks; off in tests only. */
  readonly pace: boolean;
  /** Other waits than the documented ones, in milliseconds; in tests only. */
  readonly waits?: Waits;
  /** Other limits than the documented ones; in tests only. */
  readonly memory?: MemorySettings;
  readonly embeddingLimits?: Parameters<typeof chosenEmbedder>[1];
  /** Instead of rules in a process of their own, which takes a second to start; in tests only. */
  readonly inspector?: Inspector & { close?(): void };
  /** Aborted: nobody wants it to start any more. */
  readonly unwanted?: AbortSignal;
  readonly log: Logger;
  /** Told what each room hands on; the demo prints it. */
  readonly onStep?: (job: PullJob, room: string, value: unknown, ms: number) => void;
}

export interface Waits {
  /** Between two signs of life. */
  readonly beatMs?: number;
  /** How long another process may give none. */
  readonly silentMs?: number;
  /** After so long a write to GitHub has arrived, or never will. */
  readonly settledMs?: number;
  /** For GitHub's answer to one request. */
  readonly deadlineMs?: number;
  /** Between two looks at the files of the store. */
  readonly verifyMs?: number;
  /** How long running jobs may go on when the process is stopped. */
  readonly drainMs?: number;
}

export interface RunningApp {
  readonly url: string;
  /** Null when nothing is answered there. */
  readonly adminUrl: string | null;
  /** Answers deliveries with 503, lets running jobs end (at most 22 s), stops listening and closes the store. */
  close(): Promise<void>;
}
