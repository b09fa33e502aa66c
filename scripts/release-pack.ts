// The package as it is published: JavaScript with types, since Node strips no types below
// node_modules. Nothing is written into the checkout.
//
//   npm run release:pack -- --pack-destination DIR
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { guardExit } from "../src/server/guard-exit.ts";

guardExit();

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What goes along beside the code. */
const FILES = [
  ...["README.md", "CHANGELOG.md", "LICENSE", "SECURITY.md", "app.yml", ".env.example", ".kodiai.yml.example"],
  ...["docs", "deploy"],
];

/**
 * Programs that are started by their file names: the compiler rewrites imports, and these are none.
 */
const STARTED = /new URL\("(\.\.?\/[\w./-]+)\.ts", import\.meta\.url\)/g;

const { values } = parseArgs({ options: { "pack-destination": { type: "string" } } });
const destination = resolve(values["pack-destination"] ?? ".");
mkdirSync(destination, { recursive: true });
const stage = mkdtempSync(join(tmpdir(), "kodiai-pack-"));
try {
  compile(join(stage, "dist"));
  copyAssets(join(stage, "dist/src"));
  for (const name of FILES) cpSync(join(root, name), join(stage, name), { recursive: true });
  // Read from beside the code, in the source as in what is published.
  cpSync(join(root, "app.yml"), join(stage, "dist/app.yml"));
  cpSync(join(root, "src/dashboard/assets"), join(stage, "dist/src/dashboard/assets"), { recursive: true });
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(published(), null, 2)}\n`);
  const packed = execFileSync("npm", ["pack", stage, "--ignore-scripts", "--json", "--pack-destination", destination], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32",
  });
  const [told] = Object.values(JSON.parse(packed)) as [{ filename: string; entryCount: number; unpackedSize: number }];
  console.log(
    `${join(destination, told.filename)}: ${told.entryCount} files, ${Math.round(told.unpackedSize / 1024)} KiB unpacked`,
  );
} finally {
  rmSync(stage, { recursive: true, force: true });
}

function compile(outDir: string): void {
  const compiler = join(root, "node_modules/typescript-7/bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", join(root, "tsconfig.build.json"), "--outDir", outDir], {
    stdio: "inherit",
  });
  let started = 0;
  for (const name of readdirSync(join(outDir, "src"), { recursive: true, encoding: "utf8" })) {
    const path = join(outDir, "src", name);
    if (name.endsWith(".json.d.ts") || !name.endsWith(".js")) continue;
    const text = readFileSync(path, "utf8");
    const fixed = text.replace(STARTED, (_, program: string) => {
      started += 1;
      return `new URL("${program}.js", import.meta.url)`;
    });
    if (fixed !== text) writeFileSync(path, fixed);
  }
  if (started === 0) throw new Error("no program is started by its file name any more; fix scripts/release-pack.ts");
}

/**
 * What is served or read as it is: the compiler takes TypeScript and JSON along, and nothing else.
 */
function copyAssets(target: string): void {
  cpSync(join(root, "src"), target, {
    recursive: true,
    filter: (path) => statSync(path).isDirectory() || !/\.(?:ts|json)$/.test(path),
  });
}

/** Without what only a checkout needs. */
function published(): object {
  const { devDependencies: _, scripts: __, ...kept } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return kept;
}
