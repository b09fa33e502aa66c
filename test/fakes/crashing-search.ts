// A search thread that knows one answer and dies on request.
import { parentPort } from "node:worker_threads";

parentPort?.on("message", (request: "close" | { id: number; with: [string] }) => {
  if (request === "close") parentPort?.close();
  else if (request.with[0] === "crash/1") throw new Error("on purpose");
  else parentPort?.postMessage({ id: request.id, value: 7, degraded: [] });
});
