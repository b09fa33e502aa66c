// What a structural finding is about: the values that the code takes up, and its function.
import type { SgNode } from "@ast-grep/napi";
import { ABOUT } from "../../domain/finding.ts";

/** Nodes of one match that are looked at, and names that are worth reading. */
const MOST_NODES = 300;
const MOST_NAMES = 3;
/** UTF-16 units. */
const LONGEST_NAME = 400;
/** What a value within a text is called by the grammars, and two texts with a sign between them. */
const WITHIN = /^(?:template_substitution|interpolation)$/;
const BETWEEN = /^(?:binary_expression|binary_operator|binary|concatenated_string|encapsed_string)$/;
const FUNCTION = /(?:^|_)(?:function|method|constructor)(?:_(?:definition|declaration|item|expression))?$/;
/** A variable, or a field of one: text in quotes, which may be secret, is no name. */
const NAME = /^[$@]?[A-Za-z_]\w{0,39}(?:(?:\??\.|->|::)\w{1,40}){0,4}/;
const CONSTANT = /^(?:[Tt]rue|[Ff]alse|null|nil|None|undefined|this|self|[A-Z\d_]{2,})$/;
const FORMAT = /^(?:fmt\.Sprintf|String\.format|sprintf|format!?)$/;

/** ``This is about `name` in `run`.``; "" where neither is known. */
export function namePlace(node: SgNode): string {
  const names = [...new Set(valuesIn(node))].slice(0, MOST_NAMES).map((name) => `\`${name}\``);
  const owner = ownerOf(node);
  if (names.length === 0 && owner === null) return "";
  const about = names.length === 0 ? "" : ` about ${names.join(", ")}`;
  return `${ABOUT}${about}${owner === null ? "" : ` in \`${owner}\``}.`;
}

/** In the order of the code: what is put into texts, else the first argument where it is a name. */
function valuesIn(node: SgNode): readonly string[] {
  const found: string[] = [];
  let left = MOST_NODES;
  const visit = (one: SgNode): void => {
    left -= 1;
    if (left < 0) return;
    const kind = String(one.kind());
    const children = one.namedChildren();
    if (WITHIN.test(kind) || BETWEEN.test(kind)) found.push(...children.flatMap(nameOf));
    if (FORMAT.test(nameText(one.field("function"))))
      found.push(...(one.field("arguments")?.namedChildren() ?? []).flatMap(nameOf));
    children.forEach(visit);
  };
  visit(node);
  const [first] = node.field("arguments")?.namedChildren() ?? [];
  return found.length > 0 || first === undefined ? found : nameOf(first);
}

/** "" for a long node, which is no name: operands hold each other, so reading each is quadratic. */
function nameText(node: SgNode | null | undefined): string {
  const { start, end } = node?.range() ?? { start: { index: 0 }, end: { index: 0 } };
  return end.index - start.index > LONGEST_NAME ? "" : (node?.text() ?? "");
}

function nameOf(node: SgNode): readonly string[] {
  const [name] = NAME.exec(nameText(node)) ?? [];
  const isName = name !== undefined && !/string|literal|binary|keyword|call/.test(String(node.kind()));
  return isName && !CONSTANT.test(name) ? [name] : [];
}

/** The name of the innermost function around that has one, or of what it is assigned to. */
function ownerOf(node: SgNode): string | null {
  for (const around of node.ancestors()) {
    if (!FUNCTION.test(String(around.kind()))) continue;
    const parent = around.parent();
    const named = around.field("name") ?? parent?.field("name") ?? parent?.field("left") ?? parent?.field("key");
    const [name] = NAME.exec(nameText(named)) ?? [];
    if (name !== undefined) return name;
  }
  return null;
}
