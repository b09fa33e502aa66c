// What is around every page: title, navigation, the notice of what was just done, and the way out.

import type { Context } from "hono";
import { html, raw } from "hono/html";
import type { MemoryRecord } from "../domain/memory.ts";
import { memoryPath } from "./addresses.ts";
import { assetPath } from "./assets.ts";
import type { DashboardPorts } from "./dashboard-ports.ts";
import { type Content, type Html, OUT } from "./inline.ts";

export const SECTIONS = [
  ["overview", "/", "Overview"],
  ["repositories", "/repositories", "Repositories"],
  ["reviews", "/reviews", "Reviews"],
  ["memories", "/memories", "Memory"],
  ["retrieval", "/retrieval", "Retrieval"],
  ["jobs", "/jobs", "Jobs"],
] as const;

type Section = (typeof SECTIONS)[number][0];

export interface Page {
  readonly title: string;
  readonly section: Section | null;
  readonly body: Content;
}

/** A page as the browser gets it. Before the login there is no form token. */
function framed({ title, section, body }: Page, c: Context<Inside>): Html {
  const hasCharts = section === "overview";
  const formToken = c.get("formToken") ?? null;
  const viewer = c.get("ports")?.viewer?.login ?? null;
  const notice = new Map(Object.entries(NOTICES)).get(c.req.query("done") ?? "") ?? null;
  return html`${raw("<!doctype html>")}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Kodiai</title>
<link rel="icon" href="${assetPath("icon.svg")}" type="image/svg+xml">
${hasCharts ? html`<link rel="stylesheet" href="${assetPath("uplot.css")}">` : ""}
<link rel="stylesheet" href="${assetPath("style.css")}">
<script src="${assetPath("page.js")}"></script>
${hasCharts ? html`<script src="${assetPath("uplot.js")}" defer></script><script src="${assetPath("charts.js")}" defer></script>` : ""}
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header class="top"><div class="rail">
<a class="mark" href="/"><img src="${assetPath("icon.svg")}" alt="" width="28" height="28"><span>Kodiai</span></a>
${formToken === null ? "" : navigation(section)}
<div class="tools">
<button type="button" class="plain" data-theme-switch hidden>Theme</button>
${viewer === null ? "" : html`<span class="who">@${viewer}</span>`}
${formToken === null ? "" : html`<form method="post" action="/logout"><input type="hidden" name="form" value="${formToken}"><button class="plain">Log out</button></form>`}
</div>
</div></header>
<main id="main" tabindex="-1">
${notice === null ? "" : html`<p class="notice" role="status">${notice}</p>`}
${body}
</main>
<footer><span>Kodiai ${c.get("version")}</span> <span>Times are UTC</span></footer>
</body>
</html>`;
}

function navigation(current: Section | null): Html {
  return html`<nav aria-label="Main"><ul>${SECTIONS.map(
    ([section, path, name]) =>
      html`<li><a href="${path}"${section === current ? raw(' aria-current="page"') : ""}>${name}</a></li>`,
  )}</ul></nav>`;
}

interface Action {
  readonly path: string;
  /** The label of a text that goes with it; absent: none does. */
  readonly asks?: string;
  readonly says: string;
  readonly button: string;
}

export function action(formToken: string, { path, asks, says, button }: Action): Html {
  const field = asks === undefined ? "" : html`<label class="wide">${asks}<input name="text" maxlength="500"></label>`;
  return html`<form class="action" method="post" action="${path}"><p class="note">${says}</p>${field}<input type="hidden" name="form" value="${formToken}"><button>${button}</button></form>`;
}

/** What cannot be undone: it opens first, and says what will be lost. */
export function destruction(formToken: string, name: string, act: Action): Html {
  return html`<details class="danger"><summary>${name}</summary>${action(formToken, act)}</details>`;
}

/** What a person may decide about a remembered finding; nothing about other memories. */
export function decisionForm(formToken: string, { repo, id, corpus }: MemoryRecord, isDeclined: boolean): Content {
  if (corpus !== "finding") return "";
  const path = memoryPath(repo, id);
  return isDeclined
    ? destruction(formToken, "Restore…", {
        path: `${path}/restore`,
        says: "All declines of it are taken back: findings like it are said again, from the next review of each pull request on.",
        button: "Restore it",
      })
    : destruction(formToken, "Decline…", {
        path: `${path}/decline`,
        asks: "Reason",
        says: "It is not said again on its pull request, and with a reason findings like it are held back on others; security and critical ones are still said there.",
        button: "Decline it",
      });
}

/** Links to the neighbours of a part of a list; nothing where all of it is shown. */
export function pager(path: string, query: Readonly<Record<string, string>>, page: number, pages: number): Content {
  if (pages <= 1) return "";
  const link = (to: number, text: string) => {
    const search = new URLSearchParams({ ...query, page: String(to) });
    return html`<a href="${path}?${search.toString()}">${text}</a>`;
  };
  return html`<nav class="pager" aria-label="Pages">${page > 1 ? link(page - 1, "← Newer") : ""}<span>Page ${page} of ${pages}</span>${page < pages ? link(page + 1, "Older →") : ""}</nav>`;
}

/** Opens the same page for another repository; a name alone where there is nothing to choose. */
export function repositoryChooser(
  path: string,
  { repositories, chosen, maySeeAll }: Choice,
  query: Readonly<Record<string, string>> = {},
): Content {
  const [first] = repositories;
  if (first === undefined) return "";
  if (repositories.length === 1 && !maySeeAll) return html`<p class="note">Of ${first.name}</p>`;
  const all = repositories.map(({ key, name }) => [key, name] as const);
  return html`<form class="choice" data-filters method="get" action="${path}">${Object.entries(query).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${select("repo", "Repository", chosen ?? "", maySeeAll ? [["", "all"], ...all] : all)}<button data-no-script>Show</button></form>`;
}

export function select(
  name: string,
  label: string,
  chosen: string,
  options: readonly (readonly [value: string, text: string])[],
): Html {
  return html`<label>${label}<select name="${name}">${options.map(
    ([value, text]) => html`<option value="${value}"${value === chosen ? raw(" selected") : ""}>${text}</option>`,
  )}</select></label>`;
}

/** Which repository a page is about; null for all together. */
export interface Choice {
  readonly repositories: readonly { readonly key: string; readonly name: string }[];
  readonly chosen: string | null;
  /** False for a visitor who sees one at a time. */
  readonly maySeeAll: boolean;
}

/** What a request has once it is past the login. */
export type Inside = {
  readonly Variables: {
    readonly version: string;
    readonly formToken: string;
    readonly ports: DashboardPorts;
  };
};

/** `HOST/REPO_ID` of an address. */
export function repoOf(c: Context<Inside>): string {
  return `${c.req.param("host")}/${c.req.param("id")}`;
}

/**
 * Links to GitHub lead to the server whose API Kodiai asks. It calls itself by another address only
 * where it replaces GitHub, as in the demo.
 */
export async function shown(
  c: Context<Inside>,
  page: Page,
  status: 200 | 401 | 403 | 404 | 413 | 429 | 500 | 503 = 200,
): Promise<Response> {
  const text = String(await framed(page, c));
  const { host, webUrl } = c.get("ports")?.github ?? {};
  return c.html(host === undefined ? text : text.replaceAll(`${OUT}https://${host}/`, `${OUT}${webUrl}/`), status);
}

/** What was just done, by a word in the address: the texts are ours, not those of the address. */
const NOTICES = {
  forgotten: "The memory is forgotten.",
  "not-forgotten": "There was no such memory any more.",
  declined:
    "Declined: it is not said again on its pull request, and with a reason findings like it are held back on others.",
  restored: "Restored: findings like it are said again, from the next review of each pull request on.",
  "not-declined": "Nothing to restore: this memory was not declined.",
  retried: "The job waits again and runs at once.",
  "not-retried": "The job was not moved: it runs, a later one of the same pull request waits, or it was deleted.",
} as const;

export type Notice = keyof typeof NOTICES;
