// `npm run demo`: the whole product on this machine, against an emulated GitHub, with no key and no
// network. With `--dashboard` it plays a longer history and keeps the dashboard open until Ctrl-C.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { guardExit } from "../src/server/guard-exit.ts";
import type { Scene } from "./first-review.ts";

guardExit();
const colours = process.stdout.isTTY && process.env.NO_COLOR === undefined;
const print = (text: string) => console.log(text);
const dashboardToken = randomBytes(24).toString("base64url");
const NEXT = `
Next: open the dashboard        npm run demo -- --dashboard
      review your own changes   npm run -s kodiai -- review --repo PATH
      install it on GitHub      docs/quick-start.md
`;
const dashboardScene: Scene = async (at) => {
  print(
    "\nKodiai imports what a team's reviewers said in spring and reviews six more pull requests, in about half a minute.",
  );
  const { playDashboardData } = await import("./dashboard-data.ts");
  const counts = await playDashboardData(at);
  print(`\nThe dashboard stays open until Ctrl-C:\n\n  ${at.dashboardUrl}\n  token: ${dashboardToken}\n`);
  await once(process, "SIGINT");
  return counts;
};
try {
  // Here rather than above: before `npm ci` there is nothing to import.
  const { runDemo } = await import("./first-review.ts");
  const { repeatedFindings } = await import("./repeated-findings.ts");
  const { toolFindings } = await import("./tool-findings.ts");
  const { startApp } = await import("./start-app.ts");
  const isStaying = process.argv.includes("--dashboard");
  const counts = isStaying
    ? await runDemo(startApp, { colours, print, dashboardToken }, dashboardScene)
    : await runDemo(startApp, { colours, print }, async (at) => {
        const counts = await repeatedFindings(at);
        await toolFindings(at);
        return counts;
      });
  if (!isStaying) print(NEXT);
  console.log(`demo ${JSON.stringify(counts)}`);
} catch (error) {
  console.error(`The demo stopped: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 3;
}
