// Lines of a file of any size, one at a time. Not node:readline: it also breaks at U+2028, which JSON may hold as it is.
import { createReadStream } from "node:fs";

/** A longer line is handed out cut, so that no file can fill the memory; readers refuse a line of this length. */
export const MAX_LINE = 2_097_152;

/**
 * Lines without their line ends, decoded as UTF-8; `-` reads standard input.
 *
 * @throws the error of the file system when the file cannot be read
 */
export async function* readLines(file: string): AsyncGenerator<string> {
  const stream = file === "-" ? process.stdin : createReadStream(file);
  const decoder = new TextDecoder();
  let held = "";
  for await (const chunk of stream) {
    const lines = (held + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n");
    held = lines.pop() ?? "";
    for (const line of lines) yield withoutCarriageReturn(line);
    if (held.length > MAX_LINE) held = held.slice(0, MAX_LINE);
  }
  held += decoder.decode();
  if (held !== "") yield withoutCarriageReturn(held);
}

function withoutCarriageReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
