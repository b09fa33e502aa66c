// What a repository tells those who change it, from its base branch: the files that contributors and tools already read.
import { mapLimit } from "./map-limit.ts";

/** In the order of the prompt. A file that only repeats another is left out. */
const FILES = ["AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md"] as const;
/** Bytes of one file; a longer one is not read. */
export const GUIDANCE_BYTES = 64 << 10;

/**
 * Reads them.
 *
 * @param read the text of a path at the base; null when it is absent
 */
export async function readGuidance(
  read: (path: string) => Promise<string | null>,
): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const texts = await mapLimit([...FILES], FILES.length, read, () => true);
  const seen = new Set<string>();
  return FILES.flatMap((path, at) => {
    const text = texts[at]?.trim() ?? "";
    if (text === "" || seen.has(text)) return [];
    seen.add(text);
    return [{ path, text }];
  });
}
