// kodiai init and kodiai config: a first file, and who said what holds.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { parseConfig } from "../../src/config/parse-config.ts";
import { type GitHubWorld, startGitHub } from "../fakes/github/github.ts";
import { type Clone, kodiai, newClone } from "./kodiai.ts";

let clone: Clone;
let world: GitHubWorld;
let github: Record<string, string>;
beforeAll(async () => {
  world = await startGitHub();
  await world.repository("acme", ".github", {
    files: { ".kodiai.yml": "preset: quiet\nreview: {language: Deutsch}\n" },
    private: true,
  });
  await world.repository("acme", "shop", {
    files: { "README.md": "# Shop\n", ".kodiai.yml": "review: {maxComments: 4}\nrules: {shell-from-strings: off}\n" },
    private: true,
  });
  github = { GITHUB_TOKEN: world.personalToken("lena"), GITHUB_API_URL: world.apiUrl };
});
beforeEach(() => {
  clone = newClone();
  return () => clone.remove();
});
afterAll(async () => {
  expect(world.violations).toEqual([]);
  await world.close();
});

const run = (words: readonly string[], env: Record<string, string> = {}) => kodiai(words, { cwd: clone.path, env });
const written = () => readFileSync(join(clone.path, ".kodiai.yml"), "utf8");

test("init writes a first file that names the preset; a check finds no problem", async () => {
  expect(await run(["init", "--preset", "quiet"])).toMatchObject({
    code: 0,
    err: "",
    out: expect.stringMatching(/^wrote .*\.kodiai\.yml; /),
  });
  const { config, problems } = parseConfig([{ file: ".kodiai.yml", text: written() }]);
  expect(problems).toEqual([]);
  expect(config.preset).toBe("quiet");
  expect(await run(["config", "check"])).toMatchObject({ code: 0, out: ".kodiai.yml: no problems\n" });
});

test("init never writes over a file unasked", async () => {
  clone.write({ ".kodiai.yml": "review: {drafts: true}\n", "src/a\nb.go": "package a\n" });
  const refused = await run(["init"]);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("already exists; --force") });
  expect(written()).toBe("review: {drafts: true}\n");
  const [printed, unknown] = await Promise.all([run(["init", "--stdout"]), run(["init", "--preset", "loud"])]);
  expect(parseConfig([{ file: "f", text: printed.out }]).problems).toEqual([]);
  expect(unknown).toMatchObject({
    code: 2,
    err: expect.stringContaining("--preset takes one of quiet, balanced, thorough"),
  });
  expect(written()).toBe("review: {drafts: true}\n");
  expect((await run(["init", "--force"])).code).toBe(0);
  expect(written()).toBe(printed.out);
});

test("config prints each value that differs from the default with its source, all values with --all", async () => {
  clone.write({ ".kodiai.yml": "review: {maxComments: 5}\n" });
  clone.git("remote", "add", "origin", "git@github.com:acme/shop.git");
  const [set, whole, alone, json] = await Promise.all([
    run(["config"], github),
    run(["config", "--all"], github),
    run(["config", "--all"]),
    run(["config", "--json"], github),
  ]);
  const line = (out: string, key: string) =>
    out
      .split("\n")
      .find((one) => one.startsWith(`${key}: `))
      ?.replace(/ +#/, " #");
  expect(whole).toMatchObject({ code: 0, err: "" });
  const used =
    "acme/.github/.kodiai.yml, .kodiai.yml of the working tree, which HEAD has not: reviews use it with --config";
  expect(set.out).toMatch(new RegExp(`^# ${used} `));
  expect(line(set.out, "review.maxComments")).toBe("review.maxComments: 5 # .kodiai.yml");
  expect(set.out).not.toContain("# default");
  expect(set.out).toMatch(/\n\d+ keys at the default; --all prints them\n/);
  expect(
    ["review.maxComments", "review.language", "review.profile", "review.drafts"].map((key) => line(whole.out, key)),
  ).toEqual([
    "review.maxComments: 5 # .kodiai.yml",
    "review.language: Deutsch # acme/.github/.kodiai.yml",
    "review.profile: quiet # preset quiet",
    "review.drafts: false # default",
  ]);
  expect(line(alone.out, "review.language")).toBe("review.language: English # default");
  expect(alone.out).toContain(
    "not read: what the owner's `.github` repository and `_extends` say: GITHUB_TOKEN is not set",
  );
  expect(JSON.parse(json.out)).toMatchObject({ version: 1, problems: [], notRead: null, repository: clone.path });
});

test("config of OWNER/NAME is read from GitHub, and needs a token", async () => {
  const [found, none] = await Promise.all([
    run(["config", "show", "--repo", "acme/shop", "--json"], github),
    run(["config", "show", "--repo", "acme/shop"]),
  ]);
  const { values } = JSON.parse(found.out) as { values: { key: string; value: unknown; origin: string }[] };
  expect(values.find(({ key }) => key === "rules.shell-from-strings")).toEqual({
    key: "rules.shell-from-strings",
    value: "off",
    origin: ".kodiai.yml",
  });
  expect(values.find(({ key }) => key === "review.profile")).toMatchObject({ value: "quiet", origin: "preset quiet" });
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining("set GITHUB_TOKEN") });
});

test("config explain prints a key with its value here, and a misspelt one ends with 2", async () => {
  clone.write({ ".kodiai.yml": "preset: thorough\n" });
  const [key, typo] = await Promise.all([
    run(["config", "explain", "review.maxComments"]),
    run(["config", "explain", "maxComents"]),
  ]);
  expect(key).toMatchObject({ code: 0, err: "" });
  expect(key.out).toMatch(/here: +20 {2}\(from: preset thorough\)/);
  expect(typo).toMatchObject({ code: 2, err: expect.stringContaining("did you mean review.maxComments?") });
});

test("config check reads the file of the clone that --repo names, and says what to do about a missing one", async () => {
  const elsewhere = newClone();
  try {
    const check = (...words: string[]) => run(["config", "check", ...words]);
    expect(await check("--repo", elsewhere.path)).toMatchObject({
      code: 2,
      err: `kodiai config: no .kodiai.yml in ${elsewhere.path}; \`kodiai init\` writes one\n`,
    });
    elsewhere.write({ ".kodiai.yml": "review:\n  profil: quiet\n" });
    expect(await check("--repo", elsewhere.path)).toMatchObject({
      code: 2,
      out: expect.stringContaining(`${elsewhere.path}/.kodiai.yml:2:3: error: review.profil`),
    });
    expect((await check("other.yml")).err).toBe("kodiai config: other.yml cannot be read: there is no such file\n");
    expect((await check("--repo", "acme/shop")).err).toContain("acme/shop is not a folder");
  } finally {
    elsewhere.remove();
  }
});

test("config with a wrong file says where, and ends with 2", async () => {
  clone.write({ ".kodiai.yml": "review:\n  profil: quiet\n" });
  expect(await run(["config"])).toMatchObject({
    code: 2,
    out: expect.stringContaining(".kodiai.yml:2:3: error: review.profil"),
  });
});
