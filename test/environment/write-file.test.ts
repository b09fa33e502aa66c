// What is written into the folder of another person never reaches a file elsewhere.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runVerb } from "../../src/cli/run-verb.ts";
import { keepPrivateKey, keepVariables } from "../../src/cli/setup/setup-plan.ts";
import { writeForeignFile } from "../../src/environment/write-file.ts";

let root: string;
let repo: string;
let home: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kodiai-write-"));
  [repo, home] = [join(root, "repo"), join(root, "home")];
  for (const folder of [repo, home]) mkdirSync(folder);
  writeFileSync(join(home, ".bash_aliases"), "mine\n");
  vi.spyOn(process, "cwd").mockReturnValue(repo);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

const REPLACED = { mode: 0o600, replaces: true };
const untouched = () => {
  expect(readFileSync(join(home, ".bash_aliases"), "utf8")).toBe("mine\n");
  expect(readdirSync(home)).toEqual([".bash_aliases"]);
};

describe.each([
  ["to a file", () => join(home, ".bash_aliases")],
  ["to nothing", () => join(home, "new")],
  [
    "of a link to a file",
    () => {
      symlinkSync(join(home, ".bash_aliases"), join(repo, "middle"));
      return "middle";
    },
  ],
])("a link %s", (_name, target) => {
  test.each([
    ["a new file", (path: string) => writeForeignFile(path, ["x"], { mode: 0o666, replaces: false })],
    ["a file that is replaced", (path: string) => writeForeignFile(path, ["x"], REPLACED)],
    [".env", (path: string) => keepVariables(path, new Map([["PORT", "1"]]))],
  ])("is not written through: %s", async (_kind, write) => {
    symlinkSync(target(), join(repo, "out"));
    await expect(write(join(repo, "out"))).rejects.toThrow("is a link, through which nothing is written");
    untouched();
  });

  test("in the place of a folder of the working folder neither", async () => {
    symlinkSync(home, join(repo, "conf"));
    for (const path of ["conf/out", "conf/deep/out", join(repo, "conf", "out")])
      await expect(writeForeignFile(path, ["x"], { ...REPLACED, makesFolders: true })).rejects.toThrow("is a link");
    await expect(keepPrivateKey(join(repo, "conf"), "key")).rejects.toThrow("is a link");
    untouched();
  });
});

test("a committed `.env.new` is not written through, and what is replaced is replaced as a whole", async () => {
  symlinkSync(join(home, ".bash_aliases"), join(repo, ".env.new"));
  writeFileSync(join(repo, ".env"), "PORT=1\n", { mode: 0o644 });
  await keepVariables(join(repo, ".env"), new Map([["PORT", "2"]]));
  expect(readFileSync(join(repo, ".env"), "utf8")).toBe("PORT=2\n");
  expect(statSync(join(repo, ".env")).mode & 0o777).toBe(0o600);
  untouched();
  async function* failing() {
    yield "half";
    throw new Error("the store is closed");
  }
  await expect(writeForeignFile(join(repo, "out"), failing(), REPLACED)).rejects.toThrow("the store is closed");
  expect(readdirSync(repo).toSorted()).toEqual([".env", ".env.new"]);
});

test("kodiai init does not write through a committed link, with --force neither", async () => {
  execFileSync("git", ["init", "-q"], { cwd: repo });
  symlinkSync("../home/.bash_aliases", join(repo, ".kodiai.yml"));
  vi.spyOn(console, "error").mockImplementation(() => {});
  for (const words of [[], ["--force"]]) expect(await runVerb(["init", "--repo", repo, ...words])).toBe(2);
  rmSync(join(home, ".bash_aliases"));
  for (const words of [[], ["--force"]]) expect(await runVerb(["init", "--repo", repo, ...words])).toBe(2);
  expect(existsSync(join(home, ".bash_aliases"))).toBe(false);
});

/**
 * Modules that write, and where. Everything that is written into another folder goes through
 * `writeForeignFile`.
 */
const WRITERS = [
  "adapters/blob-cache.ts: the data folder",
  "adapters/fail-point.ts: a file that a test of crashes names",
  "adapters/git/local-changes.ts: a new folder below the system's temporary one",
  "cli/setup/setup-plan.ts: makes the data folder",
  "environment/data-dir.ts: makes the data folder",
  "environment/write-file.ts: every other folder",
  "server/job-process.ts: the pipe to the server",
  "server/processor-watch.ts: the pipe to the server",
  "store/owner-only.ts: the data folder",
  "store/upkeep/backup.ts: an empty folder that the operator names",
  "store/upkeep/restore.ts: the data folder",
  "store/upkeep/snapshot.ts: the data folder, a backup",
  "store/upkeep/tombstones.ts: the data folder",
];

test("every module that writes a file is known", () => {
  const src = join(import.meta.dirname, "../../src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .toSorted();
  const imports = /import (?:type )?\{([^}]*)\} from "node:fs(?:\/promises)?"/g;
  const writes =
    /^(?:writeFile|appendFile|copyFile|rename|mkdir|symlink|link|open|createWriteStream|truncate|cp|writev?|mkdtemp)(?:Sync)?$/;
  const writers = files.filter((path) =>
    [...readFileSync(join(src, path), "utf8").matchAll(imports)].some(([, names = ""]) =>
      names.split(",").some((name) => writes.test(name.trim())),
    ),
  );
  expect(writers).toEqual(WRITERS.map((line) => line.split(":")[0]));
});
