// A process that lets names be read, says which process of its own reads them, and waits.
import { execFileSync } from "node:child_process";
import { codeSymbols } from "../../../src/adapters/code-index/symbols.ts";

await codeSymbols().links("a.ts", "f(rate);\n", new Set(["f"]));
const children = execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)])
  .toString()
  .split("\n");
const reader = children.find((line) => line.includes("symbols-process.ts"));
process.send?.(Number.parseInt(reader ?? "", 10));
