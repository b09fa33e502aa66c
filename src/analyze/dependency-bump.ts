// Detects a dependency bump, its package and its size. Two signs of four are needed, because people write "Update …"
// too.
import semver from "semver";
import type { Author, Commit } from "../domain/pull-request.ts";
import type { DependencyBump, SemverStep } from "../domain/signals.ts";
import { bumpEcosystem, firstMatch } from "./dependency-bump-ecosystem.ts";
import { bumpTitle, plainVersion } from "./dependency-bump-title.ts";
import type { ParsedTitle } from "./title.ts";

interface BumpInput {
  readonly title: ParsedTitle;
  readonly body: string | null;
  readonly commits: readonly Commit[];
  readonly labels: readonly string[];
  readonly headRef: string;
  readonly author: Pick<Author, "login">;
  readonly files: readonly { readonly path: string }[];
}

type Source = DependencyBump["source"];

/**
 * Branch prefixes of the bots. Dependabot's separator can be configured to `-` or `_`; Renovate's prefix is
 * configurable.
 */
const BRANCHES: readonly (readonly [RegExp, Source])[] = [
  [/^dependabot[/_-]/, "dependabot"],
  [/^renovate[/-]/, "renovate"],
  [/^(?:greenkeeper|depfu|snyk-(?:upgrade|fix)|pyup)[/-]|^pre-commit-ci-update-config$/, "other"],
];

/** Logins of bots; only an App can have `[bot]` in its login. Self-hosted Renovates are named after their owner. */
const SENDERS: readonly (readonly [RegExp, Source])[] = [
  [/^dependabot(?:-preview)?(?:\[bot\])?$/, "dependabot"],
  [/^(?:renovate(?:-bot)?|(?:[a-z0-9-]{1,60}-)?renovate(?:-[a-z0-9-]{1,60})?\[bot\])$/, "renovate"],
  [/^(?:(?:greenkeeper|pre-commit-ci)\[bot\]|depfu\[bot\]|snyk-bot|pyup-bot|scala-steward)$/, "other"],
];

const LABELS: readonly (readonly [RegExp, Source])[] = [
  [/^(?:dependencies|dependency|deps)$/, "other"],
  [/^dependabot$/, "dependabot"],
  [/^renovate(?:-?bot)?$/, "renovate"],
];

/** Characters of a body that are searched for versions: release notes follow the first lines. */
const BODY_REACH = 20_000;

/**
 * The bump, or null when fewer than two of title, branch, sender and label indicate one. `from`, missing in Renovate's
 * titles, comes from the bot's own description or commit when its target matches the title.
 */
export function dependencyBump(input: BumpInput): DependencyBump | null {
  const title = bumpTitle(input.title);
  const branch = firstMatch(BRANCHES, input.headRef);
  const sender = firstMatch(SENDERS, input.author.login.toLowerCase());
  const labels = input.labels.flatMap((label) => firstMatch(LABELS, label.trim().toLowerCase()) ?? []);
  const signs: DependencyBump["signs"][number][] = [];
  if (title !== null) signs.push("title");
  if (branch !== null) signs.push("branch");
  if (sender !== null) signs.push("sender");
  if (labels.length > 0) signs.push("label");
  if (signs.length < 2) return null;
  const versions = completeVersions(input, title);
  return {
    source: [sender, branch, ...labels].find((source) => source !== null && source !== "other") ?? "other",
    signs,
    packageName: title?.packageName ?? null,
    ...versions,
    ecosystem: bumpEcosystem({ headRef: input.headRef, files: input.files, title }),
    group: title?.group ?? false,
    step: bumpStep(versions.from, versions.to),
  };
}

function completeVersions(input: BumpInput, title: ReturnType<typeof bumpTitle>) {
  const known = { from: title?.from ?? null, to: title?.to ?? null };
  if (title === null || title.group || known.from !== null) return known;
  const texts = [input.body ?? "", ...input.commits.slice(0, 1).map((commit) => commit.message)];
  const [stated] = texts.flatMap((text) => statedVersions(text.slice(0, BODY_REACH)) ?? []);
  if (stated === undefined || !agrees(known.to, stated.to)) return known;
  return { from: stated.from, to: known.to ?? stated.to };
}

/** Dependabot: "Bumps [x](…) from A to B."; Renovate: a table cell "[`A` -> `B`](…)" or "`A` → `B`". */
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

/** `1.2`, `v3`, `^4.4.0`, `2024.1.1`, `1.2.3.4`, `11.0.0-beta.3`, `1.24-alpine`; a commit hash is no version. */
const VERSION = /^[v^~>=<]{0,3}\d{1,9}(?:\.\d{1,9}){0,5}(?:[-+.][\w.+-]{0,100})?$/i;
const HASH = /^[0-9a-f]{7,40}$/i;

/**
 * The semver step between two versions in either direction: the first of major and minor that differs, else patch.
 * Partial, calendar and four-part versions are read as their first three numbers. "unknown" when one is missing or no
 * version, or both are the same.
 */
export function bumpStep(from: string | null, to: string | null): SemverStep {
  const before = version(from);
  const after = version(to);
  if (before === null || after === null || from === to) return "unknown";
  if (before.major !== after.major) return "major";
  return before.minor === after.minor ? "patch" : "minor";
}

function version(text: string | null): semver.SemVer | null {
  return text !== null && VERSION.test(text) && !HASH.test(text) ? semver.coerce(text) : null;
}
