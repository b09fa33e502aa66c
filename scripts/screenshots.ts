// docs/img/*.png: the demo's review as GitHub shows it, and the dashboard with the demo's data. Needs a Chromium (CHROMIUM, or Debian's package).
//
//   npm run screenshots [-- --all DIR]     --all: every page at both widths in both themes, to be looked at
//
// The demo happens within a minute; for the pictures its days are spread over four weeks, which changes no count.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openBrowser } from "../test/dashboard/browser.ts";
import { type DemoDashboard, openDemoDashboard, TOKEN } from "../test/dashboard/demo-dashboard.ts";
import { reviewPage } from "./review-page.ts";

const SHOTS = [
  { name: "dashboard-overview", page: "overview", width: 1440, height: 900, scheme: "light" },
  { name: "dashboard-search", page: "search", width: 1440, height: 900, scheme: "light" },
  { name: "dashboard-repository", page: "repository", width: 1440, height: 900, scheme: "dark" },
  { name: "dashboard-review-narrow", page: "review", width: 375, height: 812, scheme: "dark" },
] as const;
const DAY_MS = 86_400_000;

const all = process.argv.indexOf("--all");
const folder = all === -1 ? "docs/img" : (process.argv[all + 1] ?? "screenshots");
mkdirSync(folder, { recursive: true });
const demo = await openDemoDashboard();
const browser = await openBrowser();
try {
  spread(demo);
  const page = await browser.context.newPage();
  await page.setViewportSize({ width: 900, height: 800 });
  await page.setContent(reviewPage(demo.world.comments(demo.pull), 2));
  await page.screenshot({ path: join(folder, "review.png"), fullPage: true });
  console.log(`wrote ${join(folder, "review")}.png`);
  await page.goto(demo.url);
  await page.fill("[name=token]", TOKEN);
  const loaded = page.waitForEvent("load");
  await page.keyboard.press("Enter");
  await loaded;
  const pages = await addresses(page, demo);
  const shots =
    all === -1
      ? SHOTS
      : Object.keys(pages).flatMap((name) =>
          [1440, 375].flatMap((width) =>
            (["light", "dark"] as const).map((scheme) => ({
              ...{ name: `${name}-${width}-${scheme}`, page: name },
              width,
              height: 900,
              scheme,
            })),
          ),
        );
  for (const { name, page: of, width, height, scheme } of shots) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(demo.url + (pages[of] ?? "/"));
    await page.waitForTimeout(200);
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: all !== -1 });
    console.log(`wrote ${join(folder, name)}.png`);
  }
} finally {
  await browser.close();
  await demo.close();
}

/** Each review, decision and search on another of the last 28 days, in their order. */
function spread({ rows }: DemoDashboard): void {
  const back = (file: "queue" | "memory", table: string, columns: readonly string[], by: string) => {
    const keys = rows(file, `SELECT rowid AS id FROM ${table} ORDER BY ${by}`);
    keys.forEach(({ id }, at) => {
      const days = Math.round(26 * (1 - (at + 1) / keys.length) + ((at * 7) % 3));
      const moved = columns.map((column) => `${column} = ${column} - ${days * DAY_MS}`).join(", ");
      rows(file, `UPDATE ${table} SET ${moved} WHERE rowid = ${Number(id)}`);
    });
  };
  back("queue", "reviews", ["written_at", "settled_at"], "written_at");
  back("queue", "retrievals", ["created_at"], "created_at");
  back("memory", "decided", ["at"], "at");
}

async function addresses(page: Page, { url, warehouse }: DemoDashboard): Promise<Readonly<Record<string, string>>> {
  const key = encodeURIComponent(warehouse);
  const href = async (path: string, at: number) => {
    await page.goto(url + path);
    return (await page.locator("tbody a").nth(at).getAttribute("href")) ?? "/";
  };
  return {
    overview: "/",
    repositories: "/repositories",
    repository: `/repositories/${warehouse}`,
    reviews: "/reviews",
    review: await href(`/reviews?repo=${key}`, 1),
    memories: `/memories?repo=${key}`,
    search: `/memories?repo=${key}&q=${encodeURIComponent("retry a charge without an idempotency key")}`,
    memory: await href(`/memories?repo=${key}&outcome=declined`, 0),
    retrieval: "/retrieval",
    configuration: `/configuration?repo=${key}`,
    jobs: "/jobs?state=done",
    "no-jobs": "/jobs",
  };
}
