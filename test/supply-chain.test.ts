// What Kodiai is made of and by: nothing comes in by a name that somebody else can move, and
// nothing runs when it comes in.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

const FOLDER = ".github/workflows";
const workflows = readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), "utf8")] as const);

interface Locked {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
  /** Made for these systems only. */
  readonly os?: readonly string[];
  readonly version?: string;
}
const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Locked> };
const fromRegistry = Object.entries(packages).filter(
  ([path, { link, resolved = "" }]) => path.includes("node_modules/") && link !== true && !resolved.startsWith("file:"),
);

test("workflows name every action by its hash, with the version beside it [T25]", () => {
  const uses = workflows.flatMap(([name, text]) =>
    [...text.matchAll(/^\s*-?\s*uses:\s*(.+)$/gm)].map(([, used = ""]) => `${name}: ${used}`),
  );
  expect(uses.length).toBeGreaterThan(5);
  expect(uses.filter((one) => !/@[0-9a-f]{40} # v\d/.test(one) && !/: \.\//.test(one))).toEqual([]);
});

test("a job that may sign or write runs nothing of ours: what it publishes was built and tested by another [T25]", () => {
  const writing = workflows.flatMap(([name, text]) => {
    const [head = "", ...jobs] = text.split(/^ {2}(?=[\w-]+:\n {4})/m);
    expect(head, name).not.toContain(": write");
    return jobs.filter((one) => one.includes(": write")).map((job) => ({ name, job }));
  });
  for (const { name, job } of writing) {
    expect(job, name).toMatch(/^ {4}needs: (?:\w+|\[publish, image\])$/m);
    expect(job, name).not.toMatch(/checkout@|npm (?:ci|run|test|exec|pack)|npx |node |docker (?:build|run)/);
  }
  const granted = writing.map(({ name, job }) => [name, ...(job.match(/[\w-]+: write/g) ?? [])]);
  expect(granted).toEqual([
    ["publish.yml", "id-token: write"],
    ["publish.yml", "packages: write"],
    ["publish.yml", "contents: write"],
  ]);
  const [signing = ""] = writing.map(({ job }) => job);
  expect([...signing.matchAll(/^ {6}- run: (.+)$/gm)].map(([, run]) => run)).toEqual([
    "npm publish ./out/*.tgz --provenance --access public --ignore-scripts",
  ]);
});

test("images of others are named by their digest, with the version beside it [T25]", () => {
  const files = [
    "Dockerfile",
    ...readdirSync("deploy", { recursive: true, encoding: "utf8" }).map((one) => `deploy/${one}`),
  ];
  const named = files
    .filter((file) => /Dockerfile$|\.ya?ml$/.test(file))
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/^(?:FROM|\s*-?\s*image:)\s+(\S+)/gm)])
    .map(([, image = ""]) => image);
  // What is built from this repository has the name that its operator gives it.
  const others = named.filter((image) => !/^(?:registry\.example\.com\/)?kodiai:/.test(image));
  expect(others.length).toBeGreaterThanOrEqual(2);
  expect(others.filter((image) => !/:\d+\.\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/.test(image))).toEqual([]);
  const renewed = readFileSync(".github/dependabot.yml", "utf8");
  for (const kind of ["docker", "docker-compose", "github-actions"])
    expect(renewed).toContain(`package-ecosystem: ${kind}\n`);
});

test("workflows only read, unless a job needs more; and no outside change runs with our permissions [T25]", () => {
  for (const [name, text] of workflows) {
    expect(text, name).toMatch(/^permissions:\n {2}contents: read\n/m);
    expect(text, name).not.toContain("pull_request_target");
  }
});

test("packages are locked by hash, installed as locked, and run nothing when they are installed [T25]", () => {
  expect(fromRegistry.length).toBeGreaterThan(100);
  const unhashed = fromRegistry.filter(
    ([, { integrity, inBundle }]) => !integrity?.startsWith("sha512-") && inBundle !== true,
  );
  // Builds for other systems that the registry at hand did not have (scripts/complete-lock.mjs): by
  // their version alone.
  const isOther = ({ optional, os, version }: Locked) =>
    optional && os !== undefined && /^\d+\.\d+\.\d+$/.test(version ?? "");
  expect(unhashed.filter(([, locked]) => !isOther(locked)).map(([path]) => path)).toEqual([]);
  expect(readFileSync(".npmrc", "utf8")).toMatch(/^ignore-scripts=true$/m);
  const commands = [
    ...workflows.map(([, text]) => text),
    readFileSync("Dockerfile", "utf8"),
    readFileSync(".ci/run", "utf8"),
  ];
  for (const text of commands) expect(text).not.toMatch(/\bnpm (?:i|install)\b(?! -g)/);
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?(?:install|prepare|publish|pack)$/.test(name))).toEqual(
    [],
  );
});

/**
 * Folders that are made, not kept; and the data of tests and evaluations, which nothing installs or
 * runs.
 */
const NOT_KEPT = new Set(["node_modules", ".git", "dist", "fixtures", "eval"]);

function filesIn(root: string, folder = ""): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_KEPT.has(entry.name) ? [] : filesIn(root, path);
    return entry.isFile() ? [path] : [];
  });
}

/**
 * Whatever brings something in by a name that can move, or runs when something comes in, in any
 * file of a folder.
 */
function loose(root: string): string[] {
  return filesIn(root).flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    const problems = [
      ...(/\.ya?ml$/.test(path) ? usesIn(text).filter((one) => !isHashed(one)) : []),
      ...(isRun(path, text) && /\bnpm (?:i|install)\b(?! -g)/.test(text) ? ["npm install"] : []),
      ...(basename(path) === "package.json" ? lifecycleOf(text) : []),
      ...(basename(path) === "package-lock.json" ? unhashedIn(text) : []),
    ];
    return problems.map((problem) => `${path}: ${problem}`);
  });
}

function usesIn(text: string): string[] {
  return [...text.matchAll(/^\s*-?\s*["']?uses["']?:\s*(.+)$/gm)].map(([, used = ""]) => used);
}

function isHashed(used: string): boolean {
  return /@[0-9a-f]{40} # v\d/.test(used) || /^["']?\.\//.test(used);
}

function isRun(path: string, text: string): boolean {
  return /\.(?:ya?ml|sh|bash)$|(?:Docker|Container|Make)file/i.test(path) || text.startsWith("#!");
}

function lifecycleOf(text: string): string[] {
  const { scripts = {} } = JSON.parse(text) as { scripts?: Record<string, string> };
  return Object.keys(scripts).filter((name) => /^(?:pre|post)?(?:install|prepare|publish|pack)$/.test(name));
}

function unhashedIn(text: string): string[] {
  const { packages: locked } = JSON.parse(text) as { packages: Record<string, Locked> };
  const isOther = ({ optional, os }: Locked) => optional === true && os !== undefined;
  return Object.entries(locked)
    .filter(([path, one]) => path.includes("node_modules/") && one.link !== true && one.inBundle !== true)
    .filter(([, one]) => !(one.resolved ?? "").startsWith("file:") && !isOther(one))
    .flatMap(([path, { integrity }]) => (integrity?.startsWith("sha512-") ? [] : [path]));
}

test("no file anywhere brings something in by a name that moves, or runs when something comes in [T25]", () => {
  expect(filesIn(".").length).toBeGreaterThan(1_000);
  expect(loose(".")).toEqual([]);
});

test("and such a file is found in any place, also in a new one [T25]", () => {
  const root = mkdtempSync(join(tmpdir(), "kodiai-supply-"));
  const moved = "runs:\n  steps:\n    - uses: actions/checkout@v4\n";
  const planted: Readonly<Record<string, string>> = {
    ".github/actions/build/action.yml": moved,
    ".forgejo/workflows/ci.yaml": moved,
    "deploy/templates/pipeline.yml": moved.replace("uses", '"uses"'),
    ".devcontainer/post-create.sh": "npm install\n",
    "tools/dev.Dockerfile": "RUN npm i\n",
    Containerfile: "RUN npm install --omit=dev\n",
    "tools/bootstrap": "#!/bin/sh\nnpm install\n",
    "packages/agent/package.json": JSON.stringify({ scripts: { postinstall: "node x.js" } }),
    "packages/agent/package-lock.json": JSON.stringify({ packages: { "node_modules/x": { version: "1.0.0" } } }),
  };
  for (const [path, text] of Object.entries(planted)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const found = new Set(loose(root).map((line) => line.split(": ")[0]));
  rmSync(root, { recursive: true });
  expect([...found].toSorted()).toEqual(Object.keys(planted).toSorted());
});

test("a package that would run something is one of these, all of which work without it [T25]", () => {
  const running = fromRegistry.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path);
  const known = [...["go", "java", "php", "python", "ruby", "rust"].map((name) => `@ast-grep/lang-${name}`), "usearch"];
  expect(running.map((path) => path.replace(/^.*node_modules\//, ""))).toEqual(known);
});
