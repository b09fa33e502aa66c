// Two Kodiai under two Apps on one pull request: each says its own, touches nothing of the other's,
// and answers nobody who is no person.
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { startApp } from "../../src/app.ts";
import type { RunningApp } from "../../src/server/app-options.ts";
import { inspector } from "../../src/wire/rules.ts";
import type { Pull } from "../fakes/github/conversation.ts";
import { SECOND } from "../fakes/github/github.ts";
import { type Harness, openHarness, until, WEBHOOK_PATH } from "./app-harness.ts";
import { BACKUP, LOGIN, writes } from "./change-builders.ts";

const OTHER = `${SECOND.slug}[bot]`;
const ECHOES = process.env.NIGHTLY === "1" ? 100 : 4;

let harness: Harness | undefined;
let other: RunningApp | undefined;
let relay: Server | undefined;
const folder = mkdtempSync(join(tmpdir(), "kodiai-other-"));
afterEach(async () => {
  await other?.close();
  await harness?.close();
  relay?.close();
  rmSync(folder, { recursive: true });
});

/**
 * GitHub tells each App of everything, under the number of its own installation; the second when
 * the first has done its work.
 */
async function toBoth(secret: string, urls: readonly string[], idle: () => Promise<void>): Promise<Server> {
  const tell = (url: string, event: string, id: string, body: string) => {
    const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    const about = { "x-github-event": event, "x-github-delivery": id, "x-hub-signature-256": signature };
    return fetch(url, { method: "POST", headers: { "content-type": "application/json", ...about }, body });
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const payload = JSON.parse(String(Buffer.concat(chunks))) as { installation: { id: number } };
    const { "x-github-event": event, "x-github-delivery": id } = request.headers;
    for (const [at, url] of urls.entries()) {
      const installation = { id: payload.installation.id + at * SECOND.apart };
      const { status } = await tell(url, String(event), String(id), JSON.stringify({ ...payload, installation }));
      if (status !== 202) throw new Error(`${url} answered ${status}`);
      await idle();
    }
    response.writeHead(202).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

async function play() {
  const opened = await openHarness({ secondApp: true });
  harness = opened;
  const { world } = opened;
  const second = await startApp({
    ...{ ...world.appCredentials, appId: SECOND.id, apiUrl: world.apiUrl, webhookPath: WEBHOOK_PATH },
    ...{ githubHost: "github.com", host: "127.0.0.1", port: 0, admin: null, dataDir: folder, reviewerLogin: null },
    ...{ workers: 2, dryRun: false, embeddings: { kind: "local" }, model: null, reranker: { kind: "off" } },
    ...{ pace: false, debounce: false, waits: { settledMs: 0 }, inspector: inspector(), missed: "off" },
    log: pino({ level: "silent" }),
  });
  other = second;
  const theirs = new Database(join(folder, "queue.db"), { readonly: true });
  const isIdle = () => {
    const open = "SELECT count(*) AS n FROM jobs WHERE state IN ('waiting', 'running')";
    return opened.rows(open)[0]?.n === 0 && theirs.prepare(open).pluck().get() === 0;
  };
  const idle = () => until("both have done what there is to do", isIdle);
  const urls = [opened.url(), second.url].map((url) => url + WEBHOOK_PATH);
  relay = await toBoth(world.appCredentials.webhookSecret, urls, idle);
  world.setWebhookUrl(`http://127.0.0.1:${(relay.address() as AddressInfo).port}`);
  return { harness: opened, world, idle };
}

test("each reviews each head once, edits and counts what it said itself, and neither answers the other [T13]", async () => {
  const { harness: at, world, idle } = await play();
  const repository = await world.repository("acme", "shop", { files: { "README.md": "# Shop\n" } });
  const pull = await world.pullRequest(repository, { title: "Back up", files: { "ops/backup.py": BACKUP } });
  await idle();
  const by = (login: string) => {
    const { reviews, inline, summary } = world.comments(pull);
    return {
      reviews: reviews.filter(({ author }) => author === login).map(({ commitId }) => commitId),
      inline: inline.filter(({ author }) => author === login).length,
      summary: summary.filter(({ author }) => author === login),
      talk: pull.issueComments.filter(({ author }) => author.login === login).length,
    };
  };
  const first = pull.headSha;
  for (const login of [world.bot.login, OTHER])
    expect(by(login)).toMatchObject({ reviews: [first], inline: 1, summary: [{ editedTimes: 0 }] });

  // All that one wrote is told to the other, and to itself, again and again.
  const before = everything(pull);
  const deliveries = world.deliveries.length;
  for (let round = 0; round < ECHOES; round += 1) {
    for (const comment of [...pull.issueComments, ...pull.comments]) await world.announceComment(pull, comment);
    await idle();
  }
  expect(world.deliveries.length - deliveries).toBe(4 * ECHOES);
  expect(everything(pull)).toBe(before);

  // A push that has the same finding: nobody says it again, nor takes the other's for its own.
  await world.push(pull, { "src/login.ts": LOGIN });
  await idle();
  for (const login of [world.bot.login, OTHER]) {
    expect(by(login)).toMatchObject({ inline: 1, summary: [{ editedTimes: 1 }], talk: 1 });
    expect(by(login).summary[0]?.body).toContain(pull.headSha.slice(0, 7));
  }
  // A person fixes it: each says so of its own, and folds away nothing of the other's.
  await world.push(pull, { "ops/backup.py": "import subprocess\n" });
  await idle();
  for (const login of [world.bot.login, OTHER])
    expect(by(login)).toMatchObject({ inline: 1, summary: [{ editedTimes: 2 }], talk: 1 });
  // Either may change what it wrote itself, and asked for nothing else.
  const refused = writes(world).filter((one) => one.startsWith("4"));
  expect(refused).toEqual([]);
  expect(at.log.filter((line) => line.includes('"level":50'))).toEqual([]);
});

/** Who wrote what, edited how often. */
function everything(pull: Pull): string {
  const all = [...pull.issueComments, ...pull.comments];
  return JSON.stringify(
    all.map(({ id, author, body, editedTimes, reactions }) => [id, author.login, body, editedTimes, reactions]),
  );
}
