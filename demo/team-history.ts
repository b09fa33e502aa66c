// The third scene of the demo, for the dashboard: a team's reviews of a spring are imported, and
// four pull requests of today are reviewed, answered, declined and fixed.
import { people, saidOnLine } from "../test/app/past-reviews.ts";
import type { Pull, Repository } from "../test/fakes/github/conversation.ts";
import type { GitHubWorld } from "../test/fakes/github/github.ts";
import type { Stage } from "./repeated-findings.ts";

/** How many comments were imported and how many pull requests were reviewed. */
export type TeamCounts = {
  readonly imported: number;
  readonly reviewed: number;
};

/** What reviewers of acme/warehouse wrote in spring: [path, code, comment]. */
const WAREHOUSE: readonly (readonly [path: string, code: string, text: string])[] = [
  [
    "api/charges.py",
    "response = requests.post(url, json=charge)",
    "Give requests.post a timeout: without one a hanging payment provider blocks the worker for ever.",
  ],
  [
    "api/refunds.py",
    "response = requests.post(url, json=refund)",
    "Please give requests.post a timeout here as well, a hanging provider blocks the worker for ever.",
  ],
  [
    "api/payouts.py",
    "answer = requests.post(url, json=payout, headers=headers)",
    "requests.post needs a timeout: a hanging provider blocks the worker for ever.",
  ],
  [
    "api/charges.py",
    "charge = client.create(amount, currency)",
    "Send an idempotency key with every charge; a retry after a lost answer charges twice otherwise.",
  ],
  [
    "api/refunds.py",
    "refund = client.create(charge_id)",
    "A refund is retried too: pass an idempotency key, or it is paid out twice.",
  ],
  [
    "jobs/sync.py",
    "for row in session.query(Order).all():",
    "This loads every order into memory. Use yield_per and a filter on updated_at.",
  ],
  [
    "jobs/report.py",
    "rows = session.query(Invoice).all()",
    "Loads the whole table into memory; page through it with yield_per.",
  ],
  [
    "store/prices.py",
    "total = price * quantity * 1.19",
    "Money is Decimal everywhere in this repository; a float loses cents in the total.",
  ],
  [
    "store/tax.py",
    "tax = round(net * 0.19, 2)",
    "Use Decimal and quantize for money, floats round half to even and cents go missing.",
  ],
  [
    "web/cart.ts",
    "const total = items.reduce((sum, item) => sum + item.price, 0);",
    "Prices are strings in cents from the API; add them as BigInt or the sum is a concatenation.",
  ],
  [
    "web/session.ts",
    "localStorage.setItem('token', token);",
    "Do not keep the session token in localStorage: any script of the page reads it. Use the cookie that we set.",
  ],
  [
    "web/search.tsx",
    "useEffect(() => { search(query); });",
    "The effect has no dependencies, so it searches on every render. Put query in the list.",
  ],
  [
    "infra/queue.go",
    "ctx := context.Background()",
    "Pass the request's context on: with Background a cancelled request still holds the connection.",
  ],
  [
    "infra/store.go",
    "rows, err := db.Query(query)",
    "rows is never closed, the pool runs dry under load. defer rows.Close() after the error check.",
  ],
  [
    "docs/runbook.md",
    "Restart the worker.",
    "Say how to see that it is stuck before anybody restarts it; last time the queue was merely slow.",
  ],
];
/** Another repository of the team, in the same main language. */
const COURIER: typeof WAREHOUSE = [
  [
    "routes/plan.py",
    "for a, b in itertools.permutations(stops, 2):",
    "Quadratic in the stops; a tour has up to 400. Sort by district first.",
  ],
  [
    "routes/eta.py",
    "eta = datetime.now() + timedelta(minutes=minutes)",
    "datetime.now() has no time zone; use datetime.now(UTC), drivers cross a border.",
  ],
  [
    "labels/print.py",
    "printer = Printer(open('label.zpl'))",
    "Open the label with a with statement, the printer process runs out of file handles.",
  ],
  [
    "labels/address.py",
    "street, number = line.rsplit(' ')",
    "Split off one word only: rsplit(' ', 1). Streets with two words fail here.",
  ],
];
const REVIEWERS = ["ines", "lena", "olga"];
const ANSWERS = [
  "Good catch, done.",
  "Fixed, thank you.",
  "Right, changed in the next commit.",
  "We keep it as it is: the caller checks that.",
];

const HANDLER = (name: string) =>
  [
    "import subprocess",
    "import tempfile",
    "",
    "import requests",
    "",
    "",
    `def ${name}(name: str) -> None:`,
    '    subprocess.run("rsync " + name + " /srv", shell=True, check=True)',
    "    log = tempfile.mktemp()",
    '    requests.post(HOOK, json={"moved": name, "log": log})',
    "",
  ].join("\n");

export async function teamHistory(at: Stage): Promise<TeamCounts> {
  const { world, settled, remembered } = at;
  people(world);
  const courier = await world.repository("acme", "courier", { files: { "README.md": "# Courier\n" } });
  await reviewedInSpring(world, courier, COURIER);
  await world.install("acme", [courier]);
  await settled();
  const warehouse = await world.repository("acme", "warehouse", {
    files: {
      "README.md": "# Warehouse\n\nOrders, charges and refunds.\n",
      ".kodiai.yml": "review:\n  profile: thorough\n  maxComments: 8\n",
      "docs/payments.md":
        "# Payments\n\n## Retries\n\nEvery charge carries an idempotency key, and the client retries three times.\n",
    },
  });
  const before = await remembered();
  await reviewedInSpring(world, warehouse, WAREHOUSE);
  await world.install("acme", [warehouse]);
  await settled();
  const imported = (await remembered()) - before;
  for (const name of ["restock", "deliver", "collect", "archive"]) await reviewedToday(at, warehouse, name);
  return { imported, reviewed: 4 };
}

/** One merged pull request for each comment, with an answer to it. */
async function reviewedInSpring(world: GitHubWorld, repository: Repository, comments: typeof WAREHOUSE): Promise<void> {
  for (const [index, [path, code, text]] of comments.entries()) {
    const pull = await world.pullRequest(repository, {
      title: `feat: change ${path}`,
      files: { [path]: `${code}\n` },
      announce: false,
    });
    await world.closePull(pull, { merged: true, announce: false });
    const by = REVIEWERS[index % REVIEWERS.length] ?? "ines";
    const hunk = `@@ -0,0 +1 @@\n+${code}`;
    const isOutdated = index % 3 !== 2;
    const comment = saidOnLine(world, pull, { by, body: text, path, hunk, isOutdated, day: index * 5 });
    const body = ANSWERS[index % ANSWERS.length] ?? "";
    saidOnLine(world, pull, { by: "mona", body, path, day: index * 5 + 1 }, comment);
  }
}

async function reviewedToday({ world, settled }: Stage, repository: Repository, name: string): Promise<void> {
  const path = `jobs/${name}.py`;
  const pull = await world.pullRequest(repository, {
    title: `feat(jobs): ${name} at night`,
    author: "mona",
    files: { [path]: HANDLER(name) },
  });
  await settled();
  await answer(world, pull, name);
  await settled();
  if (name === "archive") return;
  await world.push(pull, {
    [path]: HANDLER(name).replace(/subprocess\.run\(.*\)/, 'subprocess.run(["rsync", name, "/srv"], check=True)'),
  });
  await settled();
  await world.closePull(pull, { merged: true });
  await settled();
}

/** Two people react with a thumb up, and one declines a finding with a reason. */
async function answer(world: GitHubWorld, pull: Pull, name: string): Promise<void> {
  const ours = world
    .comments(pull)
    .inline.filter(({ author, inReplyTo }) => author === world.bot.login && inReplyTo === null);
  const waiting = ours.find(({ body }) => /timeout/i.test(body));
  const thumbed = pull.comments.find(({ id }) => id === waiting?.id);
  if (thumbed !== undefined && name !== "deliver") for (const by of ["lena", "olga"]) world.react(thumbed, by, "+1");
  const log = ours.find(({ body }) => /temporary/i.test(body)) ?? ours.at(-1);
  if (log === undefined || name === "collect") return;
  await world.reply(pull, "lena", log.id, "/kodiai ignore the folder is ours on purpose");
}
