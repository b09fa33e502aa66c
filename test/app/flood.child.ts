// Sends large bodies to an address for a while, many at a time, and opens each again whenever it is
// cut. Prints how often it did. A body is as many spaces as MEGABYTES; "untold" is chunked, without
// a length; SIGNATURE is sent where there is one. node flood.child.ts URL told|untold MEGABYTES
// STREAMS MILLISECONDS [SIGNATURE]
import { connect, type Socket } from "node:net";

const [url = "", kind = "", megabytes = "0", streams = "0", ms = "0", signature] = process.argv.slice(2);
const { hostname, port, pathname } = new URL(url);
const BYTES = Number(megabytes) * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, " ");
const SIGNED = `x-hub-signature-256: ${signature}\r\nx-github-event: push\r\nx-github-delivery: flood\r\n`;
const LENGTH = kind === "told" ? `content-length: ${BYTES}` : "transfer-encoding: chunked";
const HEAD = `POST ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${signature ? SIGNED : ""}${LENGTH}\r\n\r\n`;
const PIECE = kind === "told" ? CHUNK : Buffer.concat([Buffer.from("10000\r\n"), CHUNK, Buffer.from("\r\n")]);
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
