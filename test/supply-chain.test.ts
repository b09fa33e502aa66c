// What Kodiai is made of and by: nothing comes in by a name that somebody else can move, and nothing runs when it comes in.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

test("workflows name every action by its hash, with the version beside it", () => {
  const uses = workflows.flatMap(([name, text]) =>
    [...text.matchAll(/^\s*-?\s*uses:\s*(.+)$/gm)].map(([, used = ""]) => `${name}: ${used}`),
  );
  expect(uses.length).toBeGreaterThan(5);
  expect(uses.filter((one) => !/@[0-9a-f]{40} # v\d/.test(one) && !/: \.\//.test(one))).toEqual([]);
});

test("workflows read and no more, unless a job says so; and nobody's change runs with our rights", () => {
  for (const [name, text] of workflows) {
    expect(text, name).toMatch(/^permissions:\n {2}contents: read\n/m);
    expect(text, name).not.toContain("pull_request_target");
  }
});

test("packages are locked by hash, installed as locked, and run nothing when they are installed", () => {
  expect(fromRegistry.length).toBeGreaterThan(100);
  const unhashed = fromRegistry.filter(
    ([, { integrity, inBundle }]) => !integrity?.startsWith("sha512-") && inBundle !== true,
  );
  // Builds for other systems that the registry at hand did not have (scripts/complete-lock.mjs): by their version alone.
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

test("a package that would run something is one of these, all of which work without it", () => {
  const running = fromRegistry.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path);
  const known = [...["go", "java", "php", "python", "ruby", "rust"].map((name) => `@ast-grep/lang-${name}`), "usearch"];
  expect(running.map((path) => path.replace(/^.*node_modules\//, ""))).toEqual(known);
});
