// Loaded into the server before it starts: writes down every address that a socket is opened to. It
// changes nothing.
import { appendFileSync } from "node:fs";
import { Socket } from "node:net";

const file = process.env.CHAOS_EGRESS_LOG;
const seen = new Set();
const connect = Socket.prototype.connect;

Socket.prototype.connect = function (...args) {
  const given = Array.isArray(args[0]) ? args[0][0] : args[0];
  const options = typeof given === "object" && given !== null ? given : { port: given, host: args[1] };
  const host = options.path ?? `${options.host ?? "localhost"}:${options.port}`;
  if (file !== undefined && !seen.has(host)) {
    seen.add(host);
    appendFileSync(file, `${host}\n`);
  }
  return connect.apply(this, args);
};
