// Everyday spellings of what structural rules speak about, and close relatives that they leave
// alone.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { rulesInspector } from "../../../src/adapters/rules/inspector.ts";
import { exampleFile } from "./example-file.ts";

/** `### path rule@line …`, or `nothing`, and below it the code. */
const BLOCKS = readFileSync(new URL("spellings.txt", import.meta.url), "utf8")
  .split(/^### /m)
  .slice(1);

test.each(Object.entries(Object.groupBy(BLOCKS, (block) => /[\w-]+(?=@)|nothing/.exec(block)?.[0] ?? "")))(
  "each spelling of %s gets what is written above it",
  async (_, blocks = []) => {
    const inspector = rulesInspector();
    const wanted: string[] = [];
    const got: string[] = [];
    for (const block of blocks) {
      const [head = "", ...lines] = block.trimEnd().split("\n");
      const [path = ""] = head.split(" ");
      const { findings } = await inspector.inspect([exampleFile(path, lines.join("\n"))], new Map(), []);
      const said = findings.map(({ rule, line }) => `${rule}@${line}`).sort();
      wanted.push(block.trimEnd());
      got.push([[path, said.join(" ") || "nothing"].join(" "), ...lines].join("\n"));
    }
    expect(got).toEqual(wanted);
  },
);
