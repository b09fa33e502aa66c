// What counts as a definition in each grammar, and what it is called.
import type { SgNode } from "@ast-grep/napi";

type ChunkType = "function" | "method" | "class" | "interface" | "struct" | "enum" | "trait" | "module";

/** Node kind → what it defines, in one language. */
type Kinds = Readonly<Record<string, ChunkType>>;

const SCRIPT: Kinds = {
  function_declaration: "function",
  generator_function_declaration: "function",
  function_expression: "function",
  generator_function: "function",
  arrow_function: "function",
  method_definition: "method",
  class_declaration: "class",
  class: "class",
};

const TYPED_SCRIPT: Kinds = {
  ...SCRIPT,
  abstract_class_declaration: "class",
  interface_declaration: "interface",
  enum_declaration: "enum",
};

/** By language key of a grammar. */
const KINDS: Readonly<Record<string, Kinds>> = {
  javascript: SCRIPT,
  typescript: TYPED_SCRIPT,
  tsx: TYPED_SCRIPT,
  python: { function_definition: "function", class_definition: "class" },
  go: { function_declaration: "function", method_declaration: "method", type_spec: "struct" },
  java: {
    class_declaration: "class",
    record_declaration: "class",
    interface_declaration: "interface",
    annotation_type_declaration: "interface",
    enum_declaration: "enum",
    method_declaration: "method",
    constructor_declaration: "method",
    compact_constructor_declaration: "method",
  },
  ruby: { class: "class", module: "module", method: "function", singleton_method: "method" },
  rust: {
    function_item: "function",
    macro_definition: "function",
    struct_item: "struct",
    union_item: "struct",
    enum_item: "enum",
    trait_item: "trait",
    impl_item: "class",
    mod_item: "module",
  },
  php: {
    function_definition: "function",
    method_declaration: "method",
    class_declaration: "class",
    interface_declaration: "interface",
    trait_declaration: "trait",
    enum_declaration: "enum",
  },
};

/** A named piece of syntax, as rows (0-based, end inclusive) of the file. */
export interface Definition {
  readonly name: string;
  readonly chunkType: ChunkType;
  /** `export`, decorators and the like included. */
  readonly start: number;
  readonly last: number;
  /** The row that says its name. */
  readonly nameRow: number;
  readonly node: SgNode;
}

/**
 * The definitions of a tree, in the order of the file, whatever they stand in.
 *
 * @param max only so many are read: asking a node for its neighbours takes ever more time
 */
export function definitions(language: string, root: SgNode, max: number): Definition[] {
  const kinds = KINDS[language];
  if (kinds === undefined) return [];
  const any = Object.keys(kinds).map((kind) => ({ kind }));
  // A keyword token may be of the same kind as what it opens (`class`).
  const nodes = root.findAll({ rule: { any } }).filter((node) => node.isNamed() && !node.isLeaf());
  return nodes.slice(0, max).flatMap((node): Definition[] => {
    const name = nameOf(node);
    const chunkType = node.kind() === "type_spec" ? goType(node) : (kinds[String(node.kind())] ?? null);
    if (name === null || chunkType === null) return [];
    const { start, end } = outerOf(node).range();
    // A node that swallowed its newline ends at column 0 of the next row.
    const last = end.column === 0 && end.line > start.line ? end.line - 1 : end.line;
    const nameRow = (node.field("name") ?? node).range().start.line;
    return [{ name, chunkType, start: start.line, last, nameRow, node }];
  });
}

/** Go writes structs and interfaces as types; other named types are one line each. */
function goType(node: SgNode): ChunkType | null {
  const kind = node.field("type")?.kind();
  if (kind === "struct_type") return "struct";
  return kind === "interface_type" ? "interface" : null;
}

/** Longest name kept: assigned functions can be named by any expression. */
const MAX_NAME = 120;

function nameOf(node: SgNode): string | null {
  const kind = node.kind();
  if (kind === "impl_item") return tidy(node.field("type")?.text());
  if (kind === "method_declaration" && node.field("receiver") !== null) return goMethod(node);
  const own = tidy(node.field("name")?.text());
  // `res.json = function json () …`: what it is assigned to tells more.
  return own === null || kind === "function_expression" ? (assignedName(node) ?? own) : own;
}

/** `func (c *Cart) Total()` → `Cart.Total`. */
function goMethod(node: SgNode): string | null {
  const receiver = /([\p{L}_][\p{L}\p{N}_]{0,99})(?:\[[^\]]{0,99}\])?\s{0,9}\)$/u.exec(
    node.field("receiver")?.text() ?? "",
  )?.[1];
  const name = tidy(node.field("name")?.text());
  return receiver === undefined || name === null ? name : `${receiver}.${name}`;
}

/** By what a function is assigned to: the fields that hold its name. */
const ASSIGNED: Readonly<Record<string, readonly string[]>> = {
  variable_declarator: ["name"],
  assignment_expression: ["left"],
  pair: ["key"],
  public_field_definition: ["name", "property"],
  field_definition: ["name", "property"],
};

/** `const parse = () => …`, `parse: function () …`, `exports.parse = …`, a class's `parse = …`. */
function assignedName(node: SgNode): string | null {
  const parent = node.parent();
  if (parent?.kind() === "export_statement") return "default";
  const fields = ASSIGNED[String(parent?.kind())] ?? [];
  const named = fields.map((field) => parent?.field(field) ?? null).find((one) => one !== null);
  return tidy(named?.text());
}

function tidy(name: string | undefined): string | null {
  const folded = name?.slice(0, 1000).replace(/\s+/g, " ").trim() ?? "";
  return folded === "" || folded.length > MAX_NAME ? null : folded;
}

/** Wrappers that begin on a line of their own or carry words about the definition. */
const WRAPPERS = new Set([
  "export_statement",
  "decorated_definition",
  "variable_declarator",
  "lexical_declaration",
  "variable_declaration",
  "assignment_expression",
  "expression_statement",
  "public_field_definition",
  "field_definition",
  "pair",
  "type_declaration",
]);

function outerOf(node: SgNode): SgNode {
  let outer = node;
  for (let parent = node.parent(); parent !== null && WRAPPERS.has(String(parent.kind())); parent = parent.parent()) {
    if (isOneOfSeveral(outer)) break;
    outer = parent;
  }
  return outer;
}

/** `type ( … )` and `const a = …, b = …` hold several definitions: each keeps to its own. */
function isOneOfSeveral(node: SgNode): boolean {
  if (node.kind() === "type_spec") return node.prev()?.kind() !== "type";
  return node.kind() === "variable_declarator" && (node.prev()?.kind() === "," || node.next()?.kind() === ",");
}
