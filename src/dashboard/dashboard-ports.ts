// What the dashboard may ask of the world: to read, and the few acts that change something.
import type { DecidePorts } from "../flows/people/weigh-evidence.ts";
import type { MemoryFigures, WorkFigures } from "../ports/dashboard.ts";
import type { HistoryStore } from "../ports/history.ts";
import type { JobAdmin } from "../ports/jobs.ts";
import type { EndedSessions, GitHubLogin, Visitor, VisitorWithToken } from "../ports/login.ts";
import type { Embedder, Memory, Recall, RepositoryLabels, RetrievalLog, RetrievalStatistics } from "../ports/memory.ts";
import type { PastRejections } from "../ports/rejections.ts";

export type { VisitorWithToken };

/** What opens the dashboard; without both it is closed. */
export interface Access {
  /** Of the operator, who sees everything. */
  readonly token: string | null;
  /** Of the App: with the token it seals sessions. */
  readonly clientSecret: string | null;
  /** For people who may write to a repository, who see those. */
  readonly github: GitHubLogin | null;
}

export interface Health {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  /** Why there is no memory; null when there is. */
  readonly memoryProblem: string | null;
}

export interface DashboardPorts {
  /** Whom GitHub named; null for the operator. */
  readonly viewer: Visitor | null;
  readonly work: WorkFigures;
  readonly jobs: JobAdmin;
  readonly statistics: RetrievalStatistics;
  readonly history: Pick<HistoryStore, "of">;
  /** Null where memory could not be opened. */
  readonly memory: MemoryShown | null;
  readonly health: () => Promise<Health>;
  /** Something may run now. */
  readonly wake: () => void;
  /** What addresses on GitHub begin with, and where its pages are. */
  readonly github: { readonly host: string; readonly webUrl: string };
  /** The model that reads changes; null for none. */
  readonly model: string | null;
  readonly version: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly endedSessions: EndedSessions;
  /** Names a session: hard to guess. */
  readonly random: () => string;
  readonly onError: (error: unknown) => void;
}

export interface MemoryShown {
  readonly figures: MemoryFigures;
  readonly labels: Pick<RepositoryLabels, "all">;
  readonly memory: Memory;
  readonly recall: Recall;
  readonly embedder: Embedder;
  /** Never rejects. */
  readonly retrievals: RetrievalLog;
  readonly declined: PastRejections;
  /** Declines findings, and takes declines back. */
  readonly deciding: DecidePorts;
}
