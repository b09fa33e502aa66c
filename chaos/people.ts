// What people do in a run: they open pull requests, push, force, close, reopen and ask, on several
// repositories of several owners. Random numbers decide what; the fake GitHub stores the result.
import type { Pull, Repository, ReviewComment } from "../test/fakes/github/conversation.ts";
import type { GitHubWorld } from "../test/fakes/github/github.ts";
import type { Canaries } from "./canaries.ts";
import { changeOf } from "./changes.ts";
import type { History, PullName } from "./history.ts";
import { type Desk, openDesk } from "./installations.ts";
import { repositoryEvents } from "./repository-events.ts";
import type { SeededRandom } from "./seeded-random.ts";

export interface PeopleOptions {
  readonly world: GitHubWorld;
  readonly random: SeededRandom;
  readonly history: History;
  readonly canaries: Canaries;
  /** OWNER → how many repositories; each owner is an installation. */
  readonly owners: readonly string[];
  readonly repositoriesEach: number;
  /** Pull requests that are opened before anything else happens to them, at most. */
  readonly pulls: number;
  /**
   * What is done to repositories as such now, how often an act is one of that kind, and how many of
   * each a run has.
   */
  readonly upheaving: () => { readonly people: boolean; readonly permission: boolean };
  readonly atRandom: number;
  readonly times: number;
  /** Whether people answer findings. Absent: they do not. */
  readonly answering?: () => boolean;
  /** Whether GitHub shows no patch of some files. Absent: it shows all. */
  readonly hidesPatches?: () => boolean;
}

export interface People {
  readonly repositories: readonly Repository[];
  /** One act, which makes one delivery. */
  act(): Promise<void>;
  /** How often people answer findings on open pull requests. */
  answer(times: number): Promise<void>;
  /** Somebody pushes to, closes or reopens this very pull request, now. */
  disturb(pull: PullName): Promise<void>;
  /**
   * Somebody renames, hands over, switches off or takes away this repository, or its owner's
   * installation, now.
   */
  upheave(repository: Repository, where: string): Promise<void>;
  /** Nobody is switched off any more. */
  calm(): Promise<void>;
  readonly desk: Desk;
  /** `OWNER/NAME` with which it was made: the harness uses it for ever, also after a rename. */
  bornAs(repository: Repository): string;
  nameOf(pull: Pull): PullName;
  /** By the name that it has, or had. */
  byName(name: string): Repository | null;
  byId(id: number): Repository | null;
  /** Pull requests for which something happened that asks for a review. */
  readonly asked: ReadonlySet<PullName>;
  /** Acts so far. */
  count(): number;
}

/** A stranger's bot, whose pull requests need no review. */
const BOT = "merge-train[bot]";

export async function gatherPeople(options: PeopleOptions): Promise<People> {
  const { world, random, history, canaries } = options;
  const repositories: Repository[] = [];
  const asked = new Set<PullName>();
  const busy = new Map<object, Promise<void>>();
  const births = new Map<number, string>();
  const names = new Map<string, Repository>();
  const pulls: Pull[] = [];
  const answers = random.fork("answers");
  const patches = random.fork("patches");
  let acts = 0;
  let opened = 0;
  world.person("mona", { association: "MEMBER", permission: "write" });
  for (const owner of options.owners) {
    for (let number = 1; number <= options.repositoriesEach; number++) {
      const name = `shop-${number}`;
      const word = `vault${owner}${number}q${random.below(1_000_000)}`;
      canaries.owners.set(word, `${owner}/${name}`);
      const files = {
        "README.md": `# Shop ${number}\n`,
        // Every other repository wants check runs, the others are read twice.
        ".kodiai.yml": `review:\n  debounceSeconds: 0\n${number % 2 === 1 ? "  checks: {enabled: true}\n" : "  readings: 2\n"}`,
        "src/names.py": `NAME = "${word}"\n`,
      };
      const repository = await world.repository(owner, name, { files, private: number % 2 === 0 });
      births.set(repository.id, `${owner}/${name}`);
      names.set(`${owner}/${name}`.toLowerCase(), repository);
      repositories.push(repository);
    }
  }

  const bornAs = ({ id, owner, name }: Repository) => births.get(id) ?? `${owner}/${name}`;
  const wordOf = (repository: Repository) =>
    [...canaries.owners].find(([, whose]) => whose === bornAs(repository))?.[0] ?? "vault";
  const nameOf = (pull: Pull): PullName => `${bornAs(pull.repository)}#${pull.number}`;
  const byId = (id: number) => repositories.find((one) => one.id === id) ?? null;
  const desk = openDesk({ installations: world.installations, repository: byId });
  const exists = (pull: Pull) => !desk.isRemoved(pull.repository);
  const note = (pull: Pull, what: string) =>
    history.note({ kind: "act", at: Date.now(), what, pull: nameOf(pull), head: pull.headSha, state: pull.state });
  const change = (repository: Repository) => {
    const made = changeOf(random, wordOf(repository));
    for (const secret of made.secrets) canaries.owners.set(secret, "secret");
    return made.files;
  };

  async function open(): Promise<void> {
    const standing = repositories.filter((one) => !desk.isRemoved(one));
    const repository = standing[opened++ % standing.length] ?? random.pick(standing);
    await inTurn(repository, () => openIn(repository));
  }

  async function openIn(repository: Repository): Promise<void> {
    if (desk.isRemoved(repository)) return;
    const isDraft = random.chance(0.04);
    const isByBot = random.chance(0.04);
    const title = `Change ${wordOf(repository)} part ${opened}`;
    const files = change(repository);
    const pull = await world.pullRequest(repository, {
      title,
      files,
      draft: isDraft,
      author: isByBot ? BOT : "mona",
      withoutPatch: hidden(files),
    });
    pulls.push(pull);
    if (!isDraft && !isByBot) asked.add(nameOf(pull));
    note(pull, isDraft ? "opened a draft" : isByBot ? "a bot opened" : "opened");
  }

  /** Paths of which GitHub shows no patch: too large, it says. */
  function hidden(files: Readonly<Record<string, string>>): readonly string[] {
    return options.hidesPatches?.() === true && patches.chance(0.08) ? Object.keys(files) : [];
  }

  function changeTo(pull: Pull): Readonly<Record<string, string>> {
    const files = change(pull.repository);
    for (const path of hidden(files)) pull.withoutPatch.add(path);
    return files;
  }

  /**
   * Kodiai's findings that people may answer: after closing, a pull request is checked once more
   * only.
   */
  function oursOn({ comments, state }: Pull): readonly ReviewComment[] {
    if (state !== "open") return [];
    return comments.filter(({ author, body }) => author === world.bot && body.includes("kodiai:finding"));
  }

  /**
   * A reaction, for which GitHub sends no webhook; or an answer or a resolved thread, for which it
   * does.
   */
  async function answerFinding(pull: Pull): Promise<void> {
    const ours = oursOn(pull);
    if (ours.length === 0) return;
    const finding = answers.pick(ours);
    const what = answers.pick(["thumb", "reply", "resolve"] as const);
    history.note({ kind: "feedback", at: Date.now(), what, pull: nameOf(pull) });
    if (what === "thumb") world.react(finding, "mona", answers.chance(0.5) ? "+1" : "-1");
    else if (what === "reply") await world.reply(pull, "mona", finding.id, "This is by design: the caller checks it.");
    else if (!pull.resolved.has(finding.id)) await world.resolve(pull, finding.id, "mona");
  }

  async function doTo(pull: Pull, what: string): Promise<void> {
    // The truth changes before GitHub's webhook, and is recorded at once: `note` runs when the head
    // has moved.
    if (what === "push") await world.push(pull, changeTo(pull));
    else if (what === "force-push") await world.forcePush(pull, changeTo(pull));
    else if (what === "close") await world.closePull(pull);
    else if (what === "reopen") await world.reopen(pull);
    else if (what === "ready") await world.readyForReview(pull);
    else if (what === "edit") await world.edit(pull, { body: `More about it: ${random.below(1000)}` });
    else await world.comment(pull, "mona", "/kodiai help");
    if (what === "ready" && pull.author.login !== BOT) asked.add(nameOf(pull));
    if (what === "reopen" && pull.author.login !== BOT && !pull.draft) asked.add(nameOf(pull));
    note(pull, what);
  }

  /** People take turns on one pull request, and with new ones in one repository. */
  function inTurn(subject: Pull | Repository, work: () => Promise<void>): Promise<void> {
    const turn = (busy.get(subject) ?? Promise.resolve()).then(work);
    busy.set(
      subject,
      turn.catch(() => {}),
    );
    return turn;
  }

  /** Has the turn of all of them at once. */
  function alone(subjects: readonly (Pull | Repository)[], work: () => Promise<void>): Promise<void> {
    const [first, ...rest] = subjects;
    return first === undefined ? work() : inTurn(first, () => alone(rest, work));
  }

  const repositoryEvent = repositoryEvents({
    ...{ world, history, desk, repositories, nameOf, times: options.times, kinds: options.upheaving },
    random: random.fork("upheavals"),
    renamed: (repository) => void names.set(`${repository.owner}/${repository.name}`.toLowerCase(), repository),
    alone: (those, work) =>
      alone(those, () =>
        alone(
          those.flatMap(({ pulls: own }) => own),
          work,
        ),
      ),
  });

  function choice(pull: Pull): string {
    if (pull.state === "closed") return "reopen";
    if (pull.draft && random.chance(0.3)) return "ready";
    return random.pick(["push", "push", "push", "push", "push", "force-push", "close", "edit", "comment"] as const);
  }

  return {
    repositories,
    asked,
    desk,
    bornAs,
    nameOf,
    byId,
    byName: (name) => names.get(name.toLowerCase()) ?? null,
    upheave: repositoryEvent.happen,
    calm: repositoryEvent.calm,
    count: () => acts,
    async act() {
      acts++;
      const { people, permission } = options.upheaving();
      if ((people || permission) && random.chance(options.atRandom))
        await repositoryEvent.happen(random.pick(repositories), "at a random moment");
      const there = pulls.filter(exists);
      if (there.length === 0 || (opened < options.pulls && random.chance(0.5))) return open();
      const pull = random.pick(there);
      if (options.answering?.() === true && answers.chance(0.5)) {
        const answered = answers.pick(there);
        await inTurn(answered, async () => (exists(answered) ? answerFinding(answered) : undefined));
      }
      return inTurn(pull, async () => (exists(pull) ? doTo(pull, choice(pull)) : undefined));
    },
    async answer(times) {
      const open = pulls.filter((pull) => exists(pull) && oursOn(pull).length > 0);
      for (let time = 0; time < times && open.length > 0; time++) {
        const pull = answers.pick(open);
        await inTurn(pull, () => answerFinding(pull));
      }
    },
    async disturb(name) {
      const pull = pulls.find((one) => nameOf(one) === name);
      if (pull === undefined || pull.author.login === BOT || !exists(pull)) return;
      acts++;
      await inTurn(pull, async () => {
        if (!exists(pull)) return;
        await doTo(pull, pull.state === "closed" ? "reopen" : random.pick(["push", "push", "close"] as const));
      });
    },
  };
}
