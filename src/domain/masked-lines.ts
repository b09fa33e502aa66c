// Lines of the repository as they may leave: the one way in which a model gets to see those that the diff does not show.
import type { HeadCode } from "./head-code.ts";

/** Lines of files with their secrets masked. */
export type MaskedLines = (path: string) => Promise<readonly string[] | null>;

/**
 * Reads files of the head. Whole files are masked before lines are taken out: a line from within a key shows nothing by itself.
 *
 * @param mask see Model; the number of lines stays
 */
export function maskedLines(head: Pick<HeadCode, "text">, mask: (text: string) => Promise<string>): MaskedLines {
  const read = new Map<string, Promise<readonly string[] | null>>();
  const masked = async (path: string) => {
    const text = await head.text(path);
    return text === null ? null : (await mask(text)).replace(/\n$/, "").split(/\r?\n/);
  };
  return (path) => {
    const lines = read.get(path) ?? masked(path);
    read.set(path, lines);
    return lines;
  };
}
