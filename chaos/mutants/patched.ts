// A small patch of one function, found by its name. If its place does not occur exactly once, that
// is a problem.
import ts from "typescript";
import type { Mutant } from "./mutants.ts";

/**
 * The source with the mutant's breakage; `problem` when it does not apply, with the text as it was.
 */
export function patched(
  { id, file, within, find, replace }: Pick<Mutant, "id" | "file" | "within" | "find" | "replace">,
  text: string,
): { readonly text: string; readonly problem: string | null } {
  const bodies = within === null ? [{ start: 0, end: text.length }] : bodiesOf(within, file, text);
  const [body] = bodies;
  if (body === undefined || bodies.length > 1)
    return { text, problem: `${id}: ${file} has ${bodies.length} functions ${within}; fix the patch` };
  const { start, end } = body;
  const inside = text.slice(start, end);
  const times = find === null ? 1 : inside.split(find).length - 1;
  if (times !== 1) return { text, problem: `${id}: its place is there ${times} times in ${file}; fix the patch` };
  // Not as a pattern: `$&` in it would mean something.
  const broken = find === null ? `{ ${replace} }` : inside.split(find).join(replace);
  return { text: text.slice(0, start) + broken + text.slice(end), problem: null };
}

/**
 * Where the bodies of the functions of this name are: declarations, methods, and functions that a
 * name is given to.
 */
function bodiesOf(
  name: string,
  file: string,
  text: string,
): readonly { readonly start: number; readonly end: number }[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: { start: number; end: number }[] = [];
  const visit = (node: ts.Node): void => {
    const body = ts.isFunctionLike(node) && "body" in node ? (node.body as ts.Node | undefined) : undefined;
    if (body !== undefined && nameOf(node) === name) found.push({ start: body.getStart(source), end: body.end });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function nameOf(node: ts.Node): string | null {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) return node.name?.getText() ?? null;
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : null;
}
