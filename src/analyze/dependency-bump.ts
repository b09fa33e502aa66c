// Detects a dependency bump, its package and its size. Two signs of four are needed, because people
// write "Update …" too.

import type { PullRequest } from "../domain/pull-request.ts";
import type { DependencyBump, SemverStep } from "../domain/signals.ts";
import type { ParsedTitle } from "./title.ts";

/** What of a pull request can show that it is a bump. */
export interface BumpInput extends Pick<PullRequest, "body" | "commits" | "labels"> {
  readonly title: ParsedTitle;
  readonly headRef: string;
  readonly author: Pick<PullRequest["author"], "login">;
}

/**
 * Branch prefixes of the bots. Dependabot's separator can be configured to `-` or `_`; Renovate's
 * prefix is configurable.
 */
const BRANCH =
  /^(?:dependabot[/_-]|renovate[/-]|(?:greenkeeper|depfu|snyk-(?:upgrade|fix)|pyup)[/-]|pre-commit-ci-update-config$)/;

/** Only an App can have `[bot]` in its login. Self-hosted Renovates have their owner's name. */
const SENDERS = [
  /^dependabot(?:-preview)?(?:\[bot\])?$/,
  /^(?:renovate(?:-bot)?|(?:[a-z0-9-]{1,60}-)?renovate(?:-[a-z0-9-]{1,60})?\[bot\])$/,
  /^(?:(?:greenkeeper|pre-commit-ci|depfu)\[bot\]|snyk-bot|pyup-bot|scala-steward)$/,
];

const LABEL = /^(?:dependencies|dependency|deps|dependabot|renovate(?:-?bot)?)$/;

/** Characters of a body that are searched for versions: release notes follow the first lines. */
const BODY_REACH = 20_000;

/**
 * The bump, or null when fewer than two of title, branch, sender and label indicate one. `from`,
 * missing in Renovate's titles, comes from the bot's own description or commit when its target
 * matches the title.
 */
export function dependencyBump(input: BumpInput): DependencyBump | null {
  const title = bumpTitle(input.title);
  const sender = input.author.login.toLowerCase();
  const signs: DependencyBump["signs"][number][] = [];
  if (title !== null) signs.push("title");
  if (BRANCH.test(input.headRef)) signs.push("branch");
  if (SENDERS.some((one) => one.test(sender))) signs.push("sender");
  if (input.labels.some((label) => LABEL.test(label.trim().toLowerCase()))) signs.push("label");
  if (signs.length < 2) return null;
  const versions = completeVersions(input, title);
  return {
    signs,
    packageName: title?.packageName ?? null,
    ...versions,
    step: bumpStep(versions.from, versions.to),
  };
}

function completeVersions(input: BumpInput, title: ReturnType<typeof bumpTitle>) {
  const known = { from: title?.from ?? null, to: title?.to ?? null };
  if (title === null || title.packageName === null || known.from !== null) return known;
  const texts = [input.body ?? "", ...input.commits.slice(0, 1).map((commit) => commit.message)];
  const [stated] = texts.flatMap((text) => statedVersions(text.slice(0, BODY_REACH)) ?? []);
  if (stated === undefined || !agrees(known.to, stated.to)) return known;
  return { from: stated.from, to: known.to ?? stated.to };
}

/** Dependabot: "Bumps [x](…) from A to B."; Renovate: a cell "[`A` -> `B`](…)" or "`A` → `B`". */
function statedVersions(text: string): { readonly from: string; readonly to: string } | null {
  const match =
    /^Bumps [^\n]{1,400}? from `?([^\s`]{1,60})`? to `?([^\s`]{1,60}?)`?\.?$/m.exec(text) ??
    /`([^\s`]{1,60})` {1,2}(?:->|→) {1,2}`([^\s`]{1,60})`/.exec(text);
  return match === null ? null : { from: plainVersion(match[1] ?? ""), to: plainVersion(match[2] ?? "") };
}

/** "to v14" in a title and `14.0.1` in the table are the same target. */
function agrees(title: string | null, stated: string): boolean {
  const [a, b] = [title ?? "", stated].map((version) => version.replace(/^(?:\^|[~>=<]{1,3})/, ""));
  return title === null || a === b || b?.startsWith(`${a}.`) === true;
}

// The semver step between two versions as bots write them.

/** `1.2`, `v3`, `^4.4.0`, `1.2.3.4`, `11.0.0-beta.3`, `1.24-alpine`; a commit hash is none. */
const VERSION = /^[v^~>=<]{0,3}(\d{1,9})(?:\.(\d{1,9}))?(?:\.\d{1,9}){0,4}(?:[-+.][\w.+-]{0,100})?$/i;
const HASH = /^[0-9a-f]{7,40}$/i;

/**
 * The semver step between two versions in either direction: the first of major and minor that
 * differs, else patch. Partial, calendar and four-part versions are read as their first three
 * numbers. "unknown" when one is missing or no version, or both are the same.
 */
export function bumpStep(from: string | null, to: string | null): SemverStep {
  const before = version(from);
  const after = version(to);
  if (before === null || after === null || from === to) return "unknown";
  if (before.major !== after.major) return "major";
  return before.minor === after.minor ? "patch" : "minor";
}

function version(text: string | null) {
  if (text === null || HASH.test(text)) return null;
  const [, major, minor = 0] = VERSION.exec(text) ?? [];
  return major === undefined ? null : { major: Number(major), minor: Number(minor) };
}

// Parses the titles that bots give to bumps into package and versions; null for other titles.

interface BumpTitle {
  /** Null for a group, and when the title names none. */
  readonly packageName: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

// npm allows 214 characters in a name. bumpStep checks versions: here any digit matches.
const NAME = "[`'\"]?([^\\s`'\"]{1,214})[`'\"]?";
const VERSION_SOURCE = "[`'\"]?([v^~>=<]{0,3}\\d[\\w.+~-]{0,79}|[0-9a-f]{7,40})[`'\"]?";
/** ` in /docs`, ` in the actions group`, ` [security]`, ` (main)`, ` 🚀`: a bot's additions. */
const TAIL =
  "(?: in \\S{1,300}| in the \\S{1,100} group| across \\d{1,5} director(?:y|ies)| \\[[^\\]]{1,40}\\]| \\([^)]{1,60}\\)){0,4} ?\\p{Extended_Pictographic}?\\.?$";
const KIND_BEFORE =
  "(?:dependency|module|rust crate|helm release|pre-commit hook|terraform|plugin|image|references to|requirement(?:s)? for)";
const KIND_AFTER = "(?:action|docker tag|docker digest|digest|commit hash|orb|requirement|tag|gem|crate|to version)";

const FROM_TO = pattern(
  `(?:security )?(?:bump|upgrade|update)s? (?:${KIND_BEFORE} )?${NAME}(?: ${KIND_AFTER})? from ${VERSION_SOURCE} to ${VERSION_SOURCE}${TAIL}`,
);
const TO = pattern(
  `(?:bump|upgrade|update|pin|roll back)s? (?:${KIND_BEFORE} )?${NAME}(?: ${KIND_AFTER})? to (?:version |the )?(?:${VERSION_SOURCE}|latest version)${TAIL}`,
);
const GROUP = [
  pattern(
    `bump the \\S{1,100} group(?: across \\d{1,5} director(?:y|ies))?(?: in \\S{1,300})? with \\d{1,5} updates?${TAIL}`,
  ),
  pattern(
    `(?:update|pin) (?:all )?(?:(?:non-major|minor|patch|major|dev|github|npm|python) )?dependenc(?:y|ies)(?: to ${VERSION_SOURCE})?${TAIL}`,
  ),
  pattern(`(?:update|upgrade) \\S{1,100} monorepo(?: to ${VERSION_SOURCE})?${TAIL}`),
  pattern(
    `(?:update|upgrade) all (?:\\S{1,40} ){0,3}(?:dependencies|packages|actions)(?: to ${VERSION_SOURCE})?${TAIL}`,
  ),
  pattern(`bump [^\\s,]{1,214}(?:, [^\\s,]{1,214}){0,20},? and \\S{1,214}${TAIL}`),
  pattern(`(?:lock ?file maintenance|pre-commit autoupdate)${TAIL}`),
];
/**
 * Dependabot omits the versions from a title that would be too long; its scope, directory or a
 * path-like name identify it.
 */
const NAME_ONLY = pattern(`bump ${NAME}${TAIL}`);

/** Things that people bump and that are not dependencies. */
const OWN_THINGS = new Set("version versions release copyright year changelog minimum timeout msrv".split(" "));
const DEPENDENCY_SCOPE = /^(?:deps|deps-dev|dependencies|package|npm|gomod|cargo)$/i;

/**
 * Parses a bump's title. Skips tags and prefixes of the convention, with or without a colon
 * ("chore(deps) bump …"), and of a part of the repository ("Python: bump …"). Null for every title
 * that is not one of the bots' sentences.
 */
export function bumpTitle(title: ParsedTitle): BumpTitle | null {
  const prefixed = /^\w{1,20}\(([^()]{1,60})\) (?=\S)/.exec(title.subject);
  const text = title.subject.slice(prefixed?.[0].length ?? 0).replace(/^[\w.#+-]{1,20}: /, "");
  const scope = title.scope ?? prefixed?.[1] ?? "";
  if (text.length > 1_000) return null;
  return single(text) ?? group(text, scope) ?? nameOnly(text, scope);
}

function single(text: string): BumpTitle | null {
  const fromTo = FROM_TO.exec(text);
  const [, name, ...versions] = fromTo ?? TO.exec(text) ?? [];
  if (name === undefined || OWN_THINGS.has(name.toLowerCase())) return null;
  const [from = null, to = null] = fromTo === null ? [null, versions[0]] : versions;
  return {
    packageName: name,
    from: from === null ? null : plainVersion(from),
    to: to === null ? null : plainVersion(to),
  };
}

function group(text: string, scope: string): BumpTitle | null {
  const which = GROUP.findIndex((one) => one.test(text));
  // People write "Update dependencies" too; a bot adds "all", a version or its scope.
  const vague = which === 1 && !/ (?:all|non-major) | to /.test(text) && !DEPENDENCY_SCOPE.test(scope);
  const namesTwo = which === 4 && !DEPENDENCY_SCOPE.test(scope);
  return which < 0 || vague || namesTwo ? null : { packageName: null, from: null, to: null };
}

function nameOnly(text: string, scope: string): BumpTitle | null {
  const name = NAME_ONLY.exec(text)?.[1];
  const isIdentified = DEPENDENCY_SCOPE.test(scope) || / in \//.test(text) || /^@|\//.test(name ?? "");
  return name === undefined || !isIdentified || OWN_THINGS.has(name.toLowerCase())
    ? null
    : { packageName: name, from: null, to: null };
}

/** Versions without Renovate's `v`, so that "to v2.0.0" and "to 2.0.0" are equal. */
function plainVersion(version: string): string {
  return version.replace(/^v(?=\d)/i, "");
}

function pattern(source: string): RegExp {
  return new RegExp(`^${source}`, "iu");
}
