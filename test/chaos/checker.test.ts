// The checker is shown runs that went well and runs that broke each promise, made by hand: it tells
// them apart.
import { describe, expect, test } from "vitest";
import { BOUNDS, type Broken, check, type InvariantId } from "../../chaos/checker.ts";
import { failureTrace } from "../../chaos/failure-trace.ts";
import type { GroundTruth, PullTruth } from "../../chaos/ground-truth.ts";
import type { HistoryEvent } from "../../chaos/history.ts";

const OLD = "1f3a9c2e".padEnd(40, "0");
const HEAD = "7b60de41".padEnd(40, "0");
const PULL = "acme/shop#7";
const VAULT = "vaultacme1q77";
const TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

const opened = delivery(1_000, "guid-opened", "opened", 202);
const act = (at: number, what: string, head = HEAD, state: "open" | "closed" | "removed" = "open"): HistoryEvent => {
  return { kind: "act", at, what, pull: PULL, head, state };
};
function delivery(
  at: number,
  guid: string,
  action: string,
  status: number | null,
  sameAs: string | null = null,
): HistoryEvent {
  return { kind: "delivered", at, guid, sameAs, event: "pull_request", action, pull: PULL, status };
}
function write(at: number, method: string, tail: string, head: string | null = HEAD, more: object = {}): HistoryEvent {
  const path = `/repos/acme/shop/${tail}`;
  const done = { status: 201, applied: true, fault: null };
  return { kind: "request", at, installation: 1001, method, path, pull: PULL, head, ...done, ...more };
}
function sent(
  to: "model" | "embeddings" | "github",
  canaries: readonly string[],
  repository: string | null = null,
  answered = false,
): HistoryEvent {
  return { kind: "sent", at: 5_000, to, bytes: 100, repository, canaries, answered };
}

const GOOD: readonly HistoryEvent[] = [
  act(900, "opened"),
  opened,
  write(3_000, "POST", "issues/7/comments"),
  write(6_000, "POST", "pulls/7/reviews"),
  { kind: "connected", at: 900, host: "127.0.0.1:4000" },
  { kind: "sample", at: 4_000, rssMiB: 210, healthMs: 12 },
  sent("model", [VAULT], null, true),
  sent("github", [VAULT], "acme/shop"),
];

const REVIEWED: PullTruth = {
  pull: PULL,
  state: "open",
  head: HEAD,
  isAsked: true,
  isSpokenTo: false,
  reviews: [{ id: 1, head: HEAD }],
  summaries: [{ id: 2, heads: [HEAD.slice(0, 7)] }],
  isSilent: false,
  comments: [{ id: 3, finding: "tls-verify-disabled in src/a.py", head: HEAD }],
  answers: [],
  openChecks: 0,
  isRefused: false,
  feedback: [],
};

const TRUTH: GroundTruth = {
  pulls: [REVIEWED],
  inbox: new Set(["guid-opened"]),
  open: [],
  ends: [{ pull: PULL, head: HEAD, end: "posted", reason: "posted" }],
  allowedHosts: new Set(["127.0.0.1:4000"]),
  canaries: new Map([
    [VAULT, "acme/shop"],
    ["vaultacme2q12", "acme/bank"],
    [TOKEN, "secret"],
  ]),
  workers: 2,
  violations: [],
};

const pull = (over: Partial<PullTruth>): Partial<GroundTruth> => ({ pulls: [{ ...REVIEWED, ...over }] });

/** What breaks when this happens as well, on this ground truth. */
function broken(more: readonly HistoryEvent[], truth: Partial<GroundTruth> = {}): readonly Broken[] {
  const history = [...GOOD, ...more].toSorted((a, b) => a.at - b.at);
  return check(history, { ...TRUTH, ...truth });
}
const ids = (found: readonly Broken[]): readonly InvariantId[] => found.map(({ invariant }) => invariant);

test("a run in which all went well breaks nothing", () => {
  expect(broken([])).toEqual([]);
});

describe("what is lost", () => {
  test("an accepted delivery that is not in the inbox", () => {
    const found = broken([delivery(2_000, "guid-lost", "synchronize", 202)]);
    expect(found).toEqual([
      {
        invariant: "I1",
        what: "pull_request.synchronize guid-lost was answered 202 and is not in the inbox",
        pull: PULL,
      },
    ]);
  });

  test("not one that was refused or unanswered", () => {
    const refused = [
      delivery(2_000, "guid-503", "synchronize", 503),
      delivery(2_100, "guid-dead", "synchronize", null),
    ];
    expect(broken(refused)).toEqual([]);
  });

  test("not a second GUID of the same happening, whichever of the two is kept", () => {
    expect(broken([delivery(2_000, "guid-twin", "opened", 202, "guid-opened")])).toEqual([]);
    const twin = [delivery(2_000, "guid-twin", "opened", 202, "guid-opened")];
    expect(broken(twin, { inbox: new Set(["guid-twin"]) })).toEqual([]);
    expect(ids(broken(twin, { inbox: new Set() }))).toEqual(["I1", "I1"]);
  });
});

describe("the last head", () => {
  const parked = { pull: PULL, head: HEAD, end: "parked", reason: "gave up after 6 attempts" } as const;

  test("without any end, given up, or left open", () => {
    expect(ids(broken([], { ends: [] }))).toEqual(["I2"]);
    expect(broken([], { ends: [parked] })[0]?.what).toBe(
      "the last head 7b60de4 has no review (parked: gave up after 6 attempts)",
    );
    const open = [{ id: "4", pull: PULL, isRunning: false, attempt: 3, token: 3 }];
    expect(broken([], { open })[0]?.what).toBe("a job of it is still open, at attempt 3");
  });

  test("of which only an older one was reviewed", () => {
    const ends = [{ pull: PULL, head: OLD, end: "posted", reason: "" }] as const;
    expect(broken([], { ends })[0]?.what).toBe("the last head 7b60de4 has no review (ends are known of 1f3a9c2)");
  });

  test("that counts as posted although no summary mentions it, or with two ends, or with a check run that never ends", () => {
    expect(ids(broken([], pull({ summaries: [{ id: 2, heads: [OLD.slice(0, 7)] }] })))).toEqual(["I2"]);
    expect(ids(broken([], { ends: [...TRUTH.ends, ...TRUTH.ends] }))).toEqual(["I2"]);
    expect(ids(broken([], pull({ openChecks: 1 })))).toEqual(["I2"]);
  });

  test("that a 👍 alone is about, which is an outcome only where no summary stands", () => {
    const silent = { reviews: [], comments: [], isSilent: true };
    expect(broken([], pull({ ...silent, summaries: [] }))).toEqual([]);
    expect(ids(broken([], pull({ ...silent, summaries: [{ id: 2, heads: [OLD.slice(0, 7)] }] })))).toEqual(["I2"]);
  });

  test("asks for nothing if the pull request is closed or needs no review", () => {
    expect(broken([act(9_000, "close", HEAD, "closed")], { ...pull({ state: "closed" }), ends: [] })).toEqual([]);
    const unasked = pull({ isAsked: false, reviews: [], summaries: [], comments: [] });
    expect(broken([], { ...unasked, ends: [] })).toEqual([]);
  });
});

describe("duplicates", () => {
  test.each<readonly [string, Partial<PullTruth>]>([
    ["2 times the review of 7b60de4", { reviews: [1, 2].map((id) => ({ id, head: HEAD })) }],
    ["2 times the summary of the pull request", { summaries: [1, 2].map((id) => ({ id, heads: [HEAD] })) }],
    [
      "3 times the comment on sql in a.py at 7b60de4",
      { comments: [1, 2, 3].map((id) => ({ id, finding: "sql in a.py", head: HEAD })) },
    ],
    ["2 times the answer to issue_9", { isSpokenTo: true, answers: [1, 2].map((id) => ({ id, to: "issue_9" })) }],
  ])("%s", (what, over) => {
    expect(broken([], pull(over))).toEqual([{ invariant: "I3", what, pull: PULL }]);
  });

  test("not reviews of two heads", () => {
    expect(broken([], pull({ reviews: [OLD, HEAD].map((head, id) => ({ id, head })) }))).toEqual([]);
  });
});

describe("a head that the servers had given up when all was quiet", () => {
  const parked = { pull: PULL, head: HEAD, end: "parked" } as const;
  const refused = { ...parked, reason: "refused: GitHub answered 403" };
  const quiet = (end: typeof refused, reported = 0) => ({ quiet: { ends: [end], reported } });

  test("although a later start reviewed it", () => {
    const found = broken([], quiet({ ...parked, reason: "TypeError: x" }));
    expect(found).toEqual([
      { invariant: "I11", what: "the last head 7b60de4 was given up (TypeError: x)", pull: PULL },
    ]);
    expect(ids(broken([], quiet(refused, 1)))).toEqual(["I11"]);
    expect(broken([], { quiet: { ends: [refused, ...TRUTH.ends], reported: 0 } })).toEqual([]);
  });

  test("for a permission that stays away is reported, and then no review is expected", () => {
    const away = { ...pull({ isRefused: true }), ends: [] };
    expect(broken([], { ...away, ...quiet(refused, 1) })).toEqual([]);
    expect(broken([], { ...away, ...quiet(refused) })[0]?.what).toContain("is refused, which is not reported");
    expect(ids(broken([], { ...away, ...quiet({ ...parked, reason: "bug" }, 1) }))).toEqual(["I11"]);
  });
});

test("what people did about a finding that is remembered, and nothing was learnt from", () => {
  const feedback = [{ finding: "ab12", key: "reply:7" }];
  const findings = new Set([`${PULL} ab12`]);
  const found = broken([], { ...pull({ feedback }), learnt: { findings, evidence: new Set() } });
  expect(found).toEqual([{ invariant: "I12", what: "reply:7 about finding ab12 was not learnt", pull: PULL }]);
  const evidence = new Set([`${PULL} ab12 reply:7`]);
  expect(broken([], { ...pull({ feedback }), learnt: { findings, evidence } })).toEqual([]);
  const forgotten = { findings: new Set<string>(), evidence: new Set<string>() };
  expect(broken([], { ...pull({ feedback }), learnt: forgotten })).toEqual([]);
});

test("posts without a request", () => {
  expect(ids(broken([], pull({ isAsked: false })))).toEqual(["I4"]);
  const answers = [{ id: 9, to: "issue_8" }];
  expect(ids(broken([], pull({ answers })))).toEqual(["I4"]);
  expect(broken([], pull({ answers, isSpokenTo: true }))).toEqual([]);
});

describe("writes that come too late", () => {
  const late = (more: readonly HistoryEvent[]) => ids(broken(more));

  test("a review of a head that was pushed over long before", () => {
    const acts = [act(6_500, "push", OLD), act(7_000, "push", HEAD)];
    expect(late([...acts, write(7_000 + BOUNDS.lateWriteMs + 1, "POST", "pulls/7/reviews", OLD)])).toEqual(["I5"]);
    expect(late([...acts, write(7_000 + BOUNDS.lateWriteMs - 1, "POST", "pulls/7/reviews", OLD)])).toEqual([]);
  });

  test("a review or its summary on a pull request that is closed, until it is open again; not an answer", () => {
    const closed = act(7_000, "close", HEAD, "closed");
    const comment = write(12_000, "PATCH", "issues/comments/9", HEAD);
    expect(late([closed, comment])).toEqual(["I5"]);
    expect(late([closed, act(11_000, "reopen"), comment])).toEqual([]);
    expect(late([closed, write(12_000, "POST", "issues/7/comments", null)])).toEqual([]);
  });

  test("anything once the installation is removed", () => {
    expect(late([act(7_000, "uninstall", HEAD, "removed"), write(12_000, "POST", "issues/7/comments", null)])).toEqual([
      "I5",
    ]);
  });

  test("even a try once the installation is removed or suspended: GitHub refuses, and the server should have known", () => {
    const refused = { applied: false, status: 401 };
    const off = act(7_000, "suspend", HEAD, "removed");
    const tried = write(12_000, "POST", "pulls/7/reviews", HEAD, refused);
    expect(late([off, tried])).toEqual(["I5"]);
    expect(late([off, act(10_500, "unsuspend"), tried])).toEqual([]);
    expect(late([act(7_000, "close", HEAD, "closed"), tried])).toEqual([]);
  });

  test("texts of a removed repository in the server's data; not those of a present one", () => {
    const found: HistoryEvent = { kind: "found", at: 20_000, canary: VAULT, where: "data/queue.db" };
    expect(broken([found, found], { removed: new Set(["acme/shop"]) })).toEqual([
      { invariant: "I5", what: "texts of acme/shop are in data/queue.db after its removal", pull: null },
    ]);
    expect(broken([found], { removed: new Set(["acme/bank"]) })).toEqual([]);
    expect(broken([found])).toEqual([]);
  });

  test("not for the time in which the process was frozen", () => {
    const acts = [act(6_500, "push", OLD), act(7_000, "push", HEAD)];
    const frozen: HistoryEvent[] = [
      { kind: "process", at: 7_100, what: "stopped", where: null },
      { kind: "process", at: 11_900, what: "continued", where: null },
    ];
    const review = write(12_000, "POST", "pulls/7/reviews", OLD);
    expect(late([...acts, ...frozen, review])).toEqual([]);
    expect(late([...acts, review])).toEqual(["I5"]);
  });

  test("not a request that GitHub refused, and not the end of a check run", () => {
    const closed = act(7_000, "close", HEAD, "closed");
    expect(late([closed, write(12_000, "POST", "issues/7/comments", HEAD, { applied: false, status: 403 })])).toEqual(
      [],
    );
    expect(late([closed, write(12_000, "PATCH", "check-runs/3", OLD)])).toEqual([]);
  });
});

describe("what is not for others", () => {
  test("a word of another repository in a question, or in a comment", () => {
    expect(ids(broken([sent("model", [VAULT, "vaultacme2q12"])]))).toEqual(["I6"]);
    expect(ids(broken([sent("embeddings", [VAULT, "vaultacme2q12"])]))).toEqual(["I6"]);
    expect(broken([sent("github", ["vaultacme2q12"], "acme/shop")])[0]?.what).toBe(
      "words of acme/bank and acme/shop in one request to github",
    );
  });

  test("a secret in a body, a log or a file, shown by its beginning only", () => {
    const found: HistoryEvent = { kind: "found", at: 9_000, canary: TOKEN, where: "server.log" };
    expect(broken([sent("model", [TOKEN]), found]).map(({ what }) => what)).toEqual([
      "ghp_01234567… was sent to model",
      "ghp_01234567… is in server.log",
    ]);
    expect(broken([{ ...found, canary: VAULT }])).toEqual([]);
  });

  test("a host that is not on the list", () => {
    expect(ids(broken([{ kind: "connected", at: 9_000, host: "evil.example:443" }]))).toEqual(["I8"]);
  });
});

describe("limits", () => {
  const limited: HistoryEvent = { kind: "limited", at: 7_000, installation: 1001, until: 12_000 };

  test("a request inside a window, by that installation, that was not on its way already", () => {
    const asks = (at: number, installation: number) =>
      write(at, "GET", "pulls/7", null, { installation, applied: false });
    expect(ids(broken([limited, asks(9_000, 1001)]))).toEqual(["I9"]);
    expect(broken([limited, asks(9_000, 1002), asks(12_000, 1001), asks(7_100, 1001)])).toEqual([]);
  });

  test("a request by a process that was told to wait, at any time; by others, when the store could know and they could ask it", () => {
    const told = (at: number, process: number): HistoryEvent => ({ ...limited, at, process, until: 20_000 });
    const asks = (at: number, process: number) =>
      write(at, "GET", "pulls/7", null, { installation: 1001, applied: false, process });
    const ends = (at: number): HistoryEvent => ({ kind: "process", at, what: "killed", where: null, process: 1 });
    const frozen = (from: number, to: number, process: number): HistoryEvent[] => [
      { kind: "process", at: from, what: "stopped", where: null, process },
      { kind: "process", at: to, what: "continued", where: null, process },
    ];
    const away: HistoryEvent = { kind: "trouble", at: 6_900, what: "half-open", until: 9_000 };
    const of = (...happenings: readonly HistoryEvent[]) => ids(broken([told(7_000, 1), ...happenings]));
    expect(of(asks(9_300, 1))).toEqual(["I9"]);
    expect(of(asks(9_300, 2))).toEqual(["I9"]);
    // The database is away: who was told knows.
    expect(of(away, asks(9_300, 1))).toEqual(["I9"]);
    expect(of(away, asks(9_300, 2))).toEqual([]);
    expect(of(away, asks(9_600, 2))).toEqual(["I9"]);
    // Who was told dies with it, or after it has told.
    expect(of(ends(7_100), asks(9_300, 2))).toEqual([]);
    expect(of(ends(7_100), asks(9_300, 1))).toEqual([]);
    expect(of(ends(7_100), asks(9_300, 2), told(9_310, 2), asks(10_000, 3))).toEqual(["I9"]);
    expect(of(ends(8_000), asks(9_300, 1))).toEqual(["I9"]);
    expect(of(away, ends(8_000), asks(9_600, 2))).toEqual([]);
    // Started again after its wall clock was set: what it had recorded is another time now. Not so
    // without a new start.
    const set: HistoryEvent = {
      kind: "clock",
      at: 6_000,
      offsetMs: 3_600_000,
      stepMs: 3_600_000,
      running: 1,
      process: 1,
    };
    const started: HistoryEvent = { kind: "process", at: 8_200, what: "started", where: null, process: 1 };
    expect(of(set, ends(8_000), started, asks(9_300, 1))).toEqual([]);
    expect(of(ends(8_000), started, asks(9_300, 1))).toEqual(["I9"]);
    expect(of(set, asks(9_300, 1))).toEqual(["I9"]);
    // Frozen before it has told, or between its question and its request.
    expect(of(...frozen(7_010, 9_200, 1), asks(9_300, 2))).toEqual([]);
    expect(of(...frozen(7_010, 9_200, 2), asks(9_300, 2), asks(9_800, 2))).toEqual(["I9"]);
  });

  test("two writes within a second, by one installation", () => {
    expect(ids(broken([write(6_500, "POST", "issues/7/comments")]))).toEqual(["I9"]);
    expect(broken([write(6_500, "POST", "issues/7/comments", HEAD, { installation: 1002 })])).toEqual([]);
    expect(broken([write(6_500, "POST", "issues/7/comments", HEAD, { applied: false })])).toEqual([]);
  });

  test("memory, answers of /healthz, money, and requests that GitHub does not describe", () => {
    const sample = (rssMiB: number, healthMs: number): HistoryEvent => ({
      kind: "sample",
      at: 40_000,
      rssMiB,
      healthMs,
    });
    expect(ids(broken([sample(600, 10)]))).toEqual(["I10"]);
    expect(ids(broken(Array.from({ length: 9 }, () => sample(200, 3_000))))).toEqual(["I10"]);
    expect(ids(broken([sent("model", [], null, true)]))).toEqual(["I10"]);
    expect(ids(broken([], { violations: ["POST /x: is not in GitHub's API description"] }))).toEqual(["I10"]);
  });

  test("a slow peer that was not cut in time: at the public port, and GitHub with an answer", () => {
    const slow = (where: "ingress" | "github", ms: number): HistoryEvent => {
      return { kind: "slow", at: 100_000, where, how: "headers", ms };
    };
    expect(broken([slow("ingress", 60_000)])).toEqual([
      { invariant: "I10", what: "a sender (headers) held the public port for 60 s", pull: null },
    ]);
    expect(broken([slow("ingress", 16_000), slow("github", 31_000)])).toEqual([]);
    expect(ids(broken([slow("github", 60_000)]))).toEqual(["I10"]);
    const frozen: HistoryEvent[] = [
      { kind: "process", at: 50_000, what: "stopped", where: null },
      { kind: "process", at: 90_000, what: "continued", where: null },
    ];
    expect(broken([...frozen, slow("ingress", 60_000)])).toEqual([]);
  });

  test("not while the process is frozen or another holds the lock", () => {
    const slow: HistoryEvent = { kind: "sample", at: 40_000, rssMiB: 200, healthMs: 3_000 };
    expect(broken([slow, { kind: "process", at: 38_000, what: "stopped", where: null }])).toEqual([]);
    expect(broken([slow, { kind: "trouble", at: 36_000, what: "lock", until: 39_000 }])).toEqual([]);
    expect(ids(broken([slow, { kind: "trouble", at: 10_000, what: "lock", until: 12_000 }]))).toEqual(["I10"]);
  });
});

test("a trace has the events of that pull request, and the lives of the server in one line", () => {
  const process = (at: number, what: "killed" | "started" | "listening", where: string | null = null): HistoryEvent => {
    return { kind: "process", at, what, where };
  };
  const elsewhere: HistoryEvent = {
    kind: "act",
    at: 1_500,
    what: "push",
    pull: "acme/bank#1",
    head: OLD,
    state: "open",
  };
  const history = [
    act(1_000, "opened"),
    elsewhere,
    process(2_000, "killed", "before POST pulls/reviews"),
    process(2_100, "started"),
    process(4_000, "listening"),
    write(6_000, "POST", "pulls/7/reviews", HEAD, { status: 0, fault: "answer lost: reset" }),
  ];
  expect(failureTrace({ invariant: "I3", what: "", pull: PULL }, history, 0)).toEqual([
    "      1.0 s  person: opened, head 7b60de4, open",
    "             server: killed before POST pulls/reviews, started, listening",
    "      6.0 s  POST /repos/acme/shop/pulls/7/reviews about 7b60de4: 0 (answer lost: reset)",
  ]);
});
