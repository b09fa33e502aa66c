// The release notes of one package, from all releases of its source: those between the two versions, and their breaking changes.

import type { Answer, BreakingNote, PackageNotes } from "../domain/dependency-update.ts";
import type { Repo } from "../domain/job.ts";
import { cutText } from "../domain/text/cut-text.ts";
import { bareVersion, compareVersions, isPrerelease } from "./compare-versions.ts";
import { type FoundPackage, plainLines } from "./find-packages.ts";

/** The releases of a source repository, or why they are not known. */
export type Published = Answer<{
  readonly releases: readonly Release[];
  /** False when older releases were not listed. */
  readonly complete: boolean;
}>;

const MAX_RELEASES = 10;

/** @param repository OWNER/NAME, or null when no source is known; then `published` has the reason */
export function packageNotes(one: FoundPackage, repository: string | null, published: Published): PackageNotes {
  const nothing = (missing: string): PackageNotes => ({ name: one.name, repository, read: 0, breaking: [], missing });
  if (one.to === null) return nothing("the new version is not known");
  if (one.step === "downgrade") return nothing("the update goes back to an older version");
  if (published.kind === "unknown") return nothing(published.reason);
  const { releases: all, complete } = published.value;
  if (all.length === 0) return nothing("its repository publishes no releases");
  const { releases, reachesBack } = releasesBetween({ ...one, to: one.to }, all);
  if (releases.length === 0) return nothing("none of the releases read lies between the two versions");
  const breaking = releases
    .map(({ tag, body }): BreakingNote => ({ tag, lines: breakingLines(body) }))
    .filter(({ lines }) => lines.length > 0)
    .slice(0, MAX_RELEASES);
  const missing = () => {
    if (one.from === null) return "the old version is not known, so that only the notes of the new one were read";
    return reachesBack || complete ? null : "older releases than those listed were not read";
  };
  return { name: one.name, repository, read: releases.length, breaking, missing: missing() };
}

// Which releases lie between two versions. Repositories name their tags in several ways; with many packages, tags name one.

interface Release {
  readonly tag: string;
  readonly body: string;
  readonly prerelease: boolean;
}

const PLAIN = /^(?:release|rel|version|ver)?[-_/.]?(v?\d[\w.!+~-]{0,99})$/i;

/**
 * After the old version up to the new one, in the given order; without an old one only the new one itself. `reachesBack`
 * is true when a release at or before the old version was seen: none in between is missing.
 */
export function releasesBetween(
  { name, ecosystem, from, to }: Pick<FoundPackage, "name" | "ecosystem" | "from"> & { readonly to: string },
  all: readonly Release[],
) {
  // If tags name packages, the plain tags may be other packages' versions.
  const isNamed = all.some(({ tag }) => namedVersion(tag, name) !== null);
  const known = all.map((release) => ({
    release,
    version: isNamed ? namedVersion(release.tag, name) : bareVersion(PLAIN.exec(release.tag)?.[1] ?? ""),
  }));
  const order = (version: string | null, other: string) =>
    version === null ? null : compareVersions(ecosystem, version, other);
  const wantsPrereleases = isPrerelease(to);
  const releases = known.filter(({ release, version }) => {
    const [toNew, toOld] = [order(version, to), from === null ? null : order(version, from)];
    if (toNew === 0) return true;
    if (release.prerelease && !wantsPrereleases) return false;
    return toNew !== null && toOld !== null && toNew < 0 && toOld > 0;
  });
  const reachesBack = from !== null && known.some(({ version }) => (order(version, from) ?? 1) <= 0);
  return { releases: releases.map(({ release }) => release), reachesBack };
}

/** `@scope/name@1.2.3`, `name-v1.2.3`, `name/v1.2.3`, `name_1.2.3`. */
function namedVersion(tag: string, name: string): string | null {
  const short = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf(":")) + 1);
  for (const prefix of new Set([name, short])) {
    if (prefix === "" || !tag.toLowerCase().startsWith(prefix.toLowerCase())) continue;
    const rest = tag.slice(prefix.length);
    if (/^[@/_-]v?\d/i.test(rest)) return bareVersion(rest.slice(1));
  }
  return null;
}

// Which lines of release notes announce a breaking change: those under a heading that says so, and lines that say so themselves.

const MAX_NOTE_LINES = 8;
const LONGEST = 300;

const HEADING = /^(#{1,6})\s{1,9}(\S.{0,300})$/;
const BOLD_HEADING = /^(?:\*\*|__)([^*_].{0,200}?)(?:\*\*|__):?\s{0,9}$/;
const BREAKS =
  /\b(?:breaking|incompatib\w{1,10}|migrati(?:on|ng)|upgrad(?:e|ing) (?:guide|notes|instructions)|backwards?[- ]incompatible)\b/i;
const SAYS_SO =
  /\bBREAKING(?:[ -]CHANGES?)?\b|^(?:\*\*|__)?[Bb]reaking(?: changes?)?(?:\*\*|__)?\s{0,3}[:!-]|^[a-z]{2,12}(?:\([^)]{0,60}\))?!:/;
const DENIES = /\b(?:no|non|without(?: any)?|not|zero)[- ](?:\w{1,20} )?breaking\b|^(?:none|n\/a|nothing)\.?$/i;
/** Words to the reviewer, which say nothing about the package. */
const TO_REVIEWERS =
  /\b(?:safe|ok|okay|fine|good|ready) to (?:be )?(?:merged?|ship(?:ped)?|approved?|go)\b|\blgtm\b|\b(?:ignore|disregard) (?:all |any |the |your )?(?:previous|above|prior|other|earlier)\b/i;

/** At most 8 lines of at most 300 units each, in the order of the notes, without list marks, tags and images. */
export function breakingLines(notes: string): readonly string[] {
  const found: string[] = [];
  let section: number | null = null;
  for (const line of plainLines(notes, "kept")) {
    const heading = headingOf(line);
    if (heading !== null) section = sectionAfter(heading, section);
    else if (announces(bare(line), section !== null)) found.push(bare(line));
    if (found.length === MAX_NOTE_LINES) break;
  }
  return found;
}

/** The level of the breaking section that is open below this heading, or null. */
function sectionAfter({ level, text }: NonNullable<ReturnType<typeof headingOf>>, open: number | null): number | null {
  if (BREAKS.test(text) && !DENIES.test(text)) return Math.min(open ?? level, level);
  return open !== null && level <= open ? null : open;
}

function announces(text: string, inSection: boolean): boolean {
  return text !== "" && (inSection || SAYS_SO.test(text)) && !DENIES.test(text) && !TO_REVIEWERS.test(text);
}

function headingOf(line: string) {
  const marked = HEADING.exec(line);
  if (marked !== null) return { level: marked[1]?.length ?? 1, text: marked[2] ?? "" };
  const bold = BOLD_HEADING.exec(line.trim());
  return bold === null ? null : { level: 7, text: bold[1] ?? "" };
}

function bare(line: string): string {
  const shown = line
    .replace(/!\[[^\]]{0,300}\]\([^)]{0,1000}\)/g, "")
    .replace(/<[^<>]{0,300}>/g, "")
    .replace(/^[\s>]{0,40}(?:[-*+]|\d{1,3}[.)])\s{1,9}/, "")
    .replace(/\s+/g, " ")
    .trim();
  return cutText(shown, LONGEST).toWellFormed();
}

const NAME_IN_CODE = /`([^`\n]{2,80})`/g;
const NAME = /[A-Za-z_$][\w$]{2,60}/g;
const MAX_NAMES = 40;

/** Names that the lines write as code: `createServer()` gives createServer, `app.del` gives del; commands give none. */
export function brokenNames(lines: readonly string[]): readonly string[] {
  const names = lines.flatMap((line) =>
    [...line.matchAll(NAME_IN_CODE)].flatMap(([, code = ""]) => {
      const [called = ""] = code.split("(");
      return /\s/.test(called) ? [] : ([...called.matchAll(NAME)].at(-1)?.[0] ?? []);
    }),
  );
  return [...new Set(names)].slice(0, MAX_NAMES);
}

// A package's source repository on the GitHub that we use, from addresses that others wrote. No other host is read.

type SourceRepository = Pick<Repo, "owner" | "name">;

const OWNER = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$/;
const REPOSITORY = /^(?!\.{1,2}$)[\w.-]{1,100}$/;
/** Pages of github.com that look like an owner. */
const NO_OWNERS = new Set(["advisories", "apps", "orgs", "sponsors", "marketplace", "topics", "settings", "features"]);

/**
 * The first of the addresses that names a repository on `host`; failing that, the repository in the package's name (an
 * action, a Go module on GitHub).
 *
 * @param host of the GitHub in use: `github.com`, or an Enterprise Server
 */
export function sourceRepository(
  named: { readonly name: string; readonly ecosystem: string | null },
  links: readonly (string | null)[],
  host: string,
): SourceRepository | null {
  for (const link of links) {
    const found = link === null ? null : fromAddress(link, host);
    if (found !== null) return found;
  }
  if (host !== "github.com") return null;
  if (named.ecosystem === "github-actions") return fromPath(named.name);
  return named.name.startsWith("github.com/") ? fromPath(named.name.slice("github.com/".length)) : null;
}

/** Renovate writes redirect.github.com, so that no back reference is made. */
function fromAddress(link: string, host: string): SourceRepository | null {
  const match = /^(?:git\+)?https:\/\/([A-Za-z0-9.-]{1,253})\/([^\s?#]{1,400})/.exec(link);
  const at = match?.[1]?.toLowerCase() ?? "";
  const isHost = at === host || (host === "github.com" && (at === "redirect.github.com" || at === "www.github.com"));
  return isHost ? fromPath(match?.[2] ?? "") : null;
}

function fromPath(path: string): SourceRepository | null {
  const [owner = "", last = ""] = path.split("/");
  const name = last.replace(/\.git$/, "");
  return OWNER.test(owner) && REPOSITORY.test(name) && !NO_OWNERS.has(owner.toLowerCase()) ? { owner, name } : null;
}
