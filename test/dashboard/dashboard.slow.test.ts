// The dashboard in a real browser, with what the demo made: every page, its figures against the
// database, who may look, what may be done.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reviewPage } from "../../scripts/review-page.ts";
import { chromiumPath, openBrowser } from "./browser.ts";
import { type DemoDashboard, openDemoDashboard, TOKEN } from "./demo-dashboard.ts";

const hasBrowser = chromiumPath() !== null;
if (!hasBrowser)
  console.warn("SKIPPED: there is no Chromium here (apt-get install chromium, or set CHROMIUM): no page was looked at");
const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
const WIDTHS = [1440, 390];
const isSlow = process.env.NIGHTLY === "1";
if (!isSlow)
  console.warn("skipped: on narrow pages, what neither colours nor places change; NIGHTLY=1 looks for all of it twice");
/**
 * What another theme or width may break. The rest of a page's markup is the same in all of them.
 */
const BY_LOOKS = ["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable"];
/** Tables become blocks on a narrow window. */
const BY_LAYOUT = ["td-headers-attr", "th-has-data-cells", "list", "listitem", "region", "bypass"];

describe.skipIf(!hasBrowser)("the dashboard", () => {
  let demo: DemoDashboard;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let page: Page;
  /** What went wrong in the browser, and what it asked of whom. */
  const complaints: string[] = [];
  const strangers: string[] = [];

  beforeAll(async () => {
    demo = await openDemoDashboard();
    browser = await openBrowser();
    page = await browser.context.newPage();
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning")
        complaints.push(`${page.url()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.message}`));
    browser.context.on("request", (request) => {
      if (!request.url().startsWith(demo.url)) strangers.push(request.url());
    });
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  const open = async (path: string, status = 200) => {
    const answer = await page.goto(demo.url + path);
    expect(`${path} ${answer?.status()}`).toBe(`${path} ${status}`);
  };
  /** Does what loads another page, and waits for it. */
  const loads = async (act: () => Promise<unknown>) => {
    const loaded = page.waitForEvent("load");
    await act();
    await loaded;
  };
  const logIn = async (token: string) => {
    await page.fill("[name=token]", token);
    await loads(() => page.keyboard.press("Enter"));
  };
  const count = (file: "queue" | "memory", sql: string) => Number(demo.rows(file, sql)[0]?.n);
  const figure = async (name: string) => {
    const term = page.locator(".figures > div", { has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) });
    return (await term.locator(".number").innerText()).trim();
  };
  /** First cell → the last one of each row of a chart's figures or of a bar list. */
  const bars = async (label: string) =>
    Object.fromEntries(
      await page
        .locator(`ul[aria-label="${label}"] > li`)
        .evaluateAll((items) =>
          items.map((item) => [
            item.querySelector(".bar-name")?.textContent,
            Number(item.querySelector(".bar-value")?.textContent),
          ]),
        ),
    );
  const warehouse = () => `/repositories/${demo.warehouse}`;

  test("opens with the token, and shows nothing before", async () => {
    for (const path of ["/", "/reviews", "/memories?q=token", "/jobs"]) {
      await open(path);
      expect(new URL(page.url()).pathname).toBe("/login");
      expect(await page.content()).not.toContain("acme");
    }
    await logIn("not-the-token-not-the-token-not-the-token");
    expect(await page.locator("[role=alert]").innerText()).toBe("That is not the token.");
    complaints.length = 0; // The browser says of a 401 that it is one.
    await open("/reviews");
    await logIn(TOKEN);
    expect(page.url()).toBe(`${demo.url}/reviews`);
    const [cookie] = await browser.context.cookies();
    expect(cookie).toMatchObject({ name: "kodiai_session", httpOnly: true, sameSite: "Strict" });
    expect(cookie?.value).not.toContain(TOKEN);
    expect(await page.evaluate("document.cookie")).toBe("");
  });

  test("has browsers run and load only its own files", async () => {
    const answer = await page.goto(`${demo.url}/`);
    const headers = answer?.headers() ?? {};
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers).toMatchObject({
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "referrer-policy": "same-origin",
    });
    expect(headers).not.toHaveProperty("x-powered-by");
  });

  test("every page is accessible, wide and light, narrow and dark, fits the window, and complains of nothing", async () => {
    const violations: string[] = [];
    for (const [name, path] of await everyPage()) {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await open(path);
        const wide = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
        if (wide > 0) violations.push(`${name} at ${width}: ${wide} pixels too wide`);
        // Wide and light, narrow and dark; NIGHTLY=1 looks at the other two as well.
        const themes = isSlow ? (["light", "dark"] as const) : [width > 1_000 ? ("light" as const) : ("dark" as const)];
        for (const colorScheme of themes) {
          await page.emulateMedia({ colorScheme });
          const rules = isSlow || width > 1_000 ? null : [...BY_LOOKS, ...BY_LAYOUT];
          violations.push(...(await axe(rules)).map((text) => `${name} at ${width}, ${colorScheme}: ${text}`));
        }
      }
    }
    await page.setViewportSize({ width: 320, height: 700 });
    await open("/");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(violations).toEqual([]);
    expect(complaints).toEqual([]);
    expect(strangers).toEqual([]);
  });

  test("the overview's figures are those of the database, and each chart is drawn from its table", async () => {
    await open("/");
    expect(await figure("Reviews")).toBe(String(count("queue", "SELECT count(*) AS n FROM reviews")));
    expect(await figure("Findings")).toBe(
      String(count("memory", "SELECT count(*) AS n FROM records WHERE corpus = 'finding'")),
    );
    const outcomes = demo.rows(
      "memory",
      "SELECT outcome, count(*) AS n FROM records WHERE corpus = 'finding' GROUP BY 1",
    );
    const shown = outcomes.map(({ outcome, n }) => [outcome === "posted" ? "no answer yet" : outcome, n]);
    expect(await bars("Findings by outcome")).toEqual(Object.fromEntries(shown));
    const of = (names: string) =>
      count("memory", `SELECT count(*) AS n FROM records WHERE corpus = 'finding' AND outcome IN (${names})`);
    const taken = of("'accepted', 'fixed', 'reintroduced'");
    expect(taken).toBeGreaterThan(0);
    expect(await figure("Taken up")).toBe(`${Math.round((100 * taken) / (taken + of("'declined'")))} %`);
    const posted = page.locator("figure").filter({ hasText: "Reviews a day" }).locator("td:nth-child(2)");
    const sum = (
      await posted.evaluateAll((cells) => cells.map((cell) => Number(cell.getAttribute("data-value"))))
    ).reduce((a, b) => a + b, 0);
    expect(sum).toBe(count("queue", "SELECT count(*) AS n FROM reviews WHERE outcome = 'posted'"));
    const drawn = await page.locator("figure[data-kind]").count();
    expect(drawn).toBeGreaterThan(0);
    expect(await page.locator("figure canvas").count()).toBe(drawn);
  });

  test("the overview begins with what needs attention: unanswered findings, and what was held back", async () => {
    await open("/");
    const cards = page.locator("section[aria-label='Needs attention'] > section");
    const lines = (title: string) => cards.filter({ hasText: title }).locator("li").allInnerTexts();
    const finding = "corpus = 'finding' AND outcome =";
    const unanswered = demo.rows("memory", `SELECT mem FROM records WHERE ${finding} 'posted'`);
    expect((await lines(`Findings without an answer (${unanswered.length})`)).length).toBe(
      Math.min(5, unanswered.length),
    );
    expect((await lines("Held back last")).join("\n")).toContain("the folder is ours on purpose");
    const tops = page.locator("section[aria-label='Needs attention'], .figures, .grid");
    expect(await tops.first().getAttribute("aria-label")).toBe("Needs attention");
  });

  test("of each rule the overview says how many decided findings were taken up", async () => {
    await open("/");
    const [most] = demo.rows(
      "memory",
      `SELECT rule, sum(r.outcome IN ('accepted', 'fixed', 'reintroduced')) AS taken, sum(r.outcome = 'declined') AS declined,
         count(*) AS said FROM flagged f JOIN records r ON r.id = f.id WHERE rule IS NOT NULL GROUP BY 1
       ORDER BY sum(r.outcome IN ('accepted', 'fixed', 'reintroduced', 'declined')) DESC, 1 LIMIT 1`,
    );
    const { rule, taken, declined, said } = most ?? {};
    const share = Math.round((100 * Number(taken)) / (Number(taken) + Number(declined)));
    const first = page.locator("section", { hasText: "Acceptance by rule" }).last().locator("tbody tr").first();
    expect(await first.locator("td").allInnerTexts()).toEqual([
      String(rule),
      `${taken} (${share} %)`,
      String(declined),
      String(said),
    ]);
  });

  test("all findings without an answer are listed, of all repositories together", async () => {
    await open("/memories?repo=&corpus=finding&outcome=posted");
    const all = count("memory", "SELECT count(*) AS n FROM records WHERE corpus = 'finding' AND outcome = 'posted'");
    expect(await page.locator("main").innerText()).toContain(`${all} memor`);
  });

  test("the pictures of the documents show what these pages show: else run `npm run screenshots`", async () => {
    const titles: Readonly<Record<string, readonly string[]>> = JSON.parse(
      readFileSync("docs/img/titles.json", "utf8"),
    );
    const missing = async (picture: string) => {
      const shown = (await page.locator("body").innerText()).replace(/\s+/g, " ").toLowerCase();
      return titles[picture]?.filter((title) => !shown.includes(title.toLowerCase()));
    };
    await open("/");
    expect(await missing("dashboard-overview.png")).toEqual([]);
    await page.setContent(reviewPage(demo.world.comments(demo.pull), null, 2));
    expect(await missing("review.png")).toEqual([]);
  });

  test("times are relative and exact on hover, and lists name author and commit", async () => {
    await open("/reviews");
    const [last] = demo.rows("queue", "SELECT written_at AS at, head_sha AS sha FROM reviews ORDER BY written_at DESC");
    const time = page.locator("tbody tr time").first();
    expect(await time.innerText()).toMatch(/^(?:just now|\d+ min ago)$/);
    const exact = new Date(Number(last?.at)).toISOString().slice(0, 19).replace("T", " ");
    expect(await time.getAttribute("title")).toBe(`${exact} UTC`);
    expect(await page.locator("tbody td").first().innerText()).toContain(`@mona ${String(last?.sha).slice(0, 7)}`);
    expect(await page.locator("tbody tr time").last().innerText()).toBe("26 d ago");
    await open(`/memories?repo=${encodeURIComponent(demo.warehouse)}&corpus=review_comment`);
    expect(await page.locator(".found > li .note").first().innerText()).toMatch(
      /\b(?:ines|lena|olga)\s[0-9a-f]{7}\s\d+ mo ago\b/,
    );
  });

  test("a filter applies as soon as it is chosen", async () => {
    await open(`/memories?repo=${encodeURIComponent(demo.warehouse)}`);
    await loads(() => page.selectOption("[name=outcome]", "declined"));
    expect(page.url()).toContain("outcome=declined");
    expect(await page.locator(".found > li > p .badge", { hasText: "declined" }).count()).toBe(
      await page.locator(".found > li").count(),
    );
  });

  test("links to GitHub lead to the demo's own, to the comment that they name", async () => {
    const hrefs = new Set<string>();
    for (const [, path] of await everyPage()) {
      await open(path);
      for (const link of await page.locator("main a[href^=http]").all())
        hrefs.add((await link.getAttribute("href")) ?? "");
    }
    expect(hrefs.size).toBeGreaterThan(10);
    for (const href of hrefs) {
      expect(href.startsWith(`${demo.world.apiUrl}/`), href).toBe(true);
      const answer = await fetch(href);
      expect(`${href} ${answer.status}`).toBe(`${href} 200`);
      const { hash } = new URL(href);
      if (/^#(?:discussion_r|issuecomment-)/.test(hash)) expect(await answer.text()).toContain(`id="${hash.slice(1)}"`);
    }
  });

  test("acceptance by week is what people decided, with how many that were, for all and for one repository", async () => {
    const weeksIn = (own: string) =>
      demo
        .rows(
          "memory",
          `SELECT date(d.at / 1000, 'unixepoch', '-6 days', 'weekday 1') AS monday, count(*) AS n,
             sum(d.outcome IN ('accepted', 'fixed', 'reintroduced')) AS up
           FROM decided d JOIN records r ON r.id = d.id
           WHERE r.corpus = 'finding' AND d.outcome IN ('accepted', 'fixed', 'reintroduced', 'declined') ${own}
           GROUP BY 1 ORDER BY 1`,
        )
        .map(({ monday, n, up }) => [monday, `${Math.round((100 * Number(up)) / Number(n))} %`, String(up), String(n)]);
    const shown = async () => {
      const rows = page.locator("figure", { hasText: "Acceptance by week" }).locator("tbody tr");
      const cells = await rows.evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)),
      );
      return cells.filter((row) => row[1] !== "–");
    };
    await open("/");
    expect(weeksIn("").length).toBeGreaterThan(0);
    expect(await shown()).toEqual(weeksIn(""));
    expect(await page.locator(".choice button").isVisible()).toBe(false);
    await loads(() => page.selectOption("[name=repo]", demo.warehouse));
    const [host, id] = demo.warehouse.split("/");
    const own = `repo = (SELECT id FROM repositories WHERE host = '${host}' AND github_id = '${id}')`;
    expect(await shown()).toEqual(weeksIn(`AND r.${own}`));
    expect(await figure("Reviews")).toBe(
      String(count("queue", `SELECT count(*) AS n FROM reviews WHERE key LIKE '${demo.warehouse}#%'`)),
    );
    expect(await figure("Findings")).toBe(
      String(count("memory", `SELECT count(*) AS n FROM records WHERE corpus = 'finding' AND ${own}`)),
    );
  });

  test("reviews, memories and jobs are as many as the database has", async () => {
    await open(`/reviews?repo=${encodeURIComponent(demo.warehouse)}`);
    const kept = count("queue", `SELECT count(*) AS n FROM reviews WHERE key LIKE '${demo.warehouse}#%'`);
    expect(await page.locator("tbody tr").count()).toBe(kept);
    const held = await page.locator("tbody td:nth-child(4)").allInnerTexts();
    const [sum] = demo.rows(
      "queue",
      `SELECT sum(json_array_length(review, '$.heldBack')) AS n FROM reviews WHERE key LIKE '${demo.warehouse}#%'`,
    );
    expect(held.reduce((all, one) => all + Number(one), 0)).toBe(sum?.n);
    await open(`/memories?repo=${encodeURIComponent(demo.warehouse)}&corpus=finding`);
    const [host, id] = demo.warehouse.split("/");
    const own = `repo = (SELECT id FROM repositories WHERE host = '${host}' AND github_id = '${id}')`;
    const findings = count("memory", `SELECT count(*) AS n FROM records WHERE corpus = 'finding' AND ${own}`);
    // Findings with one title are together.
    expect((await page.locator(".found > li").count()) + (await page.locator(".found > li > details li").count())).toBe(
      findings,
    );
    expect(await page.locator("main").innerText()).toContain(`${findings} memories`);
    await open("/jobs?state=done");
    const done = count("queue", "SELECT count(*) AS n FROM jobs WHERE state = 'done'");
    expect(await page.locator("nav[aria-label=States]").innerText()).toContain(`done ${done}`);
    expect(await page.locator("tbody tr").count()).toBe(done);
  });

  test("on a narrow window each value of a row is below its name, none beyond the edge", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    for (const path of ["/repositories", "/reviews", "/jobs?state=done"]) {
      await open(path);
      const beyond = await page.locator(".rows td").evaluateAll((cells) => {
        const rightOf = (element: (typeof cells)[number] | null) => element?.getBoundingClientRect().right ?? 0;
        return cells.filter((cell) => rightOf(cell) > rightOf(cell.closest(".rows"))).length;
      });
      expect([path, beyond]).toEqual([path, 0]);
    }
    await open("/repositories");
    expect(await page.locator(".rows td[data-name=State]:visible").count()).toBe(0);
    expect(await page.locator(".rows td").first().getAttribute("data-name")).toBe("Repository");
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test("a repository shows its memory by language and its import", async () => {
    await open("/repositories");
    const line = page.locator("tr", { hasText: "acme/warehouse" });
    const [host, id] = demo.warehouse.split("/");
    const own = `repo = (SELECT id FROM repositories WHERE host = '${host}' AND github_id = '${id}')`;
    const total = count("memory", `SELECT count(*) AS n FROM records WHERE ${own} AND stale = 0`);
    expect(await line.locator("td").nth(2).innerText()).toBe(String(total));
    await loads(() => page.locator("nav[aria-label=Order] a", { hasText: "memories" }).click());
    const sizes = await page.locator("tbody td:nth-child(3)").allInnerTexts();
    expect(sizes.map(Number)).toEqual(sizes.map(Number).toSorted((a, b) => b - a));
    await loads(() => line.locator("a").click());
    const languages = demo.rows(
      "memory",
      `SELECT language, count(*) AS n FROM records WHERE ${own} AND stale = 0 GROUP BY 1`,
    );
    expect(await bars("Memories by language")).toEqual(
      Object.fromEntries(languages.map(({ language, n }) => [language, n])),
    );
    expect(await page.locator("main").innerText()).toMatch(/15 added, 0 updated/);
  });

  test("a search shows both ranks, distances and the terms of each score, as the command line finds them", async () => {
    await open(`/memories?repo=${encodeURIComponent(demo.warehouse)}`);
    await page.fill("[name=q]", "retry a charge without an idempotency key");
    await loads(() => page.keyboard.press("Enter"));
    const charge = page.locator("ol.found > li", { hasText: "Send an idempotency key with every charge" });
    await charge.locator("summary").click();
    expect(await charge.innerText()).toMatch(
      /by meaning\nrank 1, distance 0\.\d{3}, \w+ confidence\nby words\nrank \d, BM25 \d+\.\d\n(?:nearest to\n.*\n)?score\n-?\d\.\d{3} = (?:− )?words \d\.\d{3}/,
    );
    const [logged] = demo.rows(
      "queue",
      "SELECT entry FROM retrievals WHERE origin = 'search' ORDER BY created_at DESC LIMIT 1",
    );
    const links = await page
      .locator("ol.found > li h2 a")
      .evaluateAll((all) => all.map((one) => one.getAttribute("href")?.split("/").at(-1)));
    expect(links).toEqual(JSON.parse(String(logged?.entry)).ids);
  });

  test("a review shows its findings, what it held back and what was said before; how it searched memory is folded", async () => {
    const [row] = demo.rows(
      "queue",
      "SELECT key, head_sha, review FROM reviews ORDER BY json_array_length(review, '$.findings') DESC LIMIT 1",
    );
    const review = JSON.parse(String(row?.review));
    const [repo, number] = String(row?.key).split("#");
    await open(`/reviews/${repo}/${number}/${row?.head_sha}`);
    const main = await page.locator("main").innerText();
    const headings = await page.locator("main h2:visible").allInnerTexts();
    expect(headings[0]).toBe(`${review.findings.length} findings`);
    for (const { finding } of review.findings) expect(main).toContain(finding.title);
    const outcomes = await page.locator("ol.found > li .row").allInnerTexts();
    expect(outcomes.length).toBe(review.findings.length);
    expect(await page.getByRole("button", { name: "Decline it" }).first().isVisible()).toBe(false);
    for (const { quote } of review.memory.precedents) if (quote !== undefined) expect(main).toContain(quote);
    expect(main).toContain(`by @mona at ${String(row?.head_sha).slice(0, 7)}`);
    expect(main).not.toContain(review.memory.gate.reason);
    await page.locator("summary", { hasText: "How it searched memory" }).click();
    expect(await page.locator("main").innerText()).toContain(review.memory.gate.reason);
  });

  test("retrieval shows its percentiles", async () => {
    await open("/retrieval");
    await page.locator("summary", { hasText: "Advanced" }).click();
    const advanced = await page.locator("details", { hasText: "Advanced" }).innerText();
    expect(advanced).toContain(`${count("queue", "SELECT count(*) AS n FROM retrievals WHERE searched = 1")}, `);
    const times = demo
      .rows("queue", "SELECT retrieval_ms AS ms FROM retrievals WHERE searched = 1 ORDER BY 1")
      .map(({ ms }) => Number(ms));
    const p95 = times[Math.ceil(0.95 * times.length) - 1] ?? 0;
    expect(advanced).toContain(`P95 ${p95 < 10 ? Number(p95.toFixed(1)) : Math.round(p95)} ms`);
  });

  test("a memory is forgotten and a declined one restored, by keyboard alone", async () => {
    await open(`/memories?repo=${encodeURIComponent(demo.warehouse)}&outcome=declined`);
    await loads(() => page.locator(".found h2 a").first().click());
    const id = page.url().split("/").at(-1);
    expect(await page.getByRole("button", { name: "Forget it" }).isVisible()).toBe(false);
    await press("Restore…");
    expect(await page.locator("[role=status]").innerText()).toContain("Restored");
    expect(
      count("memory", `SELECT count(*) AS n FROM rejections WHERE id = (SELECT id FROM records WHERE mem = '${id}')`),
    ).toBe(0);
    expect(demo.rows("memory", `SELECT outcome FROM records WHERE mem = '${id}'`)[0]?.outcome).not.toBe("declined");
    expect(await page.locator("main").innerText()).toContain("operator[dashboard]");
    await press("Decline…", "the folder is ours, token ghp_16C7e42F292c6912E7710c838347Ae178B4a");
    expect(await page.locator("[role=status]").innerText()).toContain("Declined");
    const [declined] = demo.rows(
      "memory",
      `SELECT r.outcome, j.by, j.reason FROM records r JOIN rejections j ON j.id = r.id WHERE r.mem = '${id}'`,
    );
    expect(declined).toMatchObject({ outcome: "declined", by: "operator[dashboard]" });
    expect(declined?.reason).toMatch(/^the folder is ours, token /);
    expect(declined?.reason).not.toContain("ghp_");
    await press("Forget…");
    expect(await page.locator("[role=status]").innerText()).toBe("The memory is forgotten.");
    expect(count("memory", `SELECT count(*) AS n FROM records WHERE mem = '${id}'`)).toBe(0);
    await open(`/memories/${demo.warehouse}/${id}`, 404);
    complaints.length = 0; // The browser says of a 404 that it is one.
  });

  test("a repository's memory is a file that it reads back, and a wrong line is named [005-06]", async () => {
    await open(warehouse());
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.locator("a", { hasText: "Export" }).click(),
    ]);
    const text = readFileSync(await download.path(), "utf8");
    const [host, id] = demo.warehouse.split("/");
    const own = `repo = (SELECT id FROM repositories WHERE host = '${host}' AND github_id = '${id}')`;
    const total = count("memory", `SELECT count(*) AS n FROM records WHERE ${own} AND stale = 0`);
    expect(text.trim().split("\n").length).toBe(total);
    const file = { name: "memory.jsonl", mimeType: "application/jsonl", buffer: Buffer.from(`${text}{"no": 1}\n`) };
    const importFile = async () => {
      await open(warehouse());
      await page.setInputFiles("input[type=file]", file);
      await loads(() => page.getByRole("button", { name: "Import it" }).click());
      return page.locator("main").innerText();
    };
    // The demo has moved the dates of what it remembers: the first import writes those again.
    expect(await importFile()).toContain("0 added, ");
    const main = await importFile();
    expect(main).toContain(`0 added, 0 updated, ${total} unchanged`);
    expect(main).toContain(`line ${total + 1}: `);
    await open(warehouse());
    await page.setInputFiles("input[type=file]", { ...file, buffer: Buffer.alloc(2 ** 21, "x") });
    await loads(() => page.getByRole("button", { name: "Import it" }).click());
    expect(await page.locator("main").innerText()).toContain("More than 2048 KiB is not taken here.");
    complaints.length = 0; // The browser says of a 413 that it is one.
  });

  test("a parked job is tried again", async () => {
    demo.rows(
      "queue",
      "UPDATE jobs SET state = 'parked', outcome = 'the model was away' WHERE id = (SELECT max(id) FROM jobs WHERE lane = 'review')",
    );
    await open("/jobs");
    expect(await page.locator("article").innerText()).toContain("the model was away");
    await loads(() => page.getByRole("button", { name: "Try it again" }).click());
    expect(await page.locator("[role=status]").innerText()).toBe("The job waits again and runs at once.");
    await demo.settled();
    expect(count("queue", "SELECT count(*) AS n FROM jobs WHERE state = 'parked'")).toBe(0);
  });

  test("what changes something needs a form of this session, from a page of ours", async () => {
    const cookies = (await browser.context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    const post = (headers: Record<string, string>, form: string) =>
      fetch(`${demo.url}/jobs/1/retry`, {
        method: "POST",
        redirect: "manual",
        headers: { cookie: cookies, "content-type": "application/x-www-form-urlencoded", ...headers },
        body: new URLSearchParams({ form }).toString(),
      }).then(({ status }) => status);
    await open("/jobs");
    const form = (await page.locator("[name=form]").first().getAttribute("value")) ?? "";
    const own = { origin: demo.url, "sec-fetch-site": "same-origin" };
    expect(await post(own, form)).toBe(303);
    expect(await post(own, "another")).toBe(403);
    expect(await post({ origin: "https://evil.example", "sec-fetch-site": "cross-site" }, form)).toBe(403);
    expect(await post({ origin: "https://evil.example" }, form)).toBe(403);
    expect(await post({}, form)).toBe(403);
    expect(await post({ ...own, cookie: "kodiai_session=9999999999999.a.b" }, form)).toBe(303); // to the login
  });

  test("light or dark follows the system until a person chooses, and after logging out nothing is shown", async () => {
    await page.emulateMedia({ colorScheme: "light" });
    await open("/");
    const back = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await back();
    const choose = page.locator("[data-theme-switch]");
    await choose.click();
    await choose.click();
    expect(await choose.innerText()).toBe("Theme: dark");
    expect(await back()).not.toBe(light);
    await page.reload();
    expect(await back()).not.toBe(light);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the page");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    await loads(() => page.getByRole("button", { name: "Log out" }).click());
    await open("/");
    expect(new URL(page.url()).pathname).toBe("/login");
    expect(complaints).toEqual([]);
    expect(strangers).toEqual([]);
  });

  /** Opens the act by the keyboard and does it. */
  async function press(name: string, words = ""): Promise<void> {
    await page.locator("summary", { hasText: name }).first().focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    if (words !== "") await page.keyboard.type(words);
    await loads(() => page.keyboard.press("Enter"));
    expect(page.url()).toContain("done=");
  }

  /** @param rules null: all */
  async function axe(rules: readonly string[] | null): Promise<readonly string[]> {
    // By the debugger, which no policy of the page holds up.
    await page.evaluate(AXE);
    const only = rules === null ? "" : `runOnly: ${JSON.stringify(rules)}, `;
    return page.evaluate<readonly string[]>(`axe.run({ ${only}resultTypes: ["violations"] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 120)).join(" | ")))`);
  }

  async function everyPage(): Promise<readonly (readonly [string, string])[]> {
    const key = encodeURIComponent(demo.warehouse);
    await open(`/reviews?repo=${key}`);
    const review = (await page.locator("tbody a").nth(2).getAttribute("href")) ?? "";
    await open(`/memories?repo=${key}&outcome=declined`);
    const memory = (await page.locator(".found h2 a").first().getAttribute("href")) ?? "";
    return [
      ["overview", "/"],
      ["repositories", "/repositories"],
      ["repository", warehouse()],
      ["reviews", "/reviews"],
      ["review", review],
      ["memories", `/memories?repo=${key}`],
      ["search", `/memories?repo=${key}&q=idempotency+key`],
      ["memory", memory],
      ["retrieval", "/retrieval"],
      ["jobs", "/jobs?state=done"],
      ["no jobs", "/jobs"],
    ];
  }
});
