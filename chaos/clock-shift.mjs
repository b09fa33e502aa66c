// Loaded into the server before it starts, where there is no libfaketime: Date uses a wall clock
// that the harness steps. performance.now, hrtime and timers are left alone: they count what has
// passed, and no step changes that.
import { readFileSync } from "node:fs";

const file = process.env.CHAOS_CLOCK;
const True = Date;
let offset = 0;

function look() {
  try {
    offset = Number(readFileSync(file, "utf8")) * 1000 || 0;
  } catch {
    // It is being written.
  }
}

if (file !== undefined) {
  look();
  setInterval(look, 250).unref();
  globalThis.Date = new Proxy(True, {
    construct: (target, args, as) =>
      Reflect.construct(target, args.length === 0 ? [True.now() + offset] : args, as === globalThis.Date ? target : as),
    apply: () => new True(True.now() + offset).toString(),
    get: (target, key) => (key === "now" ? () => True.now() + offset : Reflect.get(target, key)),
  });
}
