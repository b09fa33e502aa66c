// A GitHub emulator with eight pull requests, each of which is requested for review again and
// again, so that eight reviews always run. Prints its address; a line on standard input has the
// address for webhooks. With the word `costly` they are of texts that were found to cost most for
// their size.
import { createInterface } from "node:readline";
import { PULL_REQUEST } from "../demo/pull-request.ts";
import { BASE } from "../demo/repository.ts";
import { startGitHub } from "../test/fakes/github/github.ts";

const PULLS = 8;
const AGAIN_MS = 1_000;

const world = await startGitHub();
const repository = await world.repository("acme", "shop", { files: BASE });
const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join("");
const COSTLY = {
  "src/routes.ts": 'app.get("/a", x);\n'.repeat(800),
  "src/handlers.ts": lines(8_000, (at) => `ipcMain.handle("name-${at}", x);\n`),
  "src/keys.ts": lines(2_000, (at) => `read(process.env.KEY_${at});\n`),
};
const files = process.argv.includes("costly") ? COSTLY : PULL_REQUEST.files;
for (let pull = 0; pull < PULLS; pull += 1)
  await world.pullRequest(repository, { title: `Bring in part ${pull}`, files });
console.log(JSON.stringify({ apiUrl: world.apiUrl, ...world.appCredentials }));

for await (const url of createInterface({ input: process.stdin })) {
  world.setWebhookUrl(url);
  const openings = world.deliveries
    .slice(0, PULLS)
    .map(({ payload }) => payload as { readonly pull_request: Readonly<Record<string, unknown>> });
  setInterval(() => {
    for (const opening of openings) {
      const pull = { ...opening.pull_request, updated_at: new Date().toISOString() };
      const label = { name: "kodiai:review" };
      void world.deliver("pull_request", { ...opening, action: "labeled", label, pull_request: pull });
    }
  }, AGAIN_MS);
}
