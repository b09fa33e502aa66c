// The release notes of one package, from all releases of its source: which lie between the versions, and what in them breaks.
import type { BreakingNote, PackageNotes } from "../domain/dependency-update.ts";
import { breakingLines } from "./breaking-notes.ts";
import type { FoundPackage } from "./find-packages.ts";
import { releasesBetween } from "./releases-between.ts";

/** What a source repository published, or why that is not known. */
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

const MOST_RELEASES_TOLD = 10;

/** @param repository OWNER/NAME, or null when no source is known: then `published` says so */
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
    .slice(0, MOST_RELEASES_TOLD);
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
