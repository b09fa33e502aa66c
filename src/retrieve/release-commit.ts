// A release: the project's own version goes up, its changelog is written, and nothing else happens.
import type { DiffLine, FileDiff } from "../domain/pull-request.ts";

const CHANGELOG = /(?:^|\/)(?:CHANGE(?:S|LOG)|HISTORY|NEWS|RELEASES?|RELEASE[-_]NOTES)(?:\.[a-z]{1,5})?$/i;

/** A line that is only the field of a version. In a POM dependencies look the same, so only a snapshot's version counts there. */
const VERSION_LINE =
  /^\s{0,40}(?:"?version"?\s?[:=]|__version__\s?=|VERSION\s?=|(?:pub |public |export )?(?:static |final )?const (?:string )?version\s?=)\s{0,4}["']?(v?\d[\w.+-]{0,60})["']?[,;]?\s*$|^\s{0,40}<version>(\d[\w.+-]{0,60}-SNAPSHOT|\d[\w.+-]{0,60})<\/version>\s*$|^(v?\d{1,6}\.\d[\w.+-]{0,60})\s*$/i;

const RELEASE_TITLE =
  /\brelease\b|\bversion packages\b|\bprepare\b.{0,40}\bversion\b|^\W{0,3}v?\d+\.\d+[\w.+-]{0,40}\W{0,3}$|\bbump version\b/i;

/**
 * True when every reviewed file is a changelog, or changes nothing but version fields that all say the same: one version
 * before, one after. A bump of somebody else's version is not a release, so the title or a changelog must say so too.
 *
 * @param isBump whether the pull request is a dependency bump
 */
export function isReleaseCommit(files: readonly FileDiff[], title: string, isBump: boolean): boolean {
  if (isBump || !files.every(({ complete, status }) => complete && status === "modified")) return false;
  const changelogs = files.filter(({ path }) => CHANGELOG.test(path));
  const others = files.filter(({ path }) => !CHANGELOG.test(path));
  const step = oneStep(others.flatMap(changedLines));
  if (step === null) return false;
  if (others.some(isPom) && !`${step.before}${step.after}`.includes("-SNAPSHOT")) return false;
  return RELEASE_TITLE.test(title) || mentions(changelogs, step.after);
}

/** The one version before and the one after, or null when a line says something else or versions differ. */
function oneStep(lines: readonly DiffLine[]): { readonly before: string; readonly after: string } | null {
  const told = lines.map(({ kind, text }) => ({ kind, version: versionOf(text) }));
  const [before, ...othersBefore] = new Set(
    told.filter(({ kind }) => kind === "removed").map(({ version }) => version),
  );
  const [after, ...othersAfter] = new Set(told.filter(({ kind }) => kind === "added").map(({ version }) => version));
  const one = othersBefore.length === 0 && othersAfter.length === 0;
  return one && typeof before === "string" && typeof after === "string" ? { before, after } : null;
}

function mentions(changelogs: readonly FileDiff[], version: string): boolean {
  const bare = version.replace(/^v/, "");
  return changelogs.flatMap(changedLines).some(({ kind, text }) => kind === "added" && text.includes(bare));
}

function isPom({ path }: FileDiff): boolean {
  return path.endsWith(".xml");
}

function changedLines({ hunks }: FileDiff): readonly DiffLine[] {
  return hunks.flatMap(({ lines }) => lines).filter(({ kind, text }) => kind !== "context" && text.trim() !== "");
}

function versionOf(text: string): string | null {
  const match = text.length > 300 ? null : VERSION_LINE.exec(text);
  return match === null ? null : (match[1] ?? match[2] ?? match[3] ?? null);
}
