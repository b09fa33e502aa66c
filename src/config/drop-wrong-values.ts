// Judges values by the schema and takes out what is wrong, each with its reason, until the rest is right.
import type { z } from "zod";
import { issueText } from "./issue-text.ts";
import { bare, type Entry, type Located, locate, type Path, type Trouble, trouble } from "./located.ts";
import { ConfigFile } from "./repo-config.ts";
import { wholeItem } from "./whole-item.ts";

/** Each round takes something out and most files need one; a bad item inside a bad item needs one more. */
const MAX_ROUNDS = 8;

type Issue = z.core.$ZodIssue;

/** What to take out at one level: whole children, or something within a child. */
interface Cut {
  whole: boolean;
  readonly inside: Map<string | number, Cut>;
}

/**
 * Field by field: a wrong value goes, its neighbours stay; a wrong item leaves its list; an item that lacks something
 * required goes as a whole; a list that is too long loses its end.
 *
 * @param root a mapping with known keys only
 * @returns a tree that the schema accepts
 */
export function dropWrongValues(root: Located): { readonly root: Located; readonly troubles: readonly Trouble[] } {
  const troubles: Trouble[] = [];
  let tree: Located = root;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const parsed = ConfigFile.safeParse(bare(tree));
    if (parsed.success) return { root: tree, troubles };
    const cut: Cut = { whole: false, inside: new Map() };
    for (const issue of parsed.error.issues) judge(issue, tree, cut, round, troubles);
    tree = without(tree, cut) ?? emptied(root);
  }
  return { root: emptied(root), troubles };
}

function emptied(root: Located): Located {
  return { kind: "mapping", entries: [], place: root.place };
}

function judge(issue: Issue, tree: Located, cut: Cut, round: number, troubles: Trouble[]): void {
  const path = issue.path.filter((part) => typeof part !== "symbol");
  const found = locate(tree, path);
  if (found === null) {
    const item = enclosingItem(path);
    const name = path.slice(item.length).join(".");
    const message = `lacks \`${name}\`, which is required; add it`;
    // What is missing in a later round was taken out in an earlier one, and named there.
    if (round === 0) troubles.push(trouble(item, locate(tree, item)?.place ?? null, message));
    mark(cut, item);
  } else if (issue.code === "too_big" && found.kind === "list") {
    const limit = Number(issue.maximum);
    const message = `must have at most ${limit} items; the rest is left out`;
    troubles.push(trouble(path, found.items[limit]?.place ?? found.place, message));
    for (let index = limit; index < found.items.length; index += 1) mark(cut, [...path, index]);
  } else {
    judgeValue(issue, path, found, cut, troubles);
  }
}

function judgeValue(issue: Issue, path: Path, found: Located, cut: Cut, troubles: Trouble[]): void {
  const whole = wholeItem(path);
  const message = issueText(issue, found);
  troubles.push(trouble(path, found.place, whole === null ? message : `${message}; the whole item is left out`));
  mark(cut, whole ?? path);
}

/** The list item around a missing value; the path itself when there is none, so that a cut always makes progress. */
function enclosingItem(path: Path): Path {
  const index = path.findLastIndex((part) => typeof part === "number");
  return path.slice(0, index + 1);
}

function mark(cut: Cut, path: Path): void {
  let level = cut;
  for (const part of path) {
    const next = level.inside.get(part) ?? { whole: false, inside: new Map() };
    level.inside.set(part, next);
    level = next;
  }
  level.whole = true;
}

function without(node: Located, cut: Cut | undefined): Located | null {
  if (cut === undefined) return node;
  if (cut.whole) return null;
  if (node.kind === "list") {
    return { ...node, items: node.items.flatMap((item, index) => without(item, cut.inside.get(index)) ?? []) };
  }
  if (node.kind === "scalar") return node;
  const entries = node.entries.flatMap((entry): Entry[] => {
    const value = without(entry.value, cut.inside.get(entry.key));
    return value === null ? [] : [{ ...entry, value }];
  });
  return { ...node, entries };
}
