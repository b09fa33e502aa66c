// Words that structural rules share: how a call looks in each grammar, and what counts as text chosen by whoever sends a request.
import type { Example, Shape } from "../rule.ts";

/** Languages whose calls `call` can describe; `script` is JavaScript and TypeScript. */
type Calls = "script" | "python" | "go" | "java" | "ruby" | "rust" | "php";

const CALLS: Readonly<Record<Calls, { readonly kind: string; readonly callee: string }>> = {
  script: { kind: "call_expression", callee: "function" },
  python: { kind: "call", callee: "function" },
  go: { kind: "call_expression", callee: "function" },
  java: { kind: "method_invocation", callee: "name" },
  ruby: { kind: "call", callee: "method" },
  rust: { kind: "call_expression", callee: "function" },
  php: { kind: "function_call_expression", callee: "function" },
};

/** A node of a kind that meets all conditions. */
export function node(kind: string, ...conditions: readonly Shape[]): Shape {
  return { all: [{ kind }, ...conditions] };
}

/** The text of a field of the node matches a Rust regular expression. */
export function has(field: string, regex: string): Shape {
  return { has: { field, regex } };
}

/**
 * A call whose callee (`path.join`; in Java and Ruby the method's name alone) matches a regular expression.
 *
 * @param callee Rust regular expression, anchored by this function
 * @param more further conditions; all must hold
 */
export function call(language: Calls, callee: string, ...more: readonly Shape[]): Shape {
  const { kind, callee: field } = CALLS[language];
  return node(kind, has(field, `^(${callee})$`), ...more);
}

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

/** A part of the node, at any depth. */
export function within(shape: Shape): Shape {
  return { has: { ...shape, stopBy: "end" } };
}

/** The same shapes for JavaScript and TypeScript. */
export function script(...shapes: readonly Shape[]): {
  readonly javascript: readonly Shape[];
  readonly typescript: readonly Shape[];
} {
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
