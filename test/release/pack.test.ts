// The package as somebody installs it: compiled, packed, installed without scripts, and started.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { oldNode } from "../cli/old-node.ts";
import { expectWork, type Installed, installPackage } from "./installed.ts";
import { registryProblem } from "./registry.ts";

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
    expect.arrayContaining(["./check-worker.ts", "./inspect-process.ts", "./job-process.ts", "./processor-watch.ts"]),
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

const NO_REGISTRY = "npm's registry cannot be reached";

describe("installed in an empty folder, without install scripts", () => {
  let installed: Installed | null = null;
  beforeAll(() => {
    if (registryProblem() === null) installed = installPackage();
  });
  afterAll(() => installed?.remove());

  test("reviews a repository, remembers and finds, in processes and threads of its own", (context) => {
    if (installed === null) return context.skip(NO_REGISTRY);
    expectWork(installed);
  });

  test("says on an old Node which one it needs, and ends with 3", (context) => {
    if (installed === null) return context.skip(NO_REGISTRY);
    const node = oldNode();
    if (node === null) return context.skip("no old Node");
    expect(installed.kodiai(["review", "--fail-on", "major"], node)).toEqual({
      code: 3,
      out: "",
      err: expect.stringMatching(/^kodiai needs Node 22\.18 or newer; this is \d+\.\d+\.\d+\n$/),
    });
  });

  test("carries the files that the dashboard serves, and the figures that are read beside the code", (context) => {
    if (installed === null) return context.skip(NO_REGISTRY);
    const kodiai = join(installed.app, "node_modules/kodiai");
    const assets = (base: string) =>
      readdirSync(join(base, "src"), { recursive: true, encoding: "utf8", withFileTypes: true })
        .filter((entry) => entry.isFile() && !/\.(?:ts|js|json)$/.test(entry.name))
        .map((entry) => entry.name);
    expect(assets(join(kodiai, "dist")).sort()).toEqual(assets(process.cwd()).sort());
    const program = `const { assetPath } = await import(${JSON.stringify(join(kodiai, "dist/src/dashboard/assets.js"))}); console.log(assetPath("style.css"), assetPath("charts.js"));`;
    const asked = spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
    expect(asked.stdout).toMatch(/^\/assets\/style\.css\?v=\S+ \/assets\/charts\.js\?v=\S+\n$/);
  });

  test("what it depends on is listed", (context) => {
    if (installed === null) return context.skip(NO_REGISTRY);
    const listed = spawnSync("npm", ["run", "-s", "release:sbom"], { encoding: "utf8" });
    const { bomFormat, components } = JSON.parse(listed.stdout);
    expect(bomFormat).toBe("CycloneDX");
    const names = components.map(({ name, group }: { name: string; group?: string }) =>
      group === undefined ? name : `${group}/${name}`,
    );
    expect(names).toEqual(expect.arrayContaining(["better-sqlite3", "probot"]));
    expect(names).not.toContain("vitest");
  });

  test("carries types that a program can be checked against", (context) => {
    if (installed === null) return context.skip(NO_REGISTRY);
    const { app } = installed;
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
  });
});
