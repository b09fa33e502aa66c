// The project's own pages, as far as their tests look into them: links, anchors, and commands.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const PAGES: readonly string[] = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"],
  ...["eval/README.md", "bench/README.md"],
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

export const textOf = (page: string): string => readFileSync(page, "utf8");

/** Without code: what stands in a fence or between backticks is no link. */
function prose(text: string): string {
  return text.replace(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1?\2`*\s*$/gm, "").replace(/(`+)[^`]*?\1/g, "code");
}

/** Targets of links and pictures within the project, as written. */
export function relativeLinks(page: string): readonly string[] {
  const found = prose(textOf(page)).matchAll(/\]\(([^()\s]+(?:\([^()\s]*\))?)\)/g);
  return [...found].map(([, target = ""]) => target).filter((target) => !/^(?:https?:|mailto:|data:)/.test(target));
}

/** The anchors that GitHub gives a page's headings, and those that it sets itself. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const text = textOf(page).replace(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1?\2`*\s*$/gm, "");
  const seen = new Map<string, number>();
  const anchors = [...text.matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading = ""]) => {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "");
    const slug = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .replaceAll(" ", "-");
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
  const own = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = ""]) => id);
  return new Set([...anchors, ...own]);
}

/** Each command of a page's `sh` blocks: continued lines joined, comments taken away. */
export function commandsOf(page: string): readonly string[] {
  return [...textOf(page).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) =>
    block
      .replace(/\\\n\s*/g, "")
      .split("\n")
      .map((line) => line.replace(/(?:^|\s+)# .*$/, "").trim())
      .filter((line) => line !== ""),
  );
}
