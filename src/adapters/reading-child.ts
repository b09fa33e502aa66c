// A process that reads untrusted text for us, and can be ended when it is stuck.
import { type ChildProcess, fork } from "node:child_process";

/**
 * Starts it; it keeps no program alive.
 *
 * @param program a TypeScript module that answers messages
 * @param execArgv Node's own options, such as what it may do
 */
export function readingChild(program: URL, execArgv: readonly string[]): ChildProcess {
  const child = fork(program, {
    execArgv: [...execArgv],
    // It reads untrusted text and needs no key.
    env: {},
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // Said to whoever waits for an answer; without a listener an error would end this process.
  child.on("error", () => {});
  child.unref();
  child.channel?.unref();
  return child;
}
