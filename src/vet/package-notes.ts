// The release notes of one package, from all releases of its source: those between the two versions, and their breaking changes.
import type { BreakingNote, PackageNotes } from "../domain/dependency-update.ts";
import { breakingLines } from "./breaking-notes.ts";
import { compareVersions } from "./compare-versions.ts";
import type { FoundPackage } from "./find-packages.ts";
import { bareVersion, isPrerelease } from "./update-step.ts";

/** The releases of a source repository, or why they are not known. */
export type Published =
  | {
      readonly kind: "read";
      readonly value: {
        readonly releases: Parameters<typeof releasesBetween>[1];
        /** False when older releases were not listed. */
        readonly complete: boolean;
      };
    }
  | { readonly kind: "unknown"; readonly reason: string };

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
  return {
    name: one.name,
    repository,
    read: releases.length,
    breaking,
    missing: gap(one.from, reachesBack || complete),
  };
}

function gap(from: string | null, isWhole: boolean): string | null {
  if (from === null) return "the old version is not known, so that only the notes of the new one were read";
  return isWhole ? null : "older releases than those listed were not read";
}

// Which releases lie between two versions. Repositories name their tags in several ways; with many packages, tags name one.

interface Release {
  readonly tag: string;
  readonly body: string;
  readonly prerelease: boolean;
}

type Versions = Pick<FoundPackage, "name" | "ecosystem" | "from"> & { readonly to: string };

const PLAIN = /^(?:release|rel|version|ver)?[-_/.]?(v?\d[\w.!+~-]{0,99})$/i;

/**
 * After the old version up to the new one, in the given order; without an old one only the new one itself. `reachesBack`
 * is true when a release at or before the old version was seen: none in between is missing.
 */
export function releasesBetween(update: Versions, all: readonly Release[]) {
  const { ecosystem, from, to } = update;
  const named = all.map((release) => ({ release, version: namedVersion(release.tag, update.name) }));
  // If tags name packages, the plain tags may be other packages' versions.
  const isNamed = named.some(({ version }) => version !== null);
  const known = isNamed
    ? named
    : all.map((release) => ({ release, version: bareVersion(PLAIN.exec(release.tag)?.[1] ?? "") }));
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
