// The second scene of the demo: a maintainer declines one finding with a reason and another is fixed; the next pull request repeats
// both.
import type { Pull, Repository } from "../test/fakes/github/conversation.ts";
import type { GitHubWorld } from "../test/fakes/github/github.ts";

/** What the circle showed. */
export type CircleCounts = {
  readonly heldBack: number;
  readonly reintroduced: number;
};

export interface Circle {
  readonly world: GitHubWorld;
  /** The pull request that was reviewed first. */
  readonly pull: Pull;
  /** Where the app keeps its files. */
  readonly dataDir: string;
  /** Null where nobody asked for a dashboard. */
  readonly dashboardUrl: string | null;
  /** Resolves when the app has nothing left to do. */
  readonly settled: () => Promise<void>;
  /** How many comments by people memory holds. */
  readonly remembered: () => Promise<number>;
  readonly print: (text: string) => void;
}

const PARSE = ["def parse(text, seen=[]):", "    seen.append(text)", "    return seen", ""].join("\n");
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
/** The same code in another file and another function, as another formatter would have it. */
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
const REASON = "the list is shared on purpose, callers clear it";

/** Plays the scene; throws when it does not come out as it should. */
export async function circle(at: Circle): Promise<CircleCounts> {
  const { world } = at;
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const first = await teach(at, repository);
  return repeat(at, repository, first);
}

async function teach({ world, settled, print }: Circle, repository: Repository): Promise<Pull> {
  const files = { "src/parse.py": PARSE, "ops/backup.py": BACKUP };
  const pull = await world.pullRequest(repository, { title: "feat: parse and back up", author: "mona", files });
  await settled();
  print(`mona opens #${pull.number}; Kodiai says ${ours(world, pull).length} things:`);
  for (const { path, body } of ours(world, pull)) print(`  ${path}: ${titleOf(body)}`);
  const thread = ours(world, pull).find(({ path }) => path === "src/parse.py");
  if (thread === undefined) throw new Error("nothing was said about src/parse.py");
  await world.reply(pull, "lena", thread.id, `/kodiai ignore ${REASON}`);
  print(`lena, who may write, declines the one on src/parse.py: "${REASON}".`);
  await settled();
  await world.push(pull, { "ops/backup.py": FIXED });
  await settled();
  print("mona fixes the other, and the pull request is merged.");
  await world.closePull(pull, { merged: true });
  await settled();
  return pull;
}

async function repeat({ world, settled, print }: Circle, repository: Repository, first: Pull): Promise<CircleCounts> {
  const files = { "src/parse.py": PARSE, "ops/nightly.py": RESTORED };
  const pull = await world.pullRequest(repository, { title: "feat: nightly backups", author: "mona", files });
  await settled();
  const summary = world.comments(pull).summary.find(({ author }) => author === world.bot.login)?.body ?? "";
  const held = /held back<\/summary>([\s\S]*?)<\/details>/.exec(summary)?.[1] ?? "";
  const [line = ""] = held.split("\n").filter((one) => one.includes("src/parse.py"));
  const back = ours(world, pull).filter(({ body }) => /re-introduces/i.test(body));
  print(`#${pull.number} repeats both, one of them moved and reformatted:`);
  print(`  held back: ${plain(line)}`);
  for (const { path, body } of back) print(`  said: ${path}: ${plain(sentenceWith(body))}`);
  if (!line.includes(REASON)) throw new Error(`what was declined was not held back with its reason:\n${summary}`);
  if (!back.some(({ body }) => body.includes(`#${first.number}`)))
    throw new Error(`what was fixed on #${first.number} came back, and no comment says so:\n${summary}`);
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

/** Links by their words, code without its marks. */
function plain(markdown: string): string {
  return markdown
    .replace(/^[-*] /, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("`", "")
    .replaceAll("**", "")
    .trim();
}
