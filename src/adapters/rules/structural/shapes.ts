// Words of structural rules: a call in each grammar, and what a client of a server chose.
import type { Shape, StructuralRule } from "../rule.ts";

/** A node of a kind, or of one of several, that meets all conditions. */
export function node(kind: string | readonly string[], ...conditions: readonly Shape[]): Shape {
  return { all: [typeof kind === "string" ? { kind } : kinds(...kind), ...conditions] };
}

/** The text of a field of the node matches a Rust regular expression. */
export function has(field: string, regex: string): Shape {
  return { has: { field, regex } };
}

/** A regular expression of Rust as a template: nothing in it is escaped. */
type Pattern<Result> = (parts: TemplateStringsArray, ...values: readonly string[]) => Result;

/** A node of a kind, or of one of several, whose text matches (`.` matches newlines). */
export function like(kind: string | readonly string[]): Pattern<Shape> {
  return (parts, ...values) => node(kind, text(String.raw(parts, ...values)));
}

/** Calls whose whole callee (`path.join`) matches, and whose arguments what follows " with ". */
function callIn(kind: string | readonly string[], field: string): Pattern<Shape> {
  return (parts, ...values) => {
    const [callee, given] = String.raw(parts, ...values).split(" with ");
    return node(kind, has(field, `^(${callee})$`), ...(given === undefined ? [] : [withArguments(given)]));
  };
}

/** By language. In Java and Ruby the callee is the method's name alone. */
export const calls = {
  script: callIn("call_expression", "function"),
  python: callIn("call", "function"),
  go: callIn("call_expression", "function"),
  java: callIn("method_invocation", "name"),
  ruby: callIn("call", "method"),
  php: callIn("function_call_expression", "function"),
  phpMethod: callIn(["member_call_expression", "scoped_call_expression"], "name"),
  /** `new File(…)` of Java. */
  made: callIn("object_creation_expression", "type"),
};

/** What meets every condition. */
export function both(...conditions: readonly Shape[]): Shape {
  return { all: conditions };
}

/** The arguments of a call, with brackets, match a Rust regular expression (`.` takes newlines). */
export function withArguments(regex: string): Shape {
  return has("arguments", `(?s)${regex}`);
}

/** The text of the node matches a Rust regular expression (`.` matches newlines). */
export function text(regex: string): Shape {
  return { regex: `(?s)${regex}` };
}

/** The text of the innermost such node around, or of the file, matches a Rust expression. */
export function inside(around: readonly string[], regex: string): Shape {
  return { inside: { stopBy: kinds(...around), regex } };
}

/** A node of one of these kinds. */
export function kinds(...names: readonly string[]): Shape {
  return { any: names.map((kind) => ({ kind })) };
}

/** Not this. */
export function not(shape: Shape): Shape {
  return { not: shape };
}

/** The same shapes, where the text of the node does not match a Rust regular expression. */
export function unless(regex: string, match: StructuralRule["match"]): StructuralRule["match"] {
  const each = Object.entries(match).map(
    ([language, shapes]) => [language, [shapes].flat().map((shape) => ({ all: [shape, not(text(regex))] }))] as const,
  );
  return Object.fromEntries(each);
}

/** The same shapes for JavaScript and TypeScript. */
export function script(...shapes: readonly Shape[]): Record<"javascript" | "typescript", readonly Shape[]> {
  return { javascript: shapes, typescript: shapes };
}

/** Expressions that hold what a client sent, in the common web frameworks of each language. */
export const REQUEST = {
  script: String.raw`\b(req|request|ctx|context)\??\.(params|query|body|cookies|headers|payload|request\??\.(body|query))\b|\breq(uest)?\.(param|get|header)\(|\bsearchParams\.get(All)?\(|\bevent\.(queryString|path)Parameters\b`,
  python: String.raw`\brequest\.(args|form|values|json|data|GET|POST|cookies|headers|files|query_params|path_params|get_json|query|match_info)\b|\bself\.get_(query_|body_)?argument\(`,
  go: String.raw`\b(r|req|request)\.(URL\.(Query\(\)|Path\b)|FormValue\(|PostFormValue\(|PathValue\(|(Form|PostForm|Header)\.Get\()|\b(c|ctx)\.(Query|DefaultQuery|Param|Params|PostForm|QueryParam|FormValue)\(|\b(mux\.Vars|chi\.URLParam|web\.Params)\(`,
  java: String.raw`\b(req|request)\.get(Parameter|Header|QueryString|PathInfo|Cookies)\w*\(`,
  ruby: String.raw`\bparams(\[|\.(fetch|require|dig|permit|slice)\b)|\bcookies\[|\brequest\.(params|query_parameters|headers)\b`,
  php: String.raw`\$_(GET|POST|REQUEST|COOKIE)\b|\$(this->)?request->(input|query|get|post)\b|\brequest\(\s*["']|\bfilter_input\(`,
} as const;

/** Some word of REQUEST. */
export const REQUEST_WORDS =
  /\b(req|request|ctx|context|params|cookies)\b|searchParams|get_(?:query_|body_)?argument|Parameters\b|FormValue|PathValue|URL\.(Query|Path)|(?:Header|Form)\.Get|mux\.Vars|URLParam|web\.Params|\bc\.|\$_(GET|POST|REQUEST|COOKIE)|filter_input/;

/** An argument that is text put together: by format, by a sign between, by values within it. */
export const PYTHON_BUILT = String.raw`(?:\w+\s*=\s*)?(?:[rbRB]*[fF][rR]?["']+.*\{[a-z_(]|[rb]*["'].*["']\s*(?:%|\+)\s*[a-z_(]|[rb]*["'].*["']\s*\.format(?:_map)?\(|\w+\s*\+\s*["'])`;
