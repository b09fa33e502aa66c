// Writes a run's tables into the README, so that no figure is copied by hand.
import { readFileSync, writeFileSync } from "node:fs";

/**
 * Replaces the text between `<!-- run NAME -->` and the next `<!-- end of run -->` in a Markdown
 * file.
 *
 * @throws Error when the page has no such place
 */
export function intoPage(path: string, name: string, markdown: string): void {
  const page = readFileSync(path, "utf8");
  const opening = `<!-- run ${name} -->\n`;
  const from = page.indexOf(opening);
  const to = from === -1 ? -1 : page.indexOf("<!-- end of run -->", from);
  if (to === -1) throw new Error(`${path} has no place for ${name}: ${opening.trim()} … <!-- end of run -->`);
  writeFileSync(path, `${page.slice(0, from)}${opening}\n${markdown.trim()}\n\n${page.slice(to)}`);
}
