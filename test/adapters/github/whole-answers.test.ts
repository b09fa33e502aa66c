// Answers that are not what they seem, over real HTTP: none becomes an empty list or an unnamed
// success.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Octokit } from "@octokit/rest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { guardedFetch } from "../../../src/adapters/github/guarded-fetch.ts";
import { wholeAnswers } from "../../../src/adapters/github/whole-answers.ts";

type Answer = (response: ServerResponse) => void;

let answer: Answer = () => {};
const server = createServer((_, response) => answer(response));
let github: Octokit;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const silent = () => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  github = new Octokit({ baseUrl, log, request: { fetch: wholeAnswers(guardedFetch({ origins: [baseUrl] })) } });
});
afterAll(() => void server.close());

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
const text = (status: number, body: string, headers: Readonly<Record<string, string>> = JSON_TYPE): Answer => {
  return (response) => void response.writeHead(status, headers).end(body);
};
const AT = { owner: "acme", repo: "shop", issue_number: 1 };
const list = () => github.paginate(github.rest.issues.listComments, AT);
const say = () => github.rest.issues.createComment({ ...AT, body: "Hello" });

const NO_ANSWERS: Readonly<Record<string, Answer>> = {
  "a body that breaks off": (response) => {
    response.writeHead(200, { ...JSON_TYPE, "content-length": "5000" }).write('[{"id":1}');
    setTimeout(() => response.destroy(), 20);
  },
  "half a list": text(200, '[{"id":1},{"id":'),
  nothing: text(200, ""),
  "a word": text(200, '"ok"'),
  "a page of somebody in between": text(200, "<html>Please log in</html>", { "content-type": "text/html" }),
  "a redirect that nobody follows": text(301, '{"message":"Moved Permanently"}'),
};

for (const [name, wrong] of Object.entries(NO_ANSWERS))
  test(`${name} is a request that failed, whether it reads or writes`, async () => {
    answer = wrong;
    for (const asked of [list, say]) await expect(asked()).rejects.toMatchObject({ name: "HttpError", status: 500 });
  });

test("every real answer of GitHub passes", async () => {
  answer = text(200, '[{"id":1}]\n');
  expect(await list()).toEqual([{ id: 1 }]);
  answer = text(201, '{"id":2}');
  expect((await say()).data).toEqual({ id: 2 });
  answer = (response) => void response.writeHead(204).end();
  expect((await github.rest.issues.deleteComment({ ...AT, comment_id: 2 })).status).toBe(204);
  answer = text(200, "half { a file", { "content-type": "application/vnd.github.raw+json; charset=utf-8" });
  const raw = { owner: "acme", repo: "shop", path: "a", mediaType: { format: "raw" } };
  expect((await github.rest.repos.getContent(raw)).data).toBe("half { a file");
  answer = text(200, '{"total_commits":1,"commits":[{"sha":"a"}],"files":[]}');
  const two = { owner: "acme", repo: "shop", basehead: "a...b", per_page: 1 };
  expect(await github.paginate(github.rest.repos.compareCommitsWithBasehead, two)).toEqual([{ sha: "a" }]);
  answer = text(404, '{"message":"Not Found"}');
  await expect(list()).rejects.toMatchObject({ status: 404 });
  answer = text(502, "<html>Bad gateway</html>", { "content-type": "text/html" });
  await expect(list()).rejects.toMatchObject({ status: 502 });
});
