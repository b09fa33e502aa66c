// docs/img/*.png: the demo's review as GitHub shows it, and the overview of the dashboard with the
// demo's data, with the titles that they show in titles.json. Needs a Chromium (CHROMIUM, or
// Debian's package).
//
// npm run screenshots [-- --all DIR]
//
// --all draws every page at both widths in both themes, and pull requests with the results of
// tools, without a finding, and of the Action, to be looked at.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openBrowser } from "../test/dashboard/browser.ts";
import { type DemoDashboard, openDemoDashboard, TOKEN } from "../test/dashboard/demo-dashboard.ts";
import { cleanPull, pullOfTheAction, pullWithTools } from "./picture-pulls.ts";
import { reviewPage } from "./review-page.ts";

const SHOTS = [{ name: "dashboard-overview", page: "overview", width: 1440, height: 900, scheme: "light" }] as const;

const PULLS = { "pull-with-tools": pullWithTools, "pull-clean": cleanPull, "pull-action": pullOfTheAction };

const all = process.argv.indexOf("--all");
const folder = all === -1 ? "docs/img" : (process.argv[all + 1] ?? "screenshots");
mkdirSync(folder, { recursive: true });
const demo = await openDemoDashboard();
const browser = await openBrowser();
try {
  const page = await browser.context.newPage();
  await page.setViewportSize({ width: 900, height: 800 });
  const titles: Record<string, readonly string[]> = {};
  const draw = async (name: string, content: string) => {
    await page.setContent(content);
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    titles[`${name}.png`] = await titlesOn(page);
    console.log(`wrote ${join(folder, name)}.png`);
  };
  await draw("review", reviewPage(demo.world.comments(demo.pull), null, 2));
  for (const [name, play] of Object.entries(all === -1 ? {} : PULLS)) {
    const { pull, comments } = await play(demo);
    await draw(name, reviewPage(comments, pull, 10));
  }
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
          [1440, 390].flatMap((width) =>
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
    if (of.endsWith("-open"))
      for (const fold of await page.locator("main > details > summary").all()) await fold.click();
    await page.waitForTimeout(200);
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: all !== -1 });
    titles[`${name}.png`] = await titlesOn(page);
    console.log(`wrote ${join(folder, name)}.png`);
  }
  writeFileSync(join(folder, "titles.json"), `${JSON.stringify(titles, null, 2)}\n`);
} finally {
  await browser.close();
  await demo.close();
}

/**
 * Headings, captions, column names and what is in bold, without what folds hide: with a figure or
 * the words of a person left out.
 */
async function titlesOn(page: Page): Promise<readonly string[]> {
  const shown = await page.locator("h1, h2, h3, th, caption, summary, strong").allInnerTexts();
  const titles = shown.map((text) => text.replace(/\s+/g, " ").trim()).filter((text) => /^\D+$/.test(text));
  return [...new Set(titles)].sort();
}

async function addresses(page: Page, { url, warehouse }: DemoDashboard): Promise<Readonly<Record<string, string>>> {
  const key = encodeURIComponent(warehouse);
  const href = async (path: string, at: number) => {
    await page.goto(url + path);
    return (await page.locator(".found h2 a, tbody a").nth(at).getAttribute("href")) ?? "/";
  };
  return {
    overview: "/",
    repositories: "/repositories",
    repository: `/repositories/${warehouse}`,
    reviews: "/reviews",
    review: await href("/reviews", -1),
    "review-open": await href(`/reviews?repo=${key}`, 3),
    memories: `/memories?repo=${key}`,
    search: `/memories?repo=${key}&q=${encodeURIComponent("retry a charge without an idempotency key")}`,
    memory: await href(`/memories?repo=${key}&outcome=declined`, 0),
    retrieval: "/retrieval",
    jobs: "/jobs?state=done",
    "no-jobs": "/jobs",
  };
}
