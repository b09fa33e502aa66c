// Who may command, and that no conversation runs away: every kind of person and access through
// reception, the adapter that asks for permissions, queue, flows and store.
import { afterEach, describe, expect, test } from "vitest";
import type { GitHub } from "../../src/adapters/github/clients.ts";
import { githubPermissions } from "../../src/adapters/github/read/permissions.ts";
import { BACKUP } from "../app/change-builders.ts";
import { reactions, replies, repliesIn } from "../app/conversation-helpers.ts";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";
import type { IssueComment, Person } from "../fakes/github/conversation.ts";

const ASSOCIATIONS = [
  "OWNER",
  "MEMBER",
  "COLLABORATOR",
  "CONTRIBUTOR",
  "FIRST_TIMER",
  "FIRST_TIME_CONTRIBUTOR",
  "MANNEQUIN",
  "NONE",
];
const ACCESS = ["admin", "write", "triage", "read", "none", "404", "500", "other id"] as const;
const TYPES = ["User", "Bot", "Mannequin"] as const;

const ECHOES = process.env.NIGHTLY === "1" ? 1_000 : 100;
if (ECHOES < 1_000) console.warn("skipped: 900 of 1,000 echoes of each kind; NIGHTLY=1 hears all");

/** By login: GitHub's answer to the question what they may do, or its status. */
type Rights = Map<string, number | (() => object | undefined)>;

/** The one question that permissions ask. */
function askedFor(rights: Rights): GitHub {
  const shownOf = (username: string) => {
    const person = harness?.world.person(username);
    return person && shown(person, person.permission);
  };
  const getCollaboratorPermissionLevel = async ({ username }: { readonly username: string }) => {
    const right = rights.get(username) ?? (() => shownOf(username));
    if (typeof right === "number") throw Object.assign(new Error("refused"), { status: right });
    return { data: right() };
  };
  return { rest: { repos: { getCollaboratorPermissionLevel } } } as unknown as GitHub;
}

/** As GitHub shows them: it folds maintain into write, and triage into read. */
function shown({ id, login }: Pick<Person, "id" | "login">, permission: Person["permission"]) {
  const folded = permission === "maintain" ? "write" : permission === "triage" ? "read" : permission;
  const triage = !["read", "none"].includes(permission);
  return { permission: folded, role_name: permission, user: { id, login, permissions: { triage } } };
}

let harness: FlowHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

/** @param answer the model's, to each question */
async function play(answer: string | null = null, rights: Rights = new Map()) {
  harness = await openFlow({
    permissions: githubPermissions(askedFor(rights)),
    ...(answer === null
      ? {}
      : {
          model: ({ system }) =>
            system.includes("You answer one question")
              ? { answer }
              : { findings: [], ruleFindings: [], walkthrough: "Backs up." },
        }),
  });
  const { world } = harness;
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const pull = await world.pullRequest(repository, {
    title: "feat: back up",
    author: "mona",
    files: { "ops/backup.py": BACKUP },
  });
  await harness.settled(pull);
  return { harness, world, pull, root: pull.comments[0]?.id ?? 0 };
}

describe("a command that changes something", () => {
  test("is obeyed for people with write access, with any other role on GitHub, and for no one else [T12]", async () => {
    const rights: Rights = new Map();
    const { harness: at, world, pull } = await play(null, rights);
    const cells: { readonly name: string; readonly may: boolean; readonly seen: boolean; comment: IssueComment }[] = [];
    for (const association of ASSOCIATIONS) {
      for (const access of ACCESS) {
        for (const type of TYPES) {
          const login = `p${cells.length}`;
          const known = (["admin", "write", "triage", "read", "none"] as const).find((one) => one === access);
          const permission: Person["permission"] = known ?? "admin";
          const person = world.person(login, { association, type, permission });
          const answering = access === "other id" ? { id: Number(`${person.id}1`), login } : person;
          const status = access === "404" || access === "500" ? Number(access) : null;
          rights.set(login, status ?? (() => shown(answering, permission)));
          const comment = await world.comment(pull, login, "/kodiai resume");
          const isPerson = type === "User";
          const may = isPerson && (access === "admin" || access === "write");
          cells.push({ name: `${association} ${access} ${type}`, may, seen: isPerson, comment });
        }
      }
    }
    await at.answered();
    const wrong = cells.filter(({ may, seen, comment }) => {
      const wanted = seen ? ["eyes", may ? "hooray" : "-1"] : [];
      return JSON.stringify(reactions(world, comment)) !== JSON.stringify(wanted);
    });
    expect(wrong.map(({ name }) => name)).toEqual([]);
    expect(cells.filter(({ may }) => may)).toHaveLength(16);
    expect(cells).toHaveLength(192);
  });

  test("a login that ends like a bot's gets no answer, with any type [T12]", async () => {
    const { harness: at, world, pull } = await play();
    world.person("evil[bot]", { type: "User", permission: "admin" });
    await world.comment(pull, "evil[bot]", "/kodiai pause");
    expect(await at.answered()).toEqual([]);
  });

  test("a person without access is told so once a day, and by a reaction each time [T12]", async () => {
    const { harness: at, world, pull } = await play();
    world.person("rae", { permission: "read" });
    const comments: IssueComment[] = [];
    for (let count = 0; count < 4; count++) comments.push(await world.comment(pull, "rae", "/kodiai pause"));
    await at.answered();
    await world.comment(pull, "rae", "/kodiai nonsense");
    await at.answered();
    expect(comments.map((comment) => reactions(world, comment))).toEqual(Array(4).fill(["eyes", "-1"]));
    expect(replies(world, pull)).toEqual([expect.stringContaining("@rae `pause` needs write access")]);
  });

  test.each([
    ["maintain", true],
    ["triage", false],
  ] as const)("%s access is what GitHub's role says, not what it folds it into", async (permission, may) => {
    const { harness: at, world, pull } = await play();
    world.person("mia", { permission });
    const pause = await world.comment(pull, "mia", "/kodiai pause");
    const review = await world.comment(pull, "mia", "/kodiai review");
    await at.answered();
    expect(reactions(world, pause)).toEqual(["eyes", may ? "hooray" : "-1"]);
    expect(reactions(world, review)).toEqual(["eyes", "rocket"]);
  });
});

describe("a conversation ends", () => {
  test("a bot that echoes what it reads is never answered, however often [T13]", async () => {
    const { harness: at, world, pull, root } = await play("You are right.");
    world.person("echo[bot]", { permission: "admin" });
    for (let count = 0; count < ECHOES / 2; count++) {
      await world.comment(pull, "echo[bot]", `@kodiai ${pull.issueComments.at(-1)?.body ?? "review"}`);
      await world.reply(pull, "echo[bot]", root, `@kodiai ${pull.comments.at(-1)?.body ?? "ask why?"}`);
    }
    await at.answered();
    expect(at.jobs(pull)).toHaveLength(1);
    expect(replies(world, pull)).toEqual([]);
    expect(repliesIn(world, pull, root)).toEqual([]);
  });

  test("an account that echoes as a person gets three answers until a person mentions the app [T13]", async () => {
    const { harness: at, world, pull, root } = await play("The name is not quoted.");
    world.person("parrot", { permission: "write" });
    for (let count = 0; count < ECHOES; count++) {
      const last = repliesIn(world, pull, root).at(-1)?.replace("@parrot", "");
      await world.reply(pull, "parrot", root, `You said: ${last ?? "that is wrong"}`);
      if (count < 6) await at.answered();
    }
    await at.answered();
    expect(repliesIn(world, pull, root)).toHaveLength(3);
    expect(repliesIn(world, pull, root)[2]).toContain("To continue here, mention me");
    await world.reply(pull, "parrot", root, "@kodiai is it quoted elsewhere?");
    await at.answered();
    await world.reply(pull, "parrot", root, "And in the other file?");
    await at.answered();
    expect(repliesIn(world, pull, root)).toHaveLength(5);
  });

  test("a flood by a stranger costs one question for their permission and five reactions, and access counts when it is given", async () => {
    let asked = 0;
    const rights: Rights = new Map();
    const { harness: at, world, pull } = await play(null, rights);
    const rae = world.person("rae", { permission: "read" });
    rights.set("rae", () => {
      asked += 1;
      return shown(rae, "read");
    });
    const comments: IssueComment[] = [];
    for (let count = 0; count < 40; count++) comments.push(await world.comment(pull, "rae", `/kodiai pause ${count}`));
    await at.answered();
    expect(asked).toBe(1);
    expect(comments.filter((comment) => reactions(world, comment).length > 0)).toHaveLength(5);
    // What others may do is not affected, and access is never taken from what GitHub said before.
    world.person("wren", { permission: "write" });
    const resume = await world.comment(pull, "wren", "/kodiai pause");
    await at.answered();
    expect(reactions(world, resume)).toEqual(["eyes", "hooray"]);
  });

  test("one person is answered thirty times an hour, a stranger five times", async () => {
    const { harness: at, world, pull } = await play();
    world.person("wren", { permission: "write" });
    world.person("rae", { permission: "read" });
    for (let count = 0; count < 33; count++) {
      await world.comment(pull, "wren", "/kodiai help");
      if (count < 8) await world.comment(pull, "rae", "/kodiai help");
      await at.answered();
    }
    const to = (login: string) => replies(world, pull).filter((body) => body.startsWith(`@${login}`)).length;
    expect([to("wren"), to("rae")]).toEqual([30, 5]);
  });
});
