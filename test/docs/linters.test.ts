// docs/linters.md: a workflow for each tool whose SARIF is tested, short enough to be copied.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";

test("each tool of the samples has a workflow of at most ten lines whose last step hands its file to Kodiai", () => {
  const page = readFileSync("docs/linters.md", "utf8");
  const sections = [...page.matchAll(/^### (\S+)\n\n```yaml\n([\s\S]*?)\n```$/gm)];
  const tools = readdirSync("test/fixtures/sarif").map((name) => name.replace(".sarif", ""));
  expect(sections.map(([, name]) => name?.toLowerCase()).toSorted()).toEqual(tools.toSorted());
  for (const [, , block = ""] of sections) {
    expect(block.split("\n").length).toBeLessThanOrEqual(10);
    const steps: { readonly uses?: string; readonly with?: { readonly sarif?: string } }[] = parse(block);
    const last = steps.at(-1);
    expect(last?.uses).toMatch(/^OWNER\/kodiai@/);
    const folder = last?.with?.sarif?.split("/")[0] ?? "";
    expect(JSON.stringify(steps.slice(0, -1))).toContain(folder);
  }
});
