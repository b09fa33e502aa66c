// What happened, in order, kept outside the system under test: an append-only list and a file of
// one JSON line each.
import { appendFileSync } from "node:fs";

/** `OWNER/NAME#NUMBER`. */
export type PullName = string;

/** Milliseconds since the epoch, on the harness's clock. */
type At = { readonly at: number };

export type HistoryEvent =
  /** One attempt to hand a delivery over, with the server's answer; null when there was none. */
  | (At & {
      readonly kind: "delivered";
      readonly guid: string;
      /** The GUID of the first delivery of the same event; null for the first. */
      readonly sameAs: string | null;
      readonly event: string;
      readonly action: string | null;
      readonly pull: PullName | null;
      readonly status: number | null;
    })
  /** People did something on GitHub. The head and state are those after it. */
  | (At & {
      readonly kind: "act";
      readonly what: string;
      readonly pull: PullName;
      readonly head: string;
      readonly state: "open" | "closed" | "removed";
    })
  /** A request to GitHub; `at` is its arrival. */
  | (At & {
      readonly kind: "request";
      /** Whose token it carried; null for the app's own. */
      readonly installation: number | null;
      /** QUERY for a question by GraphQL, which is sent by POST. */
      readonly method: string;
      readonly path: string;
      readonly pull: PullName | null;
      /** The head that a write is about, as far as it says: 40 or 7 hex digits. */
      readonly head: string | null;
      /** What the client saw; 0 when its connection was cut. */
      readonly status: number;
      /** Whether GitHub did what was asked. */
      readonly applied: boolean;
      /** What the harness did to it. */
      readonly fault: string | null;
      /** Which of several has sent it; absent where there is one. */
      readonly process?: number;
    })
  /** GitHub asked an installation to wait: the process that sent the request, each time. */
  | (At & {
      readonly kind: "limited";
      readonly installation: number;
      readonly until: number;
      readonly process?: number;
    })
  /**
   * What became of the server process. `stopped` and `continued` are SIGSTOP and SIGCONT; of
   * `worker killed` it learns itself.
   */
  | (At & {
      readonly kind: "process";
      readonly what:
        | "started"
        | "listening"
        | "killed"
        | "terminated"
        | "exited"
        | "stopped"
        | "continued"
        | "worker killed";
      readonly where: string | null;
      readonly code?: number | null;
      /** Which of several; absent where there is one. */
      readonly process?: number;
    })
  /** Somebody else held the database's write lock, or its disk was full. */
  | (At & {
      readonly kind: "trouble";
      readonly what: string;
      readonly until: number;
      /** Jobs that ran when it began, if they were counted. */
      readonly running?: number;
    })
  /** People did something to repositories as such; OWNER/NAME as it is then. */
  | (At & {
      readonly kind: "upheaval";
      readonly what: string;
      readonly where: string;
      readonly repositories: readonly string[];
    })
  /**
   * Somebody set a clock on the wall: by how much it is off now, and how many jobs of its server
   * ran.
   */
  | (At & {
      readonly kind: "clock";
      readonly offsetMs: number;
      readonly stepMs: number;
      readonly running: number;
      readonly process?: number;
    })
  /**
   * Somebody was slow, and was let go after so many milliseconds: at the public port, or GitHub
   * with an answer.
   */
  | (At & {
      readonly kind: "slow";
      readonly where: "ingress" | "github";
      readonly how: string;
      readonly ms: number;
      readonly process?: number;
    })
  /** Bytes that left the server, by whom they reached, and which canaries were among them. */
  | (At & {
      readonly kind: "sent";
      /** A second reading is a question to the model too. */
      readonly to: "model" | "second reading" | "embeddings" | "github";
      readonly bytes: number;
      /** The repository that a write to GitHub is about: OWNER/NAME. */
      readonly repository: string | null;
      readonly canaries: readonly string[];
      /** Whether the answer was given whole. */
      readonly answered: boolean;
    })
  /** A canary in a log or a file. */
  | (At & { readonly kind: "found"; readonly canary: string; readonly where: string })
  /** Somebody answered a finding of ours. */
  | (At & { readonly kind: "feedback"; readonly what: "thumb" | "reply" | "resolve"; readonly pull: PullName })
  /** The server opened a connection. */
  | (At & { readonly kind: "connected"; readonly host: string })
  /** How the server was doing. */
  | (At & {
      readonly kind: "sample";
      readonly rssMiB: number;
      readonly healthMs: number | null;
      readonly process?: number;
    })
  /**
   * A job that a kill interrupted has come to its end, so many milliseconds after the server was
   * killed.
   */
  | (At & { readonly kind: "recovered"; readonly job: string; readonly ms: number });

type Of<Kind extends HistoryEvent["kind"]> = Extract<HistoryEvent, { readonly kind: Kind }>;

export interface History {
  readonly all: readonly HistoryEvent[];
  note(happening: HistoryEvent): void;
}

/** @param file appended to, one JSON line a happening; null keeps it in memory only */
export function openHistory(file: string | null): History {
  const all: HistoryEvent[] = [];
  return {
    all,
    note(happening) {
      all.push(happening);
      if (file !== null) appendFileSync(file, `${JSON.stringify(happening)}\n`);
    },
  };
}

/** The happenings of one kind, in order. */
export function ofKind<Kind extends HistoryEvent["kind"]>(
  all: readonly HistoryEvent[],
  kind: Kind,
): readonly Of<Kind>[] {
  return all.filter((one): one is Of<Kind> => one.kind === kind);
}
