// Words that structural rules share: how a call looks in each grammar, and what counts as text chosen by whoever sends a request.
import type { Example, Shape, StructuralRule } from "../rule.ts";

/** A node of a kind, or of one of several, that meets all conditions. */
export function node(kind: string | readonly string[], ...conditions: readonly Shape[]): Shape {
  return { all: [typeof kind === "string" ? { kind } : kinds(...kind), ...conditions] };
}

/** The text of a field of the node matches a Rust regular expression. */
export function has(field: string, regex: string): Shape {
  return { has: { field, regex } };
}

/**
 * Calls of one language whose callee (`path.join`) matches a regular expression of Rust, which is anchored here, and that meet
 * further conditions.
 */
function callIn(kind: string, field: string): (callee: string, ...more: readonly Shape[]) => Shape {
  return (callee, ...more) => node(kind, has(field, `^(${callee})$`), ...more);
}

/** In Java and Ruby the callee is the method's name alone; `inScript` is for JavaScript and TypeScript at once. */
export const calls = {
  script: callIn("call_expression", "function"),
  inScript: (callee: string, ...more: readonly Shape[]) => script(calls.script(callee, ...more)),
  python: callIn("call", "function"),
  go: callIn("call_expression", "function"),
  java: callIn("method_invocation", "name"),
  ruby: callIn("call", "method"),
  php: callIn("function_call_expression", "function"),
};

/** The arguments of a call, brackets included, match a Rust regular expression (`.` matches newlines). */
export function withArguments(regex: string): Shape {
  return has("arguments", `(?s)${regex}`);
}

/** The text of the node matches a Rust regular expression (`.` matches newlines). */
export function text(regex: string): Shape {
  return { regex: `(?s)${regex}` };
}

/** A node of one of these kinds. */
export function kinds(...names: readonly string[]): Shape {
  return { any: names.map((kind) => ({ kind })) };
}

/** Not this. */
export function not(shape: Shape): Shape {
  return { not: shape };
}

/** The same shapes, in whichever language, where the text of the node does not match a Rust regular expression. */
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

/** Code of an example, line by line. */
export function example(path: string, ...lines: readonly string[]): Example {
  return { path, code: lines.join("\n") };
}

/** Expressions that hold what a client sent, in the common web frameworks of each language. */
export const REQUEST = {
  script: String.raw`\b(req|request|ctx|context)\.(params|query|body|cookies|headers|request\.(body|query))\b|\bsearchParams\.get\(`,
  python: String.raw`\brequest\.(args|form|values|json|data|GET|POST|cookies|headers|files|query_params|path_params|get_json)\b`,
  go: String.raw`\b(r|req|request)\.(URL\.(Query\(\)|Path\b)|FormValue\(|PostFormValue\(|PathValue\(|Header\.Get\()|\bc\.(Query|Param|PostForm|QueryParam|FormValue)\(|\bmux\.Vars\(`,
  java: String.raw`\b(req|request)\.get(Parameter|Header|QueryString|PathInfo|Cookies)\w*\(`,
  ruby: String.raw`\bparams(\[|\.(fetch|require|dig)\b)|\bcookies\[|\brequest\.(params|query_parameters|headers)\b`,
  php: String.raw`\$_(GET|POST|REQUEST|COOKIE)\b`,
} as const;

/** Some word of REQUEST. */
export const REQUEST_WORDS =
  /\b(req|request|ctx|context|params|cookies)\b|searchParams|FormValue|PathValue|URL\.(Query|Path)|Header\.Get|mux\.Vars|\bc\.|\$_(GET|POST|REQUEST|COOKIE)/;
