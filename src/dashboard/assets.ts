// Files that pages load, all from here: one stylesheet, small scripts, and uPlot as its package ships it.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of its content: an address with it never changes what it gives. */
  readonly version: string;
}

const OWN = new URL("./assets/", import.meta.url);
const UPLOT = createRequire(import.meta.url)
  .resolve("uplot/package.json")
  .replace(/package\.json$/, "dist/");
const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";

/** By the name in its address. */
const FILES: ReadonlyMap<string, readonly [file: string | URL, type: string]> = new Map([
  ["style.css", [new URL("style.css", OWN), STYLE]],
  ["page.js", [new URL("page.js", OWN), SCRIPT]],
  ["charts.js", [new URL("charts.js", OWN), SCRIPT]],
  ["uplot.js", [`${UPLOT}uPlot.iife.min.js`, SCRIPT]],
  ["uplot.css", [`${UPLOT}uPlot.min.css`, STYLE]],
  ["icon.svg", [new URL("icon.svg", OWN), "image/svg+xml"]],
]);

const read = new Map<string, Asset>();

/** Read once. Null for a name that is none of ours. @throws Error when a file is missing from the installation */
export function asset(name: string): Asset | null {
  const known = read.get(name);
  if (known !== undefined) return known;
  const [file, type] = FILES.get(name) ?? [];
  if (file === undefined || type === undefined) return null;
  const bytes = new Uint8Array(readFileSync(file));
  const version = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  const found = { type, bytes, version };
  read.set(name, found);
  return found;
}

/** The address of a file of ours. @throws Error when it is none */
export function assetPath(name: string): string {
  const found = asset(name);
  if (found === null) throw new Error(`${name} is no file of the dashboard`);
  return `/assets/${name}?v=${found.version}`;
}
