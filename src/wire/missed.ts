// Joins what finds missed events to its ports.
import { setTimeout as wait } from "node:timers/promises";
import { githubDeliveryLog } from "../adapters/github/delivery-log.ts";
import { githubOpenPulls } from "../adapters/github/open-pulls.ts";
import type { AddReview } from "../ports/missed.ts";
import type { MissedPorts } from "../server/missed-sweeper.ts";
import type { WiredGitHub } from "../wire.ts";
import type { Store } from "./store.ts";

/** At most 600 of GitHub's 900 points a minute: a GET is one, a POST five. */
const READ_PACE_MS = 100;
const WRITE_PACE_MS = 350;
/** @param host `github.com`, or the host of a GitHub Enterprise Server */
export function missedPorts(github: WiredGitHub, store: Store, host: string, add: AddReview): MissedPorts {
  const { app, clients, pace } = github;
  return {
    log: githubDeliveryLog(app),
    pulls: githubOpenPulls({ app, clients, host, paceMs: pace ? READ_PACE_MS : 0 }),
    book: store.missed,
    add,
    now: Date.now,
    pause: () => (pace ? wait(WRITE_PACE_MS) : Promise.resolve()),
  };
}
