// Packages, versions and source addresses from a bot's description. It is a claim, used only if nothing better is known.
import { plainLines } from "./plain-lines.ts";
import { bareVersion } from "./update-step.ts";

/** A package as the description names it. */
export interface DescribedPackage {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
  /** Addresses next to its name. */
  readonly links: readonly string[];
}

const MAX_LINES = 2_000;
const MAX_PACKAGES = 200;

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
 * Reads the description outside of folded parts, which hold release notes. At most 200 packages.
 *
 * @param body Markdown by a bot, or by anyone who imitates one
 */
export function packagesFromDescription(body: string): readonly DescribedPackage[] {
  const packages = new Map<string, DescribedPackage>();
  for (const line of plainLines(body, "left-out").slice(0, MAX_LINES)) {
    const one = fromSentence(line) ?? fromCells(line) ?? fromArrow(line);
    if (one === null) continue;
    const before = packages.get(one.name);
    if (before === undefined && packages.size >= MAX_PACKAGES) break;
    packages.set(one.name, before === undefined ? one : joined(before, one));
  }
  return [...packages.values()];
}

function joined(a: DescribedPackage, b: DescribedPackage): DescribedPackage {
  return { name: a.name, from: a.from ?? b.from, to: a.to ?? b.to, links: [...a.links, ...b.links].slice(0, 6) };
}

function fromSentence(line: string): DescribedPackage | null {
  const match = FROM_TO.exec(line);
  if (match === null) return null;
  const [, linked, url, quoted, from, to] = match;
  return toPackage(linked ?? quoted ?? "", from, to, url === undefined ? [] : [url]);
}

function fromCells(line: string): DescribedPackage | null {
  const match = CELLS.exec(line);
  return match === null ? null : toPackage(match[1] ?? "", match[3], match[4], [match[2] ?? ""]);
}

function fromArrow(line: string): DescribedPackage | null {
  const match = line.startsWith("|") ? ARROW.exec(line) : null;
  if (match === null) return null;
  const cell = line.slice(1, line.indexOf("|", 1));
  const links = [...cell.matchAll(LINK)];
  const urls = links.map(([, , url = ""]) => url);
  return toPackage(links[0]?.[1] ?? cell.trim(), match[1], match[2], urls);
}

function toPackage(
  name: string,
  from: string | undefined,
  to: string | undefined,
  links: readonly string[],
): DescribedPackage | null {
  const plain = name.replaceAll("`", "").replaceAll("\\", "").trim();
  if (!/^[\w@][\w.@/:~-]{0,213}$/.test(plain)) return null;
  const [before, after] = [from, to].map((version) =>
    version === undefined ? null : bareVersion(version.replace(/\.$/, "")),
  );
  return { name: plain, from: before ?? null, to: after ?? null, links };
}
