// Recorded replies, from a folder of files or from one packed file: compressed, with a line
// `{"name", "text"}` for each file.
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

/** Replies, and the requests beside them, by file name: `hyde/0ab50d8b302c.reply.txt`. */
export type ReplyFiles = ReadonlyMap<string, string>;

/** How the name of a packed file ends. */
export const PACKED = ".jsonl.gz";
const READ = /\.(?:reply\.(?:json|md|txt)|request\.json)$/;

/**
 * Reads a packed file, or a folder with the folders in it. A packed file in a folder counts as the
 * folder that it was packed from.
 *
 * @throws Error when there is neither
 */
export async function readReplies(place: string): Promise<ReplyFiles> {
  if (place.endsWith(PACKED)) return unpacked(await readFile(place));
  const files = new Map<string, string>();
  for (const name of await readdir(place, { recursive: true })) {
    if (READ.test(name)) files.set(name, await readFile(join(place, name), "utf8"));
    if (!name.endsWith(PACKED)) continue;
    const folder = name.slice(0, -PACKED.length);
    for (const [inner, text] of await readReplies(join(place, name))) files.set(`${folder}/${inner}`, text);
  }
  return files;
}

/**
 * The files of several places by their own name, without the folders that they are in.
 *
 * @param places parted by commas: a folder, a packed file, or either with `:FOLDER` for what is in
 * one of its folders
 * @throws Error when there is none
 */
export async function readFlat(places: string): Promise<ReplyFiles> {
  const files = new Map<string, string>();
  for (const word of places.split(",")) {
    const [place = "", folder = ""] = word.split(":");
    for (const [name, text] of await readReplies(place)) if (name.startsWith(folder)) files.set(basename(name), text);
  }
  return files;
}

/** The same files give the same bytes: sorted, and Node writes no time into the header. */
export function packReplies(files: ReplyFiles): Buffer {
  const sorted = [...files].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const lines = sorted.map(([name, text]) => `${JSON.stringify({ name, text })}\n`);
  return gzipSync(lines.join(""), { level: 9 });
}

function unpacked(bytes: Buffer): ReplyFiles {
  const lines = gunzipSync(bytes).toString("utf8").split("\n").slice(0, -1);
  return new Map(
    lines.map((line) => {
      const { name, text } = JSON.parse(line) as { readonly name: string; readonly text: string };
      return [name, text];
    }),
  );
}
