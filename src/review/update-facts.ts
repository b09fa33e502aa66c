// What was looked up about a dependency update, as lines for a model. The caller fences them: names and notes are others' text.
import type { DependencyUpdate, PackageUpdate } from "../domain/dependency-update.ts";
import { revealLine } from "../domain/text/untrusted-text.ts";

const PACKAGES_TOLD = 20;

/** "" without an update. */
export function updateFacts(update: DependencyUpdate | null): string {
  if (update === null) return "";
  const more = update.packages.length + update.more - PACKAGES_TOLD;
  return [
    ...update.packages.slice(0, PACKAGES_TOLD).map(packageLine),
    ...(more > 0 ? [`and ${more} more packages`] : []),
    ...update.notes.flatMap(({ name, breaking }) =>
      breaking.flatMap(({ tag, lines }) =>
        lines.map(
          (line) => `Release notes of ${revealLine(name)} ${revealLine(tag)} announce a break: ${revealLine(line)}`,
        ),
      ),
    ),
    ...update.usage.flatMap((one) =>
      one.kind === "looked"
        ? one.places.map(
            ({ path, line }) =>
              `${revealLine(one.name)} is named at ${revealLine(path)}${line === null ? "" : `:${line}`}`,
          )
        : [],
    ),
  ].join("\n");
}

function packageLine({ name, from, to, step, advisories }: PackageUpdate): string {
  const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).join(", ") || "none";
  const known =
    advisories.kind === "known"
      ? `advisories fixed: ${ids(advisories.fixed)}; brought: ${ids(advisories.brought)}; remaining: ${ids(advisories.remaining)}`
      : `advisories not known: ${advisories.reason}`;
  return `${revealLine(name)} ${revealLine(from ?? "?")} -> ${revealLine(to ?? "?")}, step ${step}; ${known}`;
}
