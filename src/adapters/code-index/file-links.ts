// What one file takes, exports, imports and calls: by its grammar, in the languages that have one.
import type { SgNode } from "@ast-grep/napi";
import type { Call, FileLinks, Takes } from "../../domain/code/symbols.ts";
import { parseText, unfit } from "../grammars.ts";
import { definitions } from "./definitions.ts";
import { languageOf } from "./file-symbols.ts";

/** Of each kind that are looked at in one file. */
const MOST = 3_000;
const ARGUMENT_CHARS = 80;

/** By language: kinds of calls, and the field that says what is called. */
const CALLS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  java: { method_invocation: "name" },
  php: { function_call_expression: "function", member_call_expression: "name" },
  python: { call: "function" },
  ruby: { call: "method" },
};
const OTHER_CALLS: Readonly<Record<string, string>> = { call_expression: "function" };
/** Arguments and parameters behind which there are any number. */
const REST = /splat|spread|rest_pattern|variadic|placeholder|^pair$/;
const SKIPPED =
  /^(?:comment|line_comment|block_comment|self_parameter|receiver_parameter|block_parameter|.*separator)$/;
const OPTIONAL = /^(?:assignment_pattern|optional_parameter|default_parameter|typed_default_parameter)$/;

/** @param names whose calls are wanted */
export function fileLinks(path: string, text: string, names: ReadonlySet<string>): FileLinks | null {
  const language = languageOf(path);
  if (language === undefined || unfit(text) !== null) return null;
  const root = parseText(language, text);
  const isScript = /^(?:javascript|typescript|tsx)$/.test(language);
  const functions = definitions(language, root, MOST).flatMap(({ name, chunkType, nameRow, node }) =>
    chunkType === "function" || chunkType === "method"
      ? [{ name: name.split(".").at(-1) ?? name, line: nameRow + 1, takes: takesOf(language, node) }]
      : [],
  );
  return {
    functions,
    exports: isScript ? scriptExports(root) : language === "python" ? pythonExports(root) : null,
    imports: isScript ? scriptImports(root) : language === "python" ? pythonImports(root) : goImports(language, root),
    calls: names.size === 0 ? [] : callsOf(language, root, names),
  };
}

function namedIn(node: SgNode | null): SgNode[] {
  return node?.children().filter((child) => child.isNamed() && !SKIPPED.test(String(child.kind()))) ?? [];
}

function takesOf(language: string, node: SgNode): Takes | null {
  const list = node.field("parameters");
  const single = node.field("parameter");
  if ((list === null && single === null && language !== "ruby") || isDecorated(node)) return null;
  const parameters = single === null ? namedIn(list) : [single];
  if (parameters.some((parameter) => parameter.kind() === "keyword_parameter")) return null;
  const each = parameters.map((parameter) => parameterOf(language, parameter));
  if (/^(?:self|cls|this)$/.test(each[0]?.names[0] ?? "")) each.shift();
  const names = each.flatMap((one) => (one.isRest ? [] : one.names));
  const least = each.flatMap((one) => (one.isRest || one.isOptional ? [] : one.names)).length;
  const isOpen = each.some(({ isRest }) => isRest);
  // A call of JavaScript may leave any argument out, and one of PHP may have more.
  const isLoose = language === "javascript" || language === "php";
  return { names, least: language === "javascript" ? 0 : least, most: isOpen || isLoose ? null : names.length };
}

/** One, or several of Go: `a, b int`. */
function parameterOf(language: string, node: SgNode) {
  const kind = String(node.kind());
  const own = node.children().filter((part) => language === "go" && part.kind() === "identifier");
  return {
    names: own.length > 0 ? own.map((part) => part.text()) : [nameIn(node.field("pattern") ?? node)],
    isRest: REST.test(kind) || namedIn(node).some((part) => REST.test(String(part.kind()))),
    isOptional: OPTIONAL.test(kind) || node.field("value") !== null || node.field("default_value") !== null,
  };
}

/** A decorator may hand another function on; these two only say what a method is called on. */
function isDecorated(node: SgNode): boolean {
  const parent = node.parent();
  return (
    parent?.kind() === "decorated_definition" &&
    namedIn(parent).some((one) => one.kind() === "decorator" && !/^@(?:static|class)method$/.test(one.text().trim()))
  );
}

function nameIn(node: SgNode): string {
  const inner = node.field("name") ?? node.field("left") ?? (node.kind() === "typed_parameter" ? node.child(0) : node);
  return /^\$?([\p{L}_$][\p{L}\p{N}_$]*)$/u.exec(inner?.text() ?? "")?.[1] ?? "";
}

function callsOf(language: string, root: SgNode, names: ReadonlySet<string>): Call[] {
  const fields = CALLS[language] ?? OTHER_CALLS;
  return root
    .findAll({ rule: { any: Object.keys(fields).map((kind) => ({ kind })) } })
    .slice(0, MOST * 3)
    .flatMap((node): Call[] => {
      const text = node.field(fields[String(node.kind())] ?? "function")?.text() ?? "";
      const name = /(?<![\p{L}\p{N}_$])([\p{L}_$][\p{L}\p{N}_$]*[?!]?)$/u.exec(text)?.[1] ?? "";
      if (!names.has(name)) return [];
      const receiver = node.field("object") ?? node.field("receiver");
      const before = receiver?.text() ?? text.slice(0, text.length - name.length).replace(/(?:\?\.|\.|::|->)$/, "");
      const list = node.field("arguments");
      const args = list === null || /^(?:argument_list|arguments)$/.test(String(list.kind())) ? namedIn(list) : null;
      return [
        { name, line: node.range().start.line + 1, of: before === "" ? null : before, args: counted(language, args) },
      ];
    });
}

function counted(language: string, args: readonly SgNode[] | null): readonly string[] | null {
  const isOpen = args?.some((arg) => [arg, ...namedIn(arg)].some((part) => REST.test(String(part.kind())))) ?? true;
  // `f(g())` of Go has as many arguments as g returns.
  const isMany = language === "go" && args?.length === 1 && args[0]?.kind() === "call_expression";
  return isOpen || isMany ? null : (args ?? []).map((one) => one.text().slice(0, ARGUMENT_CHARS));
}

function scriptExports(root: SgNode): string[] | null {
  if (root.find({ rule: { any: [{ pattern: "module.exports" }, { kind: "ERROR" }] } }) !== null) return null;
  const names: string[] = [];
  for (const statement of root.children().filter((node) => node.kind() === "export_statement")) {
    const tokens = statement.children();
    const [star] = tokens.filter((node) => node.kind() === "*" || node.kind() === "=" || node.kind() === "namespace");
    if (star !== undefined) return null;
    if (tokens.some((node) => node.kind() === "default")) names.push("default");
    const declaration = statement.field("declaration");
    const holders = declaration?.field("name") === null ? namedIn(declaration) : [declaration];
    for (const holder of holders) names.push(...identifiersIn(holder?.field("name") ?? null));
    for (const one of namedIn(tokens.find((node) => node.kind() === "export_clause") ?? null))
      names.push(...identifiersIn(one.field("alias") ?? one.field("name")));
    const namespace = tokens.find((node) => node.kind() === "namespace_export");
    names.push(...identifiersIn(namespace ?? null));
  }
  return names;
}

/** A name, or each word of a pattern. */
function identifiersIn(node: SgNode | null): readonly string[] {
  return node?.text().match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];
}

function scriptImports(root: SgNode): FileLinks["imports"] {
  const any = [{ kind: "import_statement" }, { kind: "export_statement" }];
  return root.findAll({ rule: { any } }).flatMap((statement): FileLinks["imports"] => {
    const source = statement.field("source")?.text().slice(1, -1);
    if (source === undefined) return [];
    const line = statement.range().start.line + 1;
    const made = (name: string, local: string) => ({ from: source, name, local, line });
    const clauses = namedIn(statement).flatMap((one) => (one.kind() === "import_clause" ? namedIn(one) : [one]));
    const names = clauses.flatMap((clause) => {
      if (clause.kind() === "identifier") return [made("default", clause.text())];
      if (clause.kind() === "namespace_import" || clause.kind() === "namespace_export")
        return [made("*", identifiersIn(clause).at(-1) ?? "")];
      if (clause.kind() !== "named_imports" && clause.kind() !== "export_clause") return [];
      return namedIn(clause).map((part) => {
        const name = part.field("name")?.text() ?? "";
        return made(name, part.field("alias")?.text() ?? name);
      });
    });
    return names.length === 0 ? [made("", "")] : names;
  });
}

function pythonExports(root: SgNode): string[] {
  return root.children().flatMap((node) => {
    const own = node.kind() === "decorated_definition" ? node.field("definition") : node;
    const assigned = node.kind() === "expression_statement" ? node.child(0) : null;
    return identifiersIn(own?.field("name") ?? (assigned?.kind() === "assignment" ? assigned.field("left") : null));
  });
}

function pythonImports(root: SgNode): FileLinks["imports"] {
  const any = [{ kind: "import_from_statement" }, { kind: "import_statement" }];
  return root.findAll({ rule: { any } }).flatMap((statement): FileLinks["imports"] => {
    const module = statement.field("module_name");
    const line = statement.range().start.line + 1;
    return namedIn(statement)
      .filter((one) => one.id() !== module?.id())
      .map((one) => {
        const name = (one.field("name") ?? one).text();
        const local = one.field("alias")?.text() ?? name;
        return module === null ? { from: name, name: "*", local, line } : { from: module.text(), name, local, line };
      });
  });
}

function goImports(language: string, root: SgNode): FileLinks["imports"] {
  if (language !== "go") return [];
  return root.findAll({ rule: { kind: "import_spec" } }).map((spec) => {
    const from = spec.field("path")?.text().slice(1, -1) ?? "";
    const local = spec.field("name")?.text() ?? from.split("/").at(-1) ?? "";
    return { from, name: "*", local, line: spec.range().start.line + 1 };
  });
}
