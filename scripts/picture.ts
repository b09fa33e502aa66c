// Draws docs/img/review.svg from a review that the demo really posted: node scripts/picture.ts. Run it when the words change.
import { mkdir, writeFile } from "node:fs/promises";
import { startApp } from "../demo/start-app.ts";
import { walk } from "../demo/walk.ts";

const LINE = 18;
const WIDTH = 860;
/** Enough to show two comments under their lines and the head of the summary. */
const SHOWN = [/^src\/users\.ts/, /^test\/sessions\.test\.ts/, /in the conversation$/];

const printed: string[] = [];
await walk(startApp, { colours: false, print: (text) => printed.push(text) });
const parts = printed.join("\n").split(/\n\n(?=\S+:\d+\n|\S+ in the conversation\n)/);
const chosen = SHOWN.flatMap((pattern) => parts.find((part) => pattern.test(part.split("\n")[0] ?? "")) ?? []);
const lines = chosen.flatMap((part) => [...part.split("\n").slice(0, 22), ""]);
await mkdir("docs/img", { recursive: true });
await writeFile("docs/img/review.svg", svg(lines));

function svg(text: readonly string[]): string {
  const height = text.length * LINE + 40;
  const rows = text.map((line, row) => `<text x="24" y="${36 + row * LINE}"${style(line)}>${escaped(line)}</text>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="A review that Kodiai posted in the demo: comments under the lines they speak about, and a summary">`,
    `<rect width="${WIDTH}" height="${height}" rx="8" fill="#0d1117"/>`,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="13" fill="#c9d1d9" xml:space="preserve">`,
    ...rows,
    "</g></svg>\n",
  ].join("\n");
}

function style(line: string): string {
  if (/^\s*\d+ \+/.test(line)) return ' fill="#3fb950"';
  if (/^\s*│ `(critical|major)`/.test(line)) return ' fill="#ff7b72" font-weight="bold"';
  if (/^\S+:\d+$|in the conversation$/.test(line)) return ' fill="#58a6ff" font-weight="bold"';
  return "";
}

function escaped(line: string): string {
  return line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
