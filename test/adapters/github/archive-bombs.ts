// Archives that are bombs: small when packed, endless when unpacked.
import { gzipSync } from "node:zlib";

const MB = 1 << 20;
const BLOCK = 512;

/** One header of a tar: `type` is 0 for a file, 5 for a folder, x for headers that follow. */
function header(name: string, bytes: number, type: "0" | "5" | "x"): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, "latin1");
  block.write("0000644\0", 100, "latin1");
  block.write(bytes.toString(8).padStart(11, "0"), 124, "latin1");
  block.write(`        ${type}`, 148, "latin1");
  block.write("ustar\u000000", 257, "latin1");
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** Eight gigabytes in one file: a hundred megabytes, packed once, eighty times. */
export function gigabytesOfZeros(): Buffer {
  const more = gzipSync(Buffer.alloc(100 * MB), { level: 9 });
  return Buffer.concat([
    gzipSync(header("acme-shop/zeros", 8 ** 11 - 1, "0")),
    ...Array.from({ length: 80 }, () => more),
  ]);
}

/** @param type 0 for files, 5 for folders */
export function manyEntries(type: "0" | "5"): Buffer {
  const blocks = Array.from({ length: 100_001 }, (_, at) => header(`acme-shop/${at}`, 0, type));
  return gzipSync(Buffer.concat(blocks));
}

/** One header of 150 megabytes. */
export function longHeader(): Buffer {
  return gzipSync(Buffer.concat([header("pax", 150 * MB, "x"), Buffer.alloc(150 * MB, 97)]));
}
