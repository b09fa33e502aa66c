// Sends streams of 300 MB to an address for a while, and opens each again whenever it is cut. Prints how often it did.
// node flood.child.ts URL length|chunked|forged STREAMS MILLISECONDS
import { connect, type Socket } from "node:net";

const [url = "", kind = "", streams = "0", ms = "0"] = process.argv.slice(2);
const { hostname, port, pathname } = new URL(url);
const BYTES = 300 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, " ");
const SIGNATURE = `x-hub-signature-256: sha256=${"0".repeat(64)}\r\nx-github-event: push\r\nx-github-delivery: forged\r\n`;
const LENGTH = kind === "length" ? `content-length: ${BYTES}` : "transfer-encoding: chunked";
const HEAD = `POST ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${kind === "forged" ? SIGNATURE : ""}${LENGTH}\r\n\r\n`;
const PIECE = kind === "length" ? CHUNK : Buffer.concat([Buffer.from("10000\r\n"), CHUNK, Buffer.from("\r\n")]);
const end = performance.now() + Number(ms);
let times = 0;

async function flood(): Promise<void> {
  while (performance.now() < end) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.resume().write(HEAD);
    for (let sent = 0; sent < BYTES && !socket.destroyed && performance.now() < end; sent += CHUNK.length)
      if (!socket.write(PIECE)) await moved(socket);
    socket.destroy();
    times += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** It can be written to again, is cut, or the time is over. */
function moved(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      socket.off("drain", done).off("close", done);
      resolve();
    };
    const timer = setTimeout(done, Math.max(0, end - performance.now()));
    socket.once("drain", done).once("close", done);
  });
}

await Promise.all(Array.from({ length: Number(streams) }, flood));
console.log(times);
