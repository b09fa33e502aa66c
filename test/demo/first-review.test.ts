// The demo with a stand-in for the app: the demo prints what the app posts, and removes its files.
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import { expect, test } from "vitest";
import { runDemo } from "../../demo/first-review.ts";
import { PULL_REQUEST } from "../../demo/pull-request.ts";
import { BASE } from "../../demo/repository.ts";
import type { StartApp } from "../../demo/start-app.ts";

const PLANTED: readonly (readonly [string, string])[] = [
  ["src/users.ts", "SELECT id, email, name FROM people WHERE email = '"],
  ["src/passwords.ts", 'createHash("md5")'],
  ["src/sessions.ts", "rejectUnauthorized: false"],
  ["test/sessions.test.ts", "test.only"],
  ["worker/invite.py", "verify=False"],
  ["worker/invite.py", "shell=True"],
  ["exporter/store.go", "fmt.Sprintf"],
  ["exporter/client.go", "InsecureSkipVerify: true"],
  ["db/migrations/002_passwords.sql", "NOT NULL;"],
  [".github/workflows/greet.yml", "github.event.pull_request.title"],
];

/** Comments on every planted defect. */
const standIn: StartApp = async ({ apiUrl, appId, privateKey }) => {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const auth = { appId, privateKey, installationId: 1001 };
  const github = new Octokit({ authStrategy: createAppAuth, auth, baseUrl: apiUrl, log: quiet });
  const server = createServer(async (request, response) => {
    request.resume();
    response.writeHead(202).end();
    if (request.headers["x-github-event"] !== "pull_request") return;
    const at = { owner: "acme", repo: "ledger" };
    const comments = PLANTED.map(([path, text]) => {
      const line = (PULL_REQUEST.files[path] ?? "").split("\n").findIndex((one) => one.includes(text)) + 1;
      return { path, line, side: "RIGHT", body: `<!-- kodiai -->**Planted** ${text}` };
    });
    await github.rest.pulls.createReview({
      ...at,
      pull_number: 2,
      event: "COMMENT",
      body: "See the summary.",
      comments,
    });
    await github.rest.issues.createComment({ ...at, issue_number: 2, body: "<!-- kodiai -->Ten findings." });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    webhookUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

test("the demo prints every comment under its line, counts them, and removes its files", async () => {
  const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith("kodiai-demo-"));
  const before = leftovers();
  const printed: string[] = [];
  const counts = await runDemo(standIn, { colours: false, print: (text) => void printed.push(text) });
  expect(counts).toEqual({ reviews: 1, inline: 10, languages: 5, imported: 0 });
  const text = printed.join("\n");
  expect(text).toContain(
    [
      "src/passwords.ts:11",
      "    8 +}",
      "    9 +",
      "   10 +export function hashPassword(password: string): string {",
      '   11 +  return createHash("md5").update(password).digest("hex");',
      "      ╭─",
      '      │ Planted createHash("md5")',
      "      ╰─",
    ].join("\n"),
  );
  expect(text).toContain("201 POST /repos/acme/ledger/issues/2/comments");
  expect(text).not.toContain("<!--");
  expect(text).not.toContain("\u001b");
  expect(leftovers()).toEqual(before);
});

test("the demo fails with the reason when the app cannot start, and stops the emulator", async () => {
  const failing: StartApp = () => Promise.reject(new Error("no database"));
  await expect(runDemo(failing, { colours: false, print: () => undefined })).rejects.toThrow("no database");
});

test("the pull request changes existing files and adds new ones", () => {
  const changed = Object.entries(PULL_REQUEST.files).filter(([path]) => path in BASE);
  expect(changed.length).toBeGreaterThanOrEqual(6);
  expect(changed.filter(([path, text]) => BASE[path] === text)).toEqual([]);
});
