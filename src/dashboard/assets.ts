// Files that pages load: one stylesheet, small scripts, and uPlot as its package ships it.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const OWN = new URL("./assets/", import.meta.url);
const UPLOT = createRequire(import.meta.url)
  .resolve("uplot/package.json")
  .replace(/package\.json$/, "dist/");
const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";

/** The version is of the content: an address with it never changes what it gives. */
function loaded(file: string | URL, type: string) {
  const bytes = new Uint8Array(readFileSync(file));
  return { type, bytes, version: createHash("sha256").update(bytes).digest("hex").slice(0, 12) };
}

const FILES = {
  "style.css": loaded(new URL("style.css", OWN), STYLE),
  "page.js": loaded(new URL("page.js", OWN), SCRIPT),
  "charts.js": loaded(new URL("charts.js", OWN), SCRIPT),
  "uplot.js": loaded(`${UPLOT}uPlot.iife.min.js`, SCRIPT),
  "uplot.css": loaded(`${UPLOT}uPlot.min.css`, STYLE),
  "icon.svg": loaded(new URL("icon.svg", OWN), "image/svg+xml"),
};

export const ASSETS: ReadonlyMap<string, ReturnType<typeof loaded>> = new Map(Object.entries(FILES));

export function assetPath(name: keyof typeof FILES): string {
  return `/assets/${name}?v=${FILES[name].version}`;
}
