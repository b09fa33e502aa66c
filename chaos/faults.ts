// Which kinds of trouble a run makes, and how often.

export const FAULTS = {
  kill: "kill -9 at random moments and at named points of the way",
  term: "SIGTERM now and then in place of a kill",
  stop: "SIGSTOP for seconds, of several processes also for longer than a lease, then SIGCONT",
  lock: "another process holds the lock of the database, or of its table of jobs, for seconds",
  disk: "the disk is full for seconds (a tmpfs of its own, which needs the right to mount; or --small-disk DIR)",
  clock:
    "the clock on the wall is set by ten minutes or an hour, forth and back, while jobs run (libfaketime, or Date alone)",
  http: "GitHub answers 502, resets, hangs, breaks off, or sends a byte now and then, before it has done anything",
  lost: "GitHub does what was asked and the answer is lost (502, reset, broken off)",
  limit: "GitHub asks an installation to wait",
  refuse:
    "GitHub refuses in its other words: writes that were submitted too quickly, limits with 200 by GraphQL, a diff that is not made yet, a file whose diff is too large, 301 for a write",
  permission: "a permission of the App is taken for seconds and given back; in one installation it stays away",
  feedback: "people press thumbs at findings, answer them and resolve their threads",
  lag: "what was just written is missing from lists for up to three seconds",
  redirect: "GitHub answers reads with 301 to the same repository by its id",
  duplicate: "deliveries arrive more than once, also at the same time, also under a new GUID",
  reorder: "deliveries overtake one another",
  delay: "deliveries arrive seconds late",
  drop: "deliveries are never sent, and GitHub's log does not know them",
  model: "the model and the embeddings server fail, hang, babble or attack",
  backends: "an administrator ends the sessions of the database again and again (Postgres)",
  cut: "connections to the database are cut (Postgres)",
  swallow: "connections to the database are half-open: no byte arrives, without an error (Postgres)",
  full: "the database takes no further connection for seconds (Postgres)",
  slow: "what travels to the database and back is delayed (Postgres)",
  restart: "the database server ends at once and starts again (Postgres, of the harness's own)",
  people: "repositories are renamed, handed over and taken out, the App is switched off for a while and taken away",
  loris: "strangers hold the public port: headers and bodies a byte at a time, and connections that say nothing",
  push: "a person pushes, closes or reopens while a review of that pull request is being written or sent",
} as const;

export type Fault = keyof typeof FAULTS;

/** Without what needs special equipment, and without what only reconciling can fix. */
export const USUAL_FAULTS: ReadonlySet<Fault> = new Set<Fault>([
  "kill",
  "term",
  "stop",
  "lock",
  "disk",
  "clock",
  "people",
  "loris",
  "http",
  "lost",
  "limit",
  "refuse",
  "permission",
  "feedback",
  "lag",
  "redirect",
  "duplicate",
  "reorder",
  "delay",
  "model",
  "push",
  "backends",
  "cut",
  "swallow",
  "full",
  "slow",
  "restart",
]);

/**
 * @param text names separated by commas; `-name` takes one away from the usual ones, `+name` adds
 * one, `none` and `all` are sets
 * @throws Error naming the word that is no fault
 */
export function readFaults(text: string): ReadonlySet<Fault> {
  const words = text.split(",").filter((word) => word !== "");
  const isChange = words.every((word) => /^[-+]/.test(word));
  const chosen = new Set<Fault>(isChange ? USUAL_FAULTS : []);
  for (const word of words) {
    const name = word.replace(/^[-+]/, "");
    if (name === "none") continue;
    if (name === "all") for (const fault of Object.keys(FAULTS)) chosen.add(fault as Fault);
    else if (!(name in FAULTS))
      throw new Error(`no fault is called ${name}; there are ${Object.keys(FAULTS).join(", ")}`);
    else if (word.startsWith("-")) chosen.delete(name as Fault);
    else chosen.add(name as Fault);
  }
  return chosen;
}

/** Trouble that stops when the run wants quiet. */
export interface ActiveFaults {
  readonly faults: ReadonlySet<Fault>;
  isCalm: boolean;
  /**
   * The servers that run are not ended any more: what they miss is looked for when one starts, and
   * then every ten minutes.
   */
  isLastLife?: boolean;
}

export function happens({ faults, isCalm, isLastLife }: ActiveFaults, fault: Fault): boolean {
  if (isLastLife === true && fault === "people") return false;
  return !isCalm && faults.has(fault);
}
