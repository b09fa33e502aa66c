// Names of files and branches that nobody here wrote, in requests to GitHub: each arrives as the
// very name that it is, within the repository that was meant.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Octokit } from "@octokit/rest";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeBaseOf } from "../../../src/adapters/github/read/list-changes.ts";
import { githubFiles } from "../../../src/adapters/github/read/pull-requests.ts";
import { REPO } from "../../fakes/pull-requests.ts";
import { runs } from "../../property-runs.ts";

const SHARED = resolve(process.cwd(), "../shared/bad-inputs");
const isHere = existsSync(SHARED);
if (!isHere) console.warn(`skipped: the lists of paths and branches are not there (${SHARED})`);

const asked: URL[] = [];
const github = new Octokit({
  request: {
    fetch: (url: string) => {
      asked.push(new URL(url));
      return Promise.resolve(Response.json({ message: "Not Found" }, { status: 404 }));
    },
  },
  log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
});
const files = githubFiles({ forOwnersRepository: () => Promise.resolve(github as never) }, 1);
const BASE = `/repos/${REPO.owner}/${REPO.name}`;

/**
 * The request's own idea of the path, decoded once as a server does; null when nothing was asked.
 */
async function contentsAsked(
  path: string,
  sha: string,
): Promise<{ readonly path: string; readonly ref: string | null } | null> {
  asked.length = 0;
  expect(await files.text(REPO, path, sha, 1_000)).toBeNull();
  const [url] = asked;
  if (url === undefined) return null;
  expect([asked.length, url.origin]).toEqual([1, "https://api.github.com"]);
  expect(url.pathname.startsWith(`${BASE}/contents/`)).toBe(true);
  const rest = url.pathname.slice(`${BASE}/contents/`.length);
  return { path: decodeURIComponent(rest), ref: url.searchParams.get("ref") };
}

const linesOf = (file: string) =>
  readFileSync(join(SHARED, file), "utf8")
    .split("\n")
    .filter((line) => line !== "");

test.runIf(isHere)("lists of traversals, fuzz and branch names stay names [T23]", async () => {
  const fuzz = readdirSync(join(SHARED, "fuzzdb"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".txt"))
    .flatMap((file) => linesOf(join("fuzzdb", file)));
  const refs = linesOf("refs/branch_names.jsonl").map((line) => (JSON.parse(line) as { ref: string }).ref);
  const names = [...linesOf("paths/pat_directory_traversal.txt"), ...fuzz, ...refs].map((name) => name.toWellFormed());
  expect(names.length).toBeGreaterThan(1_400);
  for (const name of names) {
    const said = await contentsAsked(name, name);
    if (said === null) expect(["", ".", ".."]).toContain(name);
    else expect(said).toEqual({ path: name, ref: name });
  }
  for (const name of refs) {
    asked.length = 0;
    await mergeBaseOf(github as never, REPO, name, name).catch(() => {});
    const [url] = asked;
    expect(decodeURIComponent(url?.pathname.slice(`${BASE}/compare/`.length) ?? "")).toBe(`${name}...${name}`);
  }
});

test("any name at all stays a name; one that is a step in an address is not asked for", async () => {
  const piece = fc.constantFrom(
    "..",
    ".",
    "/",
    "\\",
    "%2e",
    "%2F",
    "%00",
    "?",
    "#",
    "@",
    ":",
    ";",
    "a",
    " ",
    "é",
    "//",
    "\t",
  );
  const name = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
    fc.string({ maxLength: 20 }),
  );
  await fc.assert(
    fc.asyncProperty(name, async (path) => {
      const said = await contentsAsked(path, "main");
      if (said === null) expect(["", ".", ".."]).toContain(path);
      else expect(said.path).toBe(path);
    }),
    runs(500),
  );
});
