import { expect, test } from "vitest";
import { readConfig } from "../../src/gather/read-config.ts";
import { REPO } from "../fakes/pull-requests.ts";

interface Files {
  readonly base?: string;
  readonly owner?: Readonly<Record<string, string>>;
}

async function given({ base, owner = {} }: Files, repo = REPO) {
  const asked: string[] = [];
  const ofOwner = async (name: string) => {
    asked.push(name);
    const text = new Map(Object.entries(owner)).get(name);
    return text === undefined ? null : { text, isShown: true };
  };
  const found = await readConfig(repo, { around: async () => [], ofBase: async () => base ?? null, ofOwner }, {});
  return { ...found, asked };
}

test("a repository without any file has the built-in defaults", async () => {
  const { config, problems, asked } = await given({});
  expect(config.review.maxComments).toBe(10);
  expect(problems).toEqual([]);
  expect(asked).toEqual([".github"]);
});

test("the owner's defaults are overridden by the extended file, and that by the repository's own", async () => {
  const owner = {
    ".github": "review:\n  maxComments: 1\n  drafts: true\n  profile: quiet\n",
    settings: "review:\n  maxComments: 2\n  profile: thorough\n",
  };
  const { config, asked } = await given({ base: "_extends: settings\nreview:\n  maxComments: 3\n", owner });
  expect(config.review).toMatchObject({ maxComments: 3, profile: "thorough", drafts: true });
  expect(asked).toEqual([".github", "settings"]);
});

test("what an extended file extends in turn is not followed", async () => {
  const owner = { settings: "_extends: more\n", ".github": "_extends: evenmore\n" };
  expect((await given({ base: "_extends: settings\n", owner })).asked).toEqual([".github", "settings"]);
});

test.each([
  "evil/settings",
  "acme/settings",
  "https://evil.example/x.yml",
  "../../etc",
  "..",
  "settings:path/x.yml",
  "$(HOME)",
  "a".repeat(101),
])("%s is not requested, and the file's own settings apply", async (name) => {
  const { asked, problems, config } = await given({ base: `_extends: ${name}\nreview:\n  maxComments: 3\n` });
  expect(asked).toEqual([".github"]);
  expect(problems.map(({ file, key, severity }) => [file, key, severity])).toEqual([
    [".kodiai.yml", "_extends", "error"],
  ]);
  expect(config.review.maxComments).toBe(3);
});

test("a file that extends what is not there says so", async () => {
  const { problems } = await given({ base: "_extends: settings\n" });
  expect(problems[0]?.message).toBe("acme/settings has no .kodiai.yml to read");
});

test("the owner's .github repository is not its own default, nor a repository its own extension", async () => {
  expect((await given({ base: "" }, { ...REPO, name: ".github" })).asked).toEqual([]);
  expect((await given({ base: "_extends: player\n" })).asked).toEqual([".github"]);
});

test("a file of more than 256 KiB is a problem, and the weaker ones apply", async () => {
  const base = `review:\n  maxComments: 3\n#${"é".repeat(128 * 1024)}`;
  const { config, problems } = await given({ base, owner: { ".github": "review:\n  maxComments: 7\n" } });
  expect(config.review.maxComments).toBe(7);
  expect(problems.map(({ file, message }) => [file, message])).toEqual([
    [".kodiai.yml", "the file is larger than 256 KiB and was not read; shorten it"],
  ]);
});

test.each([
  [".kodiai.yaml", "file", "is not read; name it `.kodiai.yml`, at the root"],
  ["kodiai.yml", "file", "is not read; name it `.kodiai.yml`, at the root"],
  [".Kodiai.YML", "file", "is not read; name it `.kodiai.yml`, at the root"],
  [".github/.kodiai.yml", "file", "is not read; name it `.kodiai.yml`, at the root"],
  [".github/kodiai.yaml", "file", "is not read; name it `.kodiai.yml`, at the root"],
  [".kodiai.yml", "link", "is a symbolic link, which is not read; commit the file itself"],
  [".kodiai.yml", "folder", "is a folder; it must be a file"],
  [".kodiai.yml", "file", "is not read: it is no text in UTF-8 or UTF-16, or larger than 1 MB"],
] as const)("%s (a %s) where no configuration can be read is a problem", async (path, kind, message) => {
  const around = async () => [{ path: "README.md", kind: "file" } as const, { path, kind }];
  const repo = { host: "github.com", id: 1, ownerId: 1, owner: "acme", name: "shop", visibility: "private" } as const;
  const { problems } = await readConfig(repo, { ofBase: async () => null, around, ofOwner: async () => null }, {});
  expect(problems).toEqual([{ file: path, key: "", line: null, column: null, severity: "error", message }]);
});
