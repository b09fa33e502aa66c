// Follows a value by one assignment: rules read the code again with values in place of names.

import type { SgNode } from "@ast-grep/napi";
import { REQUEST_WORDS } from "./structural/shapes.ts";

/** By kind of node the fields of name and value. Python's `with open(…) as f` has no value. */
const ASSIGNS: Readonly<Record<string, readonly [name: string, value: string]>> = {
  variable_declarator: ["name", "value"],
  assignment_expression: ["left", "right"],
  assignment: ["left", "right"],
  named_expression: ["name", "value"],
  short_var_declaration: ["left", "right"],
  assignment_statement: ["left", "right"],
  var_spec: ["name", "value"],
  let_declaration: ["pattern", "value"],
  as_pattern: ["alias", ""],
};
const FUNCTION =
  /^(?:function_(?:declaration|definition|expression|item)|generator_function\w*|arrow_function|method(?:_definition|_declaration)?|singleton_method|constructor_declaration|lambda(?:_expression)?|func_literal|closure_expression|anonymous_function\w*)$/;
/** Kinds of a use of a name. */
const NAMES = ["identifier", "variable_name"];

/** What is worth following: what a request holds, text that is put together, and archives. */
const TELLING = new RegExp(
  String.raw`${REQUEST_WORDS.source}|base64|b64decode|\$\{|#\{|["'\x60]\s*[+.%]\s*[\w$(@]|\+\s*["'\x60]|\bf["']|\.format\(|[sS]printf|String\.format|format!|tarfile\.|php://input|\blocation\.(hash|search|href)`,
);
/** Longer values are not followed: the text that rules read grows by as much at each use. */
const LONGEST = 300;
/** More uses in one file are not followed; each costs a walk to its function. */
const MOST = 300;

interface Assignment {
  readonly name: string;
  readonly value: string;
  readonly end: number;
  readonly row: number;
  readonly scope: number;
}

export interface Followed {
  /** The same lines, with values in the place of names. */
  readonly text: string;
  /** 0-based rows in which a name was replaced, and the row of its assignment. */
  readonly rows: ReadonlyMap<number, number>;
}

/**
 * @param root the syntax of `text`; of kinds that its grammar does not know there are none
 * @param knows whether the grammar has a kind of node
 * @returns null when nothing is to be followed. A name is replaced by what its last assignment
 *   before in the same function gave it, unless a condition between the two is about the name.
 */
export function follow(root: SgNode, text: string, knows: (kind: string) => boolean): Followed | null {
  if (!TELLING.test(text)) return null;
  const find = (kinds: readonly string[], regex?: string) => {
    const any = kinds.filter(knows).map((kind) => ({ kind }));
    return any.length === 0 ? [] : root.findAll({ rule: { any, ...(regex === undefined ? {} : { regex }) } });
  };
  const nodes = find(Object.keys(ASSIGNS));
  const isTelling = (node: SgNode) => TELLING.test(node.text());
  const names = new Set(nodes.filter(isTelling).flatMap((node) => assignmentsOf(node, 0).map(({ name }) => name)));
  if (names.size === 0) return null;
  const anyName = [...names].map((name) => name.replace(/\$/g, "\\$")).join("|");
  const known = Map.groupBy(
    nodes.flatMap((node) =>
      assignmentsOf(node, -1).some(({ name }) => names.has(name)) ? assignmentsOf(node, scopeOf(node)) : [],
    ),
    ({ name, scope }) => `${scope} ${name}`,
  );
  const parts: string[] = [];
  const rows = new Map<number, number>();
  let at = 0;
  for (const use of find(NAMES, `^(${anyName})$`).slice(0, MOST)) {
    const { start, end } = use.range();
    const before = (known.get(`${scopeOf(use)} ${use.text()}`) ?? []).findLast(
      (assignment) => assignment.end <= start.index,
    );
    if (before === undefined || start.index < at || !TELLING.test(before.value)) continue;
    if (!isUse(text, start.index, end.index) || isChecked(use.text(), text.slice(before.end, start.index))) continue;
    const isInText = use.parent()?.kind() === "encapsed_string";
    parts.push(text.slice(at, start.index), isInText ? before.value.replaceAll('"', "'") : before.value);
    rows.set(start.line, before.row);
    at = end.index;
  }
  return rows.size === 0 ? null : { text: parts.join("") + text.slice(at), rows };
}

/** `a = b`, `a, err := b`, `{ a } = b`; none where the value is long or spans a comment. */
function assignmentsOf(node: SgNode, scope: number): readonly Assignment[] {
  const [left = "", right = ""] = ASSIGNS[String(node.kind())] ?? [];
  const target = node.field(left) ?? null;
  const given = right === "" ? node.child(0) : node.field(right);
  if (target === null || given === null) return [];
  const { start, end } = node.range();
  const raw = given.text();
  const lines = raw.split("\n").map((line) => line.trim());
  const hasComment = lines.some((line, at) =>
    at === 0 ? lines.length > 1 && line.startsWith("#") : /\/\/|#/.test(line),
  );
  const value = raw.length > LONGEST || hasComment ? "" : lines.filter((line) => line !== "").join(" ");
  const one = (name: string, of: string): Assignment => ({ name, value: of, end: end.index, row: start.line, scope });
  if (target.kind() === "object_pattern")
    return target.children().flatMap((part) => {
      const [key = "", name = key] = part
        .text()
        .split(":")
        .map((half) => half.trim());
      return /^[\w$]+$/.test(key) && /^[\w$]+$/.test(name) ? [one(name, value && `${value}.${key}`)] : [];
    });
  const [, first = ""] = /^(?:mut\s+)?(\$?[A-Za-z_][\w$]*)\s*(?:,|$)/.exec(target.text()) ?? [];
  return first === "" ? [] : [one(first, value)];
}

function scopeOf(node: SgNode): number {
  return (
    node
      .ancestors()
      .find((above) => FUNCTION.test(String(above.kind())))
      ?.id() ?? 0
  );
}

/** Names of a list that is assigned to, up to its end. */
const LIST = /^(?:\s*,\s*\w+){1,5}\s*:?=(?!=)/;

/** Not a member, the name of an argument or a key, a call, or what is assigned to. */
function isUse(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 80), start);
  const after = text.slice(end, end + 80);
  if (/[\w)\]?]\.$|->$|::$/.test(before) || /^\s*(?:[(:]|[-+.*/%|&?]*=(?!=))/.test(after)) return false;
  return !(LIST.test(after) && /(?:^|[\n;{])[\w\s,]{0,80}$/.test(before));
}

/** Farther apart, a value is not followed: each use reads the text between. */
const FARTHEST = 5_000;
const CONDITION =
  /\b(?:if|elif|elsif|unless|while|assert\w*|switch|match|when|require\w*|ensure\w*|valid\w*|check\w*|verif\w*)\b/i;
/** What asks no more than whether there is a value. */
const EMPTY =
  /(?:!|\bnot\s+|\bempty\(\s*|\bisset\(\s*|\btypeof\s+)NAME\b|\bNAME\s*(?:[!=]==?|\bis(?:\s+not)?)\s*(?:null|undefined|None|nil|""|'')|\bif\s*\(?\s*NAME\s*\)?\s*[:{]/g;

/** Whether a condition asks more of a name than that it is there. */
function isChecked(name: string, between: string): boolean {
  if (between.length > FARTHEST) return true;
  const named = between.replace(new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`, "g"), "NAME");
  return named
    .replace(EMPTY, "")
    .split("\n")
    .some((line) => line.includes("NAME") && CONDITION.test(line));
}
