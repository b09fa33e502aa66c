// Parses the titles that bots give to bumps into package and versions; null for other titles.
import type { ParsedTitle } from "./title.ts";

export interface BumpTitle {
  /** Null for a group, and when the title names none. */
  readonly packageName: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly group: boolean;
  /** Renovate's word for the thing: `action`, `docker tag`, `module`, `rust crate`, …; null without one. */
  readonly kind: string | null;
}

// Limits: npm allows 214 characters in a name. bumpStep checks versions; here any word with a digit matches.
const NAME = "[`'\"]?([^\\s`'\"]{1,214})[`'\"]?";
const VERSION = "[`'\"]?([v^~>=<]{0,3}\\d[\\w.+~-]{0,79}|[0-9a-f]{7,40})[`'\"]?";
/** ` in /docs`, ` in the actions group`, ` [security]`, ` (main)`, ` 🚀`: a bot's additions at the end. */
const TAIL =
  "(?: in \\S{1,300}| in the \\S{1,100} group| across \\d{1,5} director(?:y|ies)| \\[[^\\]]{1,40}\\]| \\([^)]{1,60}\\)){0,4} ?\\p{Extended_Pictographic}?\\.?$";
const KIND_BEFORE =
  "(dependency|module|rust crate|helm release|pre-commit hook|terraform|plugin|image|references to|requirement(?:s)? for)";
const KIND_AFTER = "(action|docker tag|docker digest|digest|commit hash|orb|requirement|tag|gem|crate|to version)";

const FROM_TO = pattern(
  `(?:security )?(?:bump|upgrade|update)s? (?:${KIND_BEFORE} )?${NAME}(?: ${KIND_AFTER})? from ${VERSION} to ${VERSION}${TAIL}`,
);
const TO = pattern(
  `(?:bump|upgrade|update|pin|roll back)s? (?:${KIND_BEFORE} )?${NAME}(?: ${KIND_AFTER})? to (?:version |the )?(?:${VERSION}|latest version)${TAIL}`,
);
const GROUP = [
  pattern(
    `bump the \\S{1,100} group(?: across \\d{1,5} director(?:y|ies))?(?: in \\S{1,300})? with \\d{1,5} updates?${TAIL}`,
  ),
  pattern(
    `(?:update|pin) (?:all )?(?:(?:non-major|minor|patch|major|dev|github|npm|python) )?dependenc(?:y|ies)(?: to ${VERSION})?${TAIL}`,
  ),
  pattern(`(?:update|upgrade) \\S{1,100} monorepo(?: to ${VERSION})?${TAIL}`),
  pattern(`(?:update|upgrade) all (?:\\S{1,40} ){0,3}(?:dependencies|packages|actions)(?: to ${VERSION})?${TAIL}`),
  pattern(`bump [^\\s,]{1,214}(?:, [^\\s,]{1,214}){0,20},? and \\S{1,214}${TAIL}`),
  pattern(`(?:lock ?file maintenance|pre-commit autoupdate)${TAIL}`),
];
/**
 * Dependabot omits the versions from a title that would be too long; its scope, directory or a path-like name identify
 * it.
 */
const NAME_ONLY = pattern(`bump ${NAME}${TAIL}`);

/** Things that people bump and that are not dependencies. */
const OWN_THINGS = new Set("version versions release copyright year changelog minimum timeout msrv".split(" "));
const DEPENDENCY_SCOPE = /^(?:deps|deps-dev|dependencies|package|npm|gomod|cargo)$/i;

/**
 * Parses a bump's title. Skips tags and prefixes of the convention, with or without a colon ("chore(deps) bump …"), and
 * of a part of the repository ("Python: bump …"). Null for every title that is not one of the bots' sentences.
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
  const [, before, name, after, ...versions] = fromTo ?? TO.exec(text) ?? [];
  if (name === undefined || OWN_THINGS.has(name.toLowerCase())) return null;
  const [from = null, to = null] = fromTo === null ? [null, versions[0]] : versions;
  return {
    packageName: name,
    from: from === null ? null : plainVersion(from),
    to: to === null ? null : plainVersion(to),
    group: false,
    kind: (before ?? after)?.toLowerCase() ?? null,
  };
}

function group(text: string, scope: string): BumpTitle | null {
  const which = GROUP.findIndex((one) => one.test(text));
  // People write "Update dependencies" too; a bot adds "all", a version or its scope.
  const vague = which === 1 && !/ (?:all|non-major) | to /.test(text) && !DEPENDENCY_SCOPE.test(scope);
  const namesTwo = which === 4 && !DEPENDENCY_SCOPE.test(scope);
  return which < 0 || vague || namesTwo ? null : { packageName: null, from: null, to: null, group: true, kind: null };
}

function nameOnly(text: string, scope: string): BumpTitle | null {
  const name = NAME_ONLY.exec(text)?.[1];
  const isIdentified = DEPENDENCY_SCOPE.test(scope) || / in \//.test(text) || /^@|\//.test(name ?? "");
  return name === undefined || !isIdentified || OWN_THINGS.has(name.toLowerCase())
    ? null
    : { packageName: name, from: null, to: null, group: false, kind: null };
}

/** Versions without Renovate's `v`, so that "to v2.0.0" and "to 2.0.0" are equal. */
export function plainVersion(version: string): string {
  return version.replace(/^v(?=\d)/i, "");
}

function pattern(source: string): RegExp {
  return new RegExp(`^${source}`, "iu");
}
