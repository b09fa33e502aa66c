// Puts back the platform packages that a registry mirror did not have when package-lock.json was
// written: without their entries `npm ci` refuses the file on every machine. Run it after adding a
// package: node scripts/complete-lock.mjs
import { readFileSync, writeFileSync } from "node:fs";

const FILE = "package-lock.json";
const OS = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const CPU = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "x64", "wasm32"];

const lock = JSON.parse(readFileSync(FILE, "utf8"));
const added = [];
for (const [at, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const words = name.split(/[/-]/);
    const os = words.find((word) => OS.includes(word));
    const cpu = words.find((word) => CPU.includes(word));
    const known = Object.keys(lock.packages).some(
      (path) => path === `node_modules/${name}` || path === `${at}/node_modules/${name}`,
    );
    // Only packages made for one platform, by exact version: npm skips those of other platforms
    // without asking for them.
    if (known || os === undefined || cpu === undefined || !/^\d+\.\d+\.\d+$/.test(version)) continue;
    const libc = words.includes("musl") ? ["musl"] : words.includes("gnu") && os === "linux" ? ["glibc"] : undefined;
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu: [cpu],
      ...(entry.dev === true ? { dev: true } : {}),
      ...(libc === undefined ? {} : { libc }),
      optional: true,
      os: [os],
    };
    added.push(`${name}@${version}`);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? "nothing was missing" : `added ${added.join(", ")}`);
