// The second scene of the demo: a maintainer declines one finding with a reason, and another is
// fixed. The next pull request repeats both.
import { counted } from "../src/domain/text/counted.ts";
import type { Pull, Repository } from "../test/fakes/github/conversation.ts";
import type { GitHubWorld } from "../test/fakes/github/github.ts";

/** How many findings memory recognised. */
export type RepeatedCounts = {
  readonly heldBack: number;
  readonly reintroduced: number;
};

/** What a scene needs: the demo's world, with the app running in it. */
export interface Stage {
  readonly world: GitHubWorld;
  /** The pull request that was reviewed first. */
  readonly pull: Pull;
  /** Where the app keeps its files. */
  readonly dataDir: string;
  /** Null without a dashboard. */
  readonly dashboardUrl: string | null;
  /** Resolves when no job is left to run. */
  readonly settled: () => Promise<void>;
  /** The number of people's comments in memory. */
  readonly remembered: () => Promise<number>;
  readonly print: (text: string) => void;
}

const RATES = ["import requests", "", "", "def rates(url):", "    return requests.get(url).json()", ""].join("\n");
const BACKUP = [
  "import subprocess",
  "",
  "",
  "def backup(name: str) -> None:",
  '    subprocess.run("tar czf /backup/" + name + ".tgz /srv", shell=True, check=True)',
  "",
].join("\n");
const FIXED = BACKUP.replace(
  /subprocess\.run\(.*\)/,
  'subprocess.run(["tar", "czf", f"/backup/{name}.tgz", "/srv"], check=True)',
);
/** The same code in another file and another function, formatted differently. */
const RESTORED = [
  "import subprocess",
  "",
  "",
  "class Nightly:",
  "    def run(self, name: str) -> None:",
  "        subprocess.run(",
  '            "tar czf /backup/" + name + ".tgz /srv", shell=True, check=True',
  "        )",
  "",
].join("\n");
const REASON = "the proxy in front has a timeout on purpose";

/** @throws Error when the declined finding is posted again, or the fixed one is not recognised */
export async function repeatedFindings(at: Stage): Promise<RepeatedCounts> {
  const { world } = at;
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const first = await declineAndFix(at, repository);
  return repeat(at, repository, first);
}

async function declineAndFix({ world, settled, print }: Stage, repository: Repository): Promise<Pull> {
  const files = { "src/rates.py": RATES, "ops/backup.py": BACKUP };
  const pull = await world.pullRequest(repository, { title: "feat: rates and backups", author: "mona", files });
  await settled();
  print(`mona opens #${pull.number}; Kodiai posts ${counted(ours(world, pull).length, "finding")}:`);
  for (const { path, body } of ours(world, pull)) print(`  ${path}: ${titleOf(body)}`);
  const thread = ours(world, pull).find(({ path }) => path === "src/rates.py");
  if (thread === undefined) throw new Error("no comment on src/rates.py");
  await world.reply(pull, "lena", thread.id, `/kodiai ignore ${REASON}`);
  print(`lena, who has write access, declines the one on src/rates.py: "${REASON}".`);
  await settled();
  await world.push(pull, { "ops/backup.py": FIXED });
  await settled();
  print("mona fixes the other, and the pull request is merged.");
  await world.closePull(pull, { merged: true });
  await settled();
  return pull;
}

async function repeat({ world, settled, print }: Stage, repository: Repository, first: Pull): Promise<RepeatedCounts> {
  const files = { "src/rates.py": RATES, "ops/nightly.py": RESTORED };
  const pull = await world.pullRequest(repository, { title: "feat: nightly backups", author: "mona", files });
  await settled();
  const summary = world.comments(pull).summary.find(({ author }) => author === world.bot.login)?.body ?? "";
  const held = /held back<\/summary>([\s\S]*?)<\/details>/.exec(summary)?.[1] ?? "";
  const [line = ""] = held.split("\n").filter((one) => one.includes("src/rates.py"));
  const back = ours(world, pull).filter(({ body }) => /re-introduces/i.test(body));
  print(`#${pull.number} repeats both, one of them moved and reformatted:`);
  print(`  held back: ${plain(line)}`);
  for (const { path, body } of back) print(`  posted: ${path}: ${plain(sentenceWith(body))}`);
  if (!line.includes(REASON)) throw new Error(`the declined finding was not held back with its reason:\n${summary}`);
  if (!back.some(({ body }) => body.includes(`#${first.number}`)))
    throw new Error(`the finding fixed on #${first.number} came back, and no comment mentions it:\n${summary}`);
  return { heldBack: 1, reintroduced: back.length };
}

function ours(world: GitHubWorld, pull: Pull) {
  return world
    .comments(pull)
    .inline.filter(({ author, inReplyTo }) => author === world.bot.login && inReplyTo === null);
}

function titleOf(body: string): string {
  return /\*\*([^*]+)\*\*/.exec(body)?.[1] ?? "";
}

function sentenceWith(body: string): string {
  const text = body.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return /[^.\n]*re-introduces[^.\n]*\./i.exec(text)?.[0] ?? titleOf(body);
}

/** Only the text of links and code. */
function plain(markdown: string): string {
  return markdown
    .replace(/^[-*] /, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("`", "")
    .replaceAll("**", "")
    .trim();
}
