// What the fake GitHub does by itself: webhooks, limits, planned trouble, comments that follow
// their lines, and the notice it takes of requests that GitHub does not describe.
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { verify } from "@octokit/webhooks-methods";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { octokit, status } from "./driver.ts";
import { type GitHubWorld, startGitHub } from "./github.ts";

describe("webhooks, trouble and limits", () => {
  let world: GitHubWorld;
  let receiver: Server;
  const received: { headers: IncomingMessage["headers"]; body: string }[] = [];

  beforeAll(async () => {
    world = await startGitHub({ owners: ["acme", "globex"] });
    receiver = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        received.push({ headers: request.headers, body });
        response.writeHead(202).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    world.setWebhookUrl(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`);
  });
  afterAll(async () => {
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
    await world.close();
  });

  test("what happens to a pull request reaches the app signed, in order, with the head as it is", async () => {
    const repository = await world.repository("globex", "shop", { files: { "a.go": "package a\n" } });
    const pull = await world.pullRequest(repository, {
      title: "[wip] feat: b",
      files: { "b.go": "package a\n" },
      draft: true,
    });
    const opened = pull.headSha;
    await world.push(pull, { "c.go": "package a\n" });
    const pushed = pull.headSha;
    await world.forcePush(pull, { "d.go": "package a\n" });
    await world.rename(pull, "a.go", "z.go");
    await world.edit(pull, { title: "feat: b" });
    await world.readyForReview(pull);
    await world.toDraft(pull);
    await world.label(pull, "kodiai:review", "hubot");
    await world.requestReview(pull, "kodiai-reviewer");
    await world.closePull(pull);
    await world.reopen(pull);

    const bodies = received.map(({ body }) => JSON.parse(body));
    expect(bodies.map((body) => body.action)).toEqual([
      ...["opened", "synchronize", "synchronize", "synchronize", "edited", "ready_for_review", "converted_to_draft"],
      ...["labeled", "review_requested", "closed", "reopened"],
    ]);
    for (const { headers, body } of received) {
      expect(await verify(world.appCredentials.webhookSecret, body, String(headers["x-hub-signature-256"]))).toBe(true);
    }
    expect(new Set(received.map(({ headers }) => headers["x-github-delivery"])).size).toBe(received.length);
    expect([bodies[1].before, bodies[1].after, bodies[1].pull_request.head.sha]).toEqual([opened, pushed, pushed]);
    expect(bodies[2].pull_request.changed_files).toBe(1);
    expect(bodies[4].changes.title.from).toBe("[wip] feat: b");
    expect(bodies[7].label.name).toBe("kodiai:review");
    expect(bodies[8].requested_reviewer.login).toBe("kodiai-reviewer");
    expect(bodies[0].installation.id).toBe(world.installations.get("globex"));
    expect(bodies[0].repository.full_name).toBe("globex/shop");
  });

  test("a delivery can be forged and repeated", async () => {
    const id = "11111111-2222-4333-8444-555555555555";
    const payload = { action: "opened", zen: "Keep it logically awesome." };
    await world.deliver("ping", payload, { id, secret: "not the secret at all, but long enough" });
    const { headers, body } = received.at(-1) ?? { headers: {}, body: "" };
    expect(headers["x-github-delivery"]).toBe(id);
    expect(await verify(world.appCredentials.webhookSecret, body, String(headers["x-hub-signature-256"]))).toBe(false);
    await world.deliver("ping", payload, { id });
    expect(received.at(-1)?.headers["x-github-delivery"]).toBe(id);
  });

  test("300 and more files are listed page by page, and the diff is refused as too large", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 320 }, (_, n) => [`src/f${String(n).padStart(3, "0")}.ts`, `export const n = ${n};\n`]),
    );
    const repository = await world.repository("acme", "large", { files: { "README.md": "# Large\n" } });
    const pull = await world.pullRequest(repository, {
      title: "feat: many",
      files: many,
      withoutPatch: ["src/f007.ts"],
    });
    const kodiai = octokit(world);
    const at = { owner: "acme", repo: "large", pull_number: pull.number };
    const first = await kodiai.rest.pulls.listFiles({ ...at, per_page: 100 });
    expect(first.headers.link).toContain(
      `<${world.apiUrl}/repos/acme/large/pulls/1/files?per_page=100&page=2>; rel="next"`,
    );
    const files = await kodiai.paginate(kodiai.rest.pulls.listFiles, { ...at, per_page: 100 });
    expect(files.map((file) => file.filename)).toEqual(Object.keys(many));
    expect(files.filter((file) => file.patch === undefined).map((file) => file.filename)).toEqual(["src/f007.ts"]);
    expect(await status(kodiai.rest.pulls.get({ ...at, mediaType: { format: "diff" } }))).toBe(406);
  });

  test("trouble comes as planned: a lost answer, a rate limit, a cut connection, then none", async () => {
    const repository = await world.repository("acme", "trouble", { files: { "a.ts": "export {};\n" } });
    const pull = await world.pullRequest(repository, { title: "fix: a", files: { "a.ts": "export {};\nf();\n" } });
    const kodiai = octokit(world);
    const review = {
      owner: "acme",
      repo: "trouble",
      pull_number: pull.number,
      event: "COMMENT",
      body: "once",
    } as const;
    const match = { method: "POST", path: /\/reviews$/ };
    world.fail({ match, status: 502, afterApplying: true });
    expect(await status(kodiai.rest.pulls.createReview(review))).toBe(502);
    expect(world.comments(pull).reviews.length).toBe(1);
    world.fail({ match, status: 403, retryAfter: 60 });
    expect(await status(kodiai.rest.pulls.createReview(review))).toBe(403);
    world.fail({ match, drop: true, afterApplying: true });
    expect(await status(kodiai.rest.pulls.createReview(review))).toBe(500);
    expect(world.comments(pull).reviews.length).toBe(2);
    expect(await status(kodiai.rest.pulls.createReview(review))).toBe(200);
  });

  test("after a push a comment follows its line, or is outdated", async () => {
    const repository = await world.repository("acme", "moving", { files: { "a.ts": "a();\nb();\n" } });
    const pull = await world.pullRequest(repository, {
      title: "fix: a",
      files: { "a.ts": "a();\nx();\ny();\nb();\n" },
    });
    const kodiai = octokit(world);
    const at = { owner: "acme", repo: "moving", pull_number: pull.number };
    const comments = [2, 3].map((line) => ({ path: "a.ts", line, side: "RIGHT", body: `on ${line}` }));
    await kodiai.rest.pulls.createReview({ ...at, commit_id: pull.headSha, event: "COMMENT", comments });
    await world.push(pull, { "a.ts": "a();\nnew();\nx();\nb();\n" });
    const { data } = await kodiai.rest.pulls.listReviewComments(at);
    expect(data.map((comment) => [comment.body, comment.line ?? null, comment.original_line])).toEqual([
      ["on 2", 3, 2],
      ["on 3", null, 3],
    ]);
  });

  test("requests that GitHub does not describe are noticed", async () => {
    const before = world.violations.length;
    const kodiai = octokit(world);
    const at = { owner: "acme", repo: "moving", pull_number: 1 };
    const comments = [{ path: "a.ts", lnie: 2, side: "MIDDLE", body: "x" }];
    await status(
      kodiai.request("POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews", {
        ...at,
        event: "NOPE" as "COMMENT",
        comments,
      }),
    );
    await status(
      kodiai.request("GET /repos/{owner}/{repo}/pulls/{pull_number}/files", {
        ...at,
        per_page: "many" as unknown as number,
        pgae: 2,
      }),
    );
    await status(kodiai.request("GET /repos/{owner}/{repo}/stargazers", at));
    const seen = world.violations.slice(before).join("\n");
    expect(seen).toContain("/event must be equal to one of the allowed values");
    expect(seen).toContain("/comments/0 must NOT have additional properties (lnie)");
    expect(seen).toContain("query per_page=many: body must be integer");
    expect(seen).toContain("query has no parameter pgae");
    expect(seen).toContain("/stargazers: is not in GitHub's API description");
  });
});
