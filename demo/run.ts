// `npm run demo`: the whole product on this machine, against a GitHub of our own, with no key and no network. With `--dashboard`
// it stays, with a longer past, until Ctrl-C, and shows where to look.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { history } from "./dashboard-data.ts";
import { type Scene, walk } from "./first-review.ts";
import { circle } from "./repeated-findings.ts";
import { startApp } from "./start-app.ts";

const colours = process.stdout.isTTY && process.env.NO_COLOR === undefined;
const print = (text: string) => console.log(text);
const dashboardToken = randomBytes(24).toString("base64url");
const NEXT = `
Next: look at it in a browser   npm run demo -- --dashboard
      review your own changes   npm run -s kodiai -- review --repo PATH --base main
      install it on GitHub      docs/quick-start.md
`;
const stays: Scene = async (at) => {
  print("\nA team's spring is imported, and six more pull requests are reviewed: half a minute.");
  const counts = await history(at);
  print(`\nThe dashboard is open until Ctrl-C:\n\n  ${at.dashboardUrl}\n  token: ${dashboardToken}\n`);
  await once(process, "SIGINT");
  return counts;
};
try {
  const isStaying = process.argv.includes("--dashboard");
  const counts = isStaying
    ? await walk(startApp, { colours, print, dashboardToken }, stays)
    : await walk(startApp, { colours, print }, circle);
  if (!isStaying) print(NEXT);
  console.log(`demo ${JSON.stringify(counts)}`);
} catch (error) {
  console.error(`The demo stopped: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
