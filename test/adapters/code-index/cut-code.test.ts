import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CHUNKED_LANGUAGES, cutCode } from "../../../src/adapters/code-index/cut-code.ts";
import { runs } from "../../property-runs.ts";

const cut = (path: string, language: string, text: string) =>
  cutCode(path, language, text).chunks.map((c) => `${c.chunkType} ${c.symbol} ${c.startLine}-${c.endLine}`);

test("TypeScript: functions, assigned functions, classes and their methods, with the comments above", () => {
  const text = `import x from "y";

/** Doc of parse. */
export function parse(a: string): number {
  function inner() { return 1 }
  return inner();
}
export const go = async (a: number) => {
  return a;
};
export default class Cart<T> extends Base {
  private items: T[] = [];
  /** total */
  @memo()
  get total(): number {
    return 1;
  }
  add = (t: T) => {
    this.items.push(t);
  };
}
interface A { x: number }
enum E { A, B }
const a1 = () => 1, b1 = () => {
  return 2;
};
export default function () { return 1 }
describe("x", () => { it("y", () => {}) });
`;
  expect(cut("a.ts", "typescript", text)).toEqual([
    "function parse 3-7",
    "function go 8-10",
    "class Cart 11-21",
    "method Cart.total 13-17",
    "method Cart.add 18-20",
    "interface A 22-22",
    "enum E 23-23",
    "function a1 24-24",
    "function b1 24-26",
    "function default 27-27",
  ]);
});

test("a class is shown as its outline: the bodies of its methods are chunks of their own", () => {
  const text = `class Cart:
    """What is bought."""

    limit = 10

    @property
    def total(self):
        return sum(self.items)

    async def clear(self):
        self.items = []
`;
  const [cart, total] = cutCode("cart.py", "python", text).chunks;
  expect(cart?.text).toBe(
    'class Cart:\n    """What is bought."""\n\n    limit = 10\n\n    def total(self):\n\n    async def clear(self):',
  );
  expect(total).toMatchObject({ symbol: "Cart.total", chunkType: "method", startLine: 6, endLine: 8 });
});

test("TSX, JavaScript: components, prototypes and exports are named for what they are assigned to", () => {
  expect(cut("a.tsx", "typescript", "export const Page = () => {\n  return <div>{x as any}</div>;\n};\n")).toEqual([
    "function Page 1-3",
  ]);
  const text = "res.json = function json(obj) {\n};\nexports.parse = (a) => a;\nFoo.prototype.bar = function () {};\n";
  expect(cut("a.js", "javascript", text)).toEqual([
    "function res.json 1-2",
    "function exports.parse 3-3",
    "function Foo.prototype.bar 4-4",
  ]);
});

test("Go: methods are named with their receiver, and types are chunks of their own", () => {
  const text = `package shop

// Total sums up.
func Total(a int) error {
	return nil
}

type (
	A struct { x int }
	B interface { M() }
	C = int
)

func (c *Cart[T]) Add(x int) int { return 1 }
func (Cart) Clear() {}
`;
  expect(cut("cart.go", "go", text)).toEqual([
    "function Total 3-6",
    "struct A 9-9",
    "interface B 10-10",
    "method Cart.Add 14-14",
    "method Cart.Clear 15-15",
  ]);
});

test("Java, Ruby, Rust, PHP: the enclosing definition is part of a name", () => {
  const java = `/** Doc. */
@Service
public class Cart {
  public Cart() { }

  @Override
  public int total(int a) {
    return new Runnable() { public void run() { } };
  }
  record Line(int a) {}
}
`;
  expect(cut("Cart.java", "java", java)).toEqual([
    "class Cart 1-11",
    "method Cart.Cart 4-4",
    "method Cart.total 6-9",
    "class Cart.Line 10-10",
  ]);
  const ruby = `module Shop
  # A cart
  class Cart
    def total(a)
      1
    end
    def self.build = new
  end
end
`;
  expect(cut("cart.rb", "ruby", ruby)).toEqual([
    "class Shop.Cart 2-8",
    "method Shop.Cart.total 4-6",
    "method Shop.Cart.build 7-7",
  ]);
  const rust = `/// Doc
#[derive(Debug)]
pub struct Cart { x: i32 }
impl<T> Total for Cart {
    #[inline]
    fn total(&self) -> i32 {
        1
    }
}
mod tests {
    #[test]
    fn adds() { }
}
`;
  expect(cut("cart.rs", "rust", rust)).toEqual([
    "struct Cart 1-3",
    "class Cart 4-9",
    "method Cart.total 5-8",
    "function tests.adds 11-12",
  ]);
  const php = `<?php
/** Doc */
#[Attr]
final class Cart {
  public function total(int $a): int {
    return 1;
  }
}
function f() { }
trait T { }
`;
  expect(cut("Cart.php", "php", php)).toEqual([
    "class Cart 2-8",
    "method Cart.total 5-7",
    "function f 9-9",
    "trait T 10-10",
  ]);
});

test("a function too long to be kept whole drops its inner blocks", () => {
  const inner = `  function inner() {\n${"    work();\n".repeat(20)}  }\n`;
  const text = `function outer() {\n${"  prepare();\n".repeat(400)}${inner}}\n`;
  const { chunks } = cutCode("a.js", "javascript", text);
  expect(chunks.map(({ symbol }) => symbol)).toEqual(["outer", "outer.inner"]);
  expect(chunks[0]?.text.length).toBeLessThanOrEqual(4_000);
  expect(chunks[0]?.text.endsWith("prepare();")).toBe(true);
  expect(chunks[0]?.endLine).toBe(text.split("\n").length - 1);
});

test("a file of ten thousand lines is cut whole", () => {
  const text = Array.from(
    { length: 1_250 },
    (_, n) =>
      `/** f ${n} */\nexport function f${n}(a: number) {\n  const x = ${n};\n  if (a > x) {\n    return x;\n  }\n  return 0;\n}\n`,
  ).join("");
  expect(text.split("\n").length).toBeGreaterThan(10_000);
  const { chunks, skipped } = cutCode("big.ts", "typescript", text);
  expect([chunks.length, skipped]).toEqual([1_250, []]);
  expect(chunks.at(-1)).toMatchObject({ symbol: "f1249", startLine: 9_993, endLine: 10_000 });
});

test("real code: this very file is cut into its functions", () => {
  const path = "src/adapters/code-index/cut-code.ts";
  const text = readFileSync(path, "utf8");
  const { chunks } = cutCode(path, "typescript", text);
  const functions = [...text.matchAll(/^(?:export )?function (\w+)/gm)].map(([, name]) => name);
  expect(chunks.filter(({ chunkType }) => chunkType === "function").map(({ symbol }) => symbol)).toEqual(functions);
  for (const { startLine, endLine, text: own, chunkType } of chunks) {
    if (chunkType === "function")
      expect(
        text
          .split("\n")
          .slice(startLine - 1, endLine)
          .join("\n"),
      ).toBe(own);
  }
});

test("a language without a grammar, a huge file and a minified line are said and not cut", () => {
  expect(cutCode("a.hs", "haskell", "main = 1")).toEqual({
    chunks: [],
    skipped: ["not parsed: no grammar for haskell"],
  });
  expect(cutCode("a.js", "javascript", "//\n".repeat(400_000)).skipped).toEqual(["larger than 256 KiB"]);
  expect(cutCode("a.js", "javascript", `var a="${"x".repeat(30_000)}"`).skipped.length).toBe(1);
  expect(cutCode("a", "constructor", "x").skipped).toEqual(["not parsed: no grammar for constructor"]);
});

test("more definitions than anyone writes are cut off, and said", () => {
  const { chunks, skipped } = cutCode("a.js", "javascript", "function f(){}\n".repeat(2_100));
  expect([chunks.length, skipped]).toEqual([2_000, ["100 definitions beyond the first 2000"]]);
});

test("hostile code never makes it throw", () => {
  const hostile = [
    "function f(){\n".repeat(2_000),
    "class A{\n".repeat(2_000),
    "((((((\n".repeat(3_000),
    "var a=()=>{}\n,".repeat(2_000),
    "class A {{{ function ( <<<< \u0000 => }} class \uD800",
  ];
  for (const text of hostile) {
    for (const language of CHUNKED_LANGUAGES) expect(() => cutCode("a", language, text)).not.toThrow();
  }
});

test("for any text, chunks lie within the file and within the limit", () => {
  const token = fc.constantFrom(
    "class A {",
    "}",
    "def f():",
    "  pass",
    "func (",
    "fn x()",
    "=>",
    "function f(){",
    "<?php",
    "end",
    "\n",
    "'",
    "`",
    "/*",
    "*/",
    "#",
    "é😀",
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 60 }), fc.constantFrom(...CHUNKED_LANGUAGES), (tokens, language) => {
      const text = tokens.join("\n");
      const lines = text.split("\n").length;
      for (const chunk of cutCode("a", language, text).chunks) {
        expect(chunk.startLine).toBeGreaterThanOrEqual(1);
        expect(chunk.endLine).toBeGreaterThanOrEqual(chunk.startLine);
        expect(chunk.endLine).toBeLessThanOrEqual(lines);
        expect(chunk.text.length).toBeLessThanOrEqual(4_000);
        expect(chunk.symbol).not.toBe("");
      }
    }),
    runs(300),
  );
});
