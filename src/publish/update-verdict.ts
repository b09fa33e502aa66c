// The verdict on an update, from a closed set of sentences. None of them says that it may be merged: people decide that, and
// no lookup here could show it.

import type { DependencyUpdate } from "../domain/dependency-update.ts";
import { counted } from "../domain/text/counted.ts";

/** Clauses about advisories, steps, use and release notes, joined by semicolons; without a full stop. */
export function updateVerdict(update: DependencyUpdate): string {
  if (update.packages.length === 0)
    return "which packages it changes could not be read from title, description or manifests";
  return [...advisoryWords(update), ...stepWords(update), usageWords(update), noteWords(update)].join("; ");
}

function advisoryWords({ packages, more }: DependencyUpdate): readonly string[] {
  const known = packages.flatMap(({ advisories }) => (advisories.kind === "known" ? [advisories] : []));
  const all = packages.length + more;
  if (known.length === 0) return ["advisories were not looked up"];
  const sum = (part: "fixed" | "brought" | "remaining") => known.reduce((count, one) => count + one[part].length, 0);
  const [fixed, brought, remaining] = [sum("fixed"), sum("brought"), sum("remaining")];
  const none = brought + remaining === 0;
  return [
    none ? `no known advisory at the new ${all === 1 ? "version" : "versions"}` : "",
    known.length < all ? `advisories were looked up for ${known.length} of ${all} packages` : "",
    brought > 0 ? `${counted(brought, "known advisory", "known advisories")} new with the update` : "",
    remaining > 0 ? `${counted(remaining, "known advisory", "known advisories")} as before` : "",
    fixed > 0 ? `${counted(fixed, "known advisory", "known advisories")} fixed` : "",
  ].filter((words) => words !== "");
}

function stepWords({ packages }: DependencyUpdate): readonly string[] {
  const count = (step: string) => packages.filter((one) => one.step === step).length;
  return [
    count("major") > 0 ? counted(count("major"), "major step") : "",
    count("downgrade") > 0 ? counted(count("downgrade"), "downgrade") : "",
  ].filter((words) => words !== "");
}

function usageWords({ usage, packages }: DependencyUpdate): string {
  const looked = usage.flatMap((one) => (one.kind === "looked" ? [one] : []));
  const [first] = looked;
  if (first === undefined) return "where it is used was not looked at";
  const places = looked.reduce((count, one) => count + one.places.length + one.more, 0);
  const it = packages.length === 1 ? "it" : "them";
  return places === 0
    ? `no place in ${first.where} names ${it}`
    : `${counted(places, "place")} in ${first.where} ${places === 1 ? "names" : "name"} ${it}`;
}

function noteWords({ notes }: DependencyUpdate): string {
  const read = notes.reduce((count, one) => count + one.read, 0);
  if (read === 0) return "release notes were not read";
  const lines = notes.reduce((count, one) => count + one.breaking.reduce((sum, note) => sum + note.lines.length, 0), 0);
  const of = `in the ${read === 1 ? "release note" : `${read} release notes`} read`;
  return lines === 0 ? `breaking notes: none found ${of}` : `breaking notes: ${counted(lines, "line")} ${of}`;
}
