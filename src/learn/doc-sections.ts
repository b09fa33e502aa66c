// Markdown into sections by its headings, each small enough to be one memory and named so that it keeps its name while
// the rest of the document changes. The text is untrusted: every line is read once.
import { fenceLanguage, frontMatterLanguages, languageTags } from "./doc-languages.ts";
import { headingSlug } from "./heading-slug.ts";
import { type Block, blocks } from "./markdown-blocks.ts";
import { packBlocks } from "./pack-blocks.ts";

export interface DocSection {
  /**
   * Unique in the document: the slugs of its headings below the title (`consequences`, `120/fixed`), with `:2` for a
   * heading that says the same in the same place, and `~2` for the next part of a long section. "" before any heading.
   */
  readonly name: string;
  /** The headings it stands under, outermost first, without their marks. */
  readonly headings: readonly string[];
  /** GitHub's own anchor for the heading: "" before any heading. */
  readonly anchor: string;
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** As it stands in the document, its heading included. */
  readonly text: string;
  /** Canonical ids, the one it speaks about most first; the document's own where the section has no code. */
  readonly languages: readonly string[];
}

/** A document that is cut into more is a list of words. */
const MAX_SECTIONS = 1_000;

/**
 * The sections of a document. Every line that says something, but the front matter, is in exactly one of them.
 *
 * @param ofPath languages that the document's path names
 * @returns in the order of the document, at most 1,000; `skipped` says what is left out
 */
export function docSections(
  text: string,
  ofPath: readonly string[] = [],
): {
  readonly sections: readonly DocSection[];
  readonly skipped: readonly string[];
} {
  const { frontMatter, body } = blocks(text);
  const named = frontMatterLanguages(frontMatter);
  const all = body.flatMap((block) => (block.kind === "code" ? [block] : []));
  const documents = [...new Set([...named, ...ofPath, ...languageTags(linesByLanguage(all))])];
  const found = groups(body);
  // Each gives a section at least.
  const kept = found.slice(0, MAX_SECTIONS);
  const sections = withNames(kept).flatMap((group) => parts(group, documents));
  const over = sections.length + found.length - kept.length - MAX_SECTIONS;
  return {
    sections: sections.slice(0, MAX_SECTIONS),
    skipped: over > 0 ? [`${over} sections beyond the first ${MAX_SECTIONS}`] : [],
  };
}

interface Group {
  readonly trail: readonly Heading[];
  readonly blocks: readonly Block[];
}

type Heading = Extract<Block, { kind: "heading" }>;

/** Runs of blocks under one heading. A heading with nothing but deeper headings below it goes with the first of them. */
function groups(body: readonly Block[]): Group[] {
  const found: Group[] = [];
  let trail: Heading[] = [];
  let current: Block[] = [];
  const isBare = () => current.length > 0 && current.every((block) => block.kind === "heading");
  for (const block of body) {
    if (block.kind === "heading") {
      const deeper = (trail.at(-1)?.level ?? 0) < block.level;
      if (current.length > 0 && !(isBare() && deeper)) {
        found.push({ trail, blocks: current });
        current = [];
      }
      trail = [...trail.filter((heading) => heading.level < block.level), block];
    }
    current.push(block);
  }
  return current.length > 0 ? [...found, { trail, blocks: current }] : found;
}

interface NamedGroup extends Group {
  readonly name: string;
  readonly anchor: string;
}

/**
 * The title, if the document begins with one, is in every trail and says nothing: left out, and a document that is
 * renamed keeps the names of its sections.
 */
function withNames(found: readonly Group[]): NamedGroup[] {
  const title = found.find((group) => group.trail.length > 0)?.trail[0];
  const isTitle = (heading: Heading) => heading === title && heading.level === 1;
  const names = new Map<string, number>();
  const anchors = new Map<string, number>();
  const anchorOf = new Map<Heading, string>();
  return found.map((group) => {
    for (const block of group.blocks) {
      if (block.kind === "heading") anchorOf.set(block, numbered(anchors, headingSlug(block.title), "-", 0));
    }
    const below = group.trail.length > 1 ? group.trail.filter((heading) => !isTitle(heading)) : group.trail;
    const name = below.map((heading) => headingSlug(heading.title)).join("/");
    const last = group.trail.at(-1);
    return {
      ...group,
      name: group.trail.length === 0 ? "" : numbered(names, name, ":", 1),
      anchor: last === undefined ? "" : (anchorOf.get(last) ?? ""),
    };
  });
}

/** `a`, then `a:2`, `a:3` (GitHub: `a`, `a-1`, `a-2`). */
function numbered(seen: Map<string, number>, name: string, mark: string, from: number): string {
  const before = seen.get(name) ?? 0;
  seen.set(name, before + 1);
  return before === 0 ? name : `${name}${mark}${before + from}`;
}

function parts(group: NamedGroup, documents: readonly string[]): DocSection[] {
  return packBlocks(group.blocks).map((part, index) => {
    const own = languageTags(linesByLanguage(part.blocks));
    return {
      name: index === 0 ? group.name : `${group.name}~${index + 1}`,
      headings: group.trail.map((heading) => heading.title),
      anchor: group.anchor,
      startLine: part.startLine,
      endLine: part.endLine,
      text: part.text,
      languages: own.length > 0 ? own : documents,
    };
  });
}

function linesByLanguage(found: readonly Block[]): Map<string, number> {
  const lines = new Map<string, number>();
  for (const block of found) {
    const language = block.kind === "code" ? fenceLanguage(block.info) : null;
    if (language !== null) lines.set(language, (lines.get(language) ?? 0) + block.lines.length);
  }
  return lines;
}
