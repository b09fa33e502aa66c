import { cpus, loadavg, totalmem } from "node:os";

/**
 * What the figures were seen on, without its name. `load` is that of the last minute: above the
 * cores it blurs wall time.
 */
export function machineNow() {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    load: Number(loadavg()[0]?.toFixed(1)),
    node: process.versions.node,
  };
}
