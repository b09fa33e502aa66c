// What a bot's description says about packages, versions and their homes. It is a claim, used where nothing better is known.
import { plainLines } from "./plain-lines.ts";
import { bareVersion } from "./update-step.ts";

/** A package as the description tells it. */
export interface ToldPackage {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
  /** Addresses that stand beside its name. */
  readonly links: readonly string[];
}

const MOST_LINES = 2_000;
const MOST_TOLD = 200;

const VERSION = "`?(v?\\d[\\w.+!~-]{0,99})`?";
/** Dependabot: "Bumps [x](url) from A to B.", "Updates `x` from A to B". */
const FROM_TO = new RegExp(
  `^(?:Bumps|Updates|Removes) (?:\\[([^\\]]{1,214})\\]\\(([^()\\s]{1,500})\\)|\`([^\`]{1,214})\`)(?: from ${VERSION})?(?: to ${VERSION}?\\.?)?\\s{0,9}$`,
);
/** Dependabot's table of a large group: | [x](url) | `A` | `B` |. */
const CELLS = new RegExp(
  `^\\|\\s{0,9}\\[([^\\]]{1,214})\\]\\(([^()\\s]{1,500})\\)\\s{0,9}\\|\\s{0,9}${VERSION}\\s{0,9}\\|\\s{0,9}${VERSION}\\s{0,9}\\|`,
);
/** Renovate's: | [x](url) ([source](url)) | kind | step | [`A` -> `B`](url) |; newer ones write →. */
const ARROW = /`([^\s`]{1,100})`\s{1,2}(?:->|→)\s{1,2}`([^\s`]{1,100})`/;
const LINK = /\[([^\]]{1,214})\]\((https?:\/\/[^()\s]{1,500})\)/g;

/**
 * Reads the description outside of folded parts, where release notes stand. At most 200 packages.
 *
 * @param body Markdown by a bot, or by whoever says so
 */
export function toldPackages(body: string): readonly ToldPackage[] {
  const told = new Map<string, ToldPackage>();
  for (const line of plainLines(body, "left-out").slice(0, MOST_LINES)) {
    const one = fromSentence(line) ?? fromCells(line) ?? fromArrow(line);
    if (one === null) continue;
    const before = told.get(one.name);
    if (before === undefined && told.size >= MOST_TOLD) break;
    told.set(one.name, before === undefined ? one : joined(before, one));
  }
  return [...told.values()];
}

function joined(a: ToldPackage, b: ToldPackage): ToldPackage {
  return { name: a.name, from: a.from ?? b.from, to: a.to ?? b.to, links: [...a.links, ...b.links].slice(0, 6) };
}

function fromSentence(line: string): ToldPackage | null {
  const match = FROM_TO.exec(line);
  if (match === null) return null;
  const [, linked, url, quoted, from, to] = match;
  return told(linked ?? quoted ?? "", from, to, url === undefined ? [] : [url]);
}

function fromCells(line: string): ToldPackage | null {
  const match = CELLS.exec(line);
  return match === null ? null : told(match[1] ?? "", match[3], match[4], [match[2] ?? ""]);
}

function fromArrow(line: string): ToldPackage | null {
  const match = line.startsWith("|") ? ARROW.exec(line) : null;
  if (match === null) return null;
  const cell = line.slice(1, line.indexOf("|", 1));
  const links = [...cell.matchAll(LINK)];
  const name = links[0]?.[1] ?? cell.trim();
  return told(
    name,
    match[1],
    match[2],
    links.map((link) => link[2] ?? ""),
  );
}

function told(
  name: string,
  from: string | undefined,
  to: string | undefined,
  links: readonly string[],
): ToldPackage | null {
  const plain = name.replaceAll("`", "").replaceAll("\\", "").trim();
  if (!/^[\w@][\w.@/:~-]{0,213}$/.test(plain)) return null;
  const [before, after] = [from, to].map((version) =>
    version === undefined ? null : bareVersion(version.replace(/\.$/, "")),
  );
  return { name: plain, from: before ?? null, to: after ?? null, links };
}
