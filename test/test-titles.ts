// The titles of the tests of a file, as they are written: a title that stands in a comment or in data is none.
import { existsSync, readFileSync } from "node:fs";
import ts from "typescript";

const read = new Map<string, ReadonlySet<string>>();

/** Titles with their placeholders (`%s`, `${name}`); none where there is no such file. */
export function testTitles(file: string): ReadonlySet<string> {
  const known = read.get(file);
  if (known !== undefined) return known;
  const titles = new Set<string>();
  const source = ts.createSourceFile(file, existsSync(file) ? readFileSync(file, "utf8") : "", ts.ScriptTarget.Latest);
  const visit = (node: ts.Node): void => {
    const [title] = ts.isCallExpression(node) && isTest(node.expression) ? node.arguments : [];
    if (title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) {
      titles.add(
        ts.isStringLiteralLike(title) ? title.text : source.text.slice(title.pos, title.end).trim().slice(1, -1),
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  read.set(file, titles);
  return titles;
}

/** `test`, `test.each(rows)`, `test.runIf(can)`, `test.skipIf(cannot).each(rows)`. */
function isTest(called: ts.Expression): boolean {
  if (ts.isIdentifier(called)) return called.text === "test";
  if (ts.isPropertyAccessExpression(called)) return isTest(called.expression);
  return (ts.isCallExpression(called) || ts.isTaggedTemplateExpression(called)) && isTest(callee(called));
}

function callee(called: ts.CallExpression | ts.TaggedTemplateExpression): ts.Expression {
  return ts.isCallExpression(called) ? called.expression : called.tag;
}
