// `npm run demo`: the whole product on this machine, against a GitHub of our own, with no key and no network.
import { circle } from "./circle.ts";
import { startApp } from "./start-app.ts";
import { walk } from "./walk.ts";

const colours = process.stdout.isTTY && process.env.NO_COLOR === undefined;
try {
  const counts = await walk(startApp, { colours, print: (text) => console.log(text) }, circle);
  console.log(`demo ${JSON.stringify(counts)}`);
} catch (error) {
  console.error(`The demo stopped: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
