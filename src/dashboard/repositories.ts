// One repository: what is remembered of it, whether that helps, how far its import is.
import { html } from "hono/html";
import type { RepoKey } from "../domain/memory.ts";
import { acceptance } from "./acceptance.ts";
import { EXPORT, IMPORT, memoriesPath, repositoryPath } from "./addresses.ts";
import { bars } from "./charts.ts";
import type { Page } from "./frame.ts";
import { badge, type Content, type Html, moment } from "./inline.ts";
import { outcomesCard } from "./overview.ts";
import { empty, facts, figures, listOf, num, table } from "./parts.ts";
import {
  type Imported,
  REPOSITORY_ORDERS,
  type RepositoriesView,
  type RepositoryLine,
  type RepositoryView,
} from "./read-views.ts";
import { dollars, percent, whole } from "./values.ts";

export function repositoriesPage({ order, lines }: RepositoriesView): Page {
  const orders = REPOSITORY_ORDERS.map((name) =>
    name === order
      ? html`<span aria-current="true">${name}</span>`
      : html`<a href="/repositories?${new URLSearchParams({ by: name }).toString()}">${name}</a>`,
  );
  return {
    title: "Repositories",
    section: "repositories",
    body: html`<h1>Repositories</h1>${
      lines.length === 0
        ? empty(
            "No repository is known yet.",
            html`Install the App on one, or bring its past in: <code>kodiai import OWNER/NAME</code>.`,
          )
        : html`<nav class="window" aria-label="Order">${orders}</nav>${table(
            "Repositories that were reviewed or are remembered",
            [
              ...["Repository", "Who may read it", num("Memories"), num("Reviews"), num("Taken up")],
              ...[num("30 days' cost"), "Last review", "State"],
            ],
            lines.map(line),
          )}`
    }`,
  };
}

function line({ key, name, visibility, memories, reviews, posted, findings, usd, lastAt, ...state }: RepositoryLine) {
  const { share, decided } = acceptance(findings);
  const states = [
    state.isImporting ? badge("importing", "warn") : "",
    state.parked === 0 ? "" : html`<a href="/jobs?state=parked">${badge(`${whole(state.parked)} parked`, "bad")}</a>`,
  ];
  return [
    html`<a href="${repositoryPath(key)}">${name}</a>`,
    visibility === null ? "" : badge(visibility),
    memories === null ? "–" : whole(memories),
    `${whole(reviews)}, ${whole(posted)} posted`,
    decided === 0 ? "–" : `${percent(share)} of ${whole(decided)}`,
    dollars(usd),
    lastAt === null ? "never" : moment(lastAt),
    states,
  ];
}

export function repositoryPage(view: RepositoryView): Page {
  const { key, name, visibility, memory, reviews } = view;
  const findings = memory?.findings ?? [];
  const { share, decided } = acceptance(findings);
  return {
    title: name,
    section: "repositories",
    body: html`<p class="crumb"><a href="/repositories">Repositories</a></p>
<div class="head"><h1>${name}</h1>${visibility === null ? "" : badge(visibility)}</div>
${figures([
  { name: "Memories", value: memory === null ? "–" : whole(memory.counts.total) },
  { name: "Reviews", value: whole(reviews) },
  {
    name: "Findings taken up",
    value: percent(share),
    note: decided === 0 ? "nothing was decided yet" : `of ${whole(decided)} decided`,
  },
])}
<p class="links"><a href="${memoriesPath(key)}">Browse and search its memory</a> <a href="/reviews?${new URLSearchParams({ repo: key }).toString()}">Its reviews</a></p>
<div class="columns">${languages(view)}${outcomesCard(findings, html`<p><a href="${memoriesPath(key, { corpus: "finding", outcome: "declined" })}">What was declined</a></p>`)}${progressOf(view)}${memoryFile(view)}</div>`,
  };
}

/** Only of a repository that memory knows: another one has no name and visibility yet. */
function memoryFile({ key, memory, formToken }: RepositoryView): Content {
  if (memory === null) return "";
  const path = repositoryPath(key);
  return html`<section class="card"><h2>Memory as a file</h2><p><a href="${path}${EXPORT}" download>Export: one JSON text a line</a></p>
<form class="action" method="post" action="${path}${IMPORT}" enctype="multipart/form-data"><p class="note">Import an export of this or another repository, of up to 2 MiB; <code>kodiai memory import</code> takes any size.</p><label class="wide">File<input type="file" name="file" accept=".jsonl" required></label><input type="hidden" name="form" value="${formToken}"><button>Import it</button></form></section>`;
}

export function importedPage(key: RepoKey, { lines, remembered, problems, wrongLines, degraded }: Imported): Page {
  const { added, updated, unchanged, repeated, refused } = remembered;
  const wrong = problems.map(({ line, reason }) => `line ${line}: ${reason}`);
  return {
    title: "Import",
    section: "repositories",
    body: html`<p class="crumb"><a href="/repositories">Repositories</a> / <a href="${repositoryPath(key)}">back to it</a></p><h1>Import of memory</h1><section class="card">${facts(
      {
        lines: whole(lines),
        remembered: `${whole(added)} added, ${whole(updated)} updated, ${whole(unchanged)} unchanged, ${whole(repeated)} repeated`,
        wrong: whole(wrongLines),
        refused: whole(refused.length),
        "with less": degraded.map(({ part, reason }) => `${part}: ${reason}`).join("; "),
      },
    )}${listOf("Wrong lines", wrong, true)}${listOf(
      "Refused",
      refused.map(({ id, reason }) => `${id}: ${reason}`),
      true,
    )}</section>`,
  };
}

function languages({ key, memory }: RepositoryView): Html {
  const { counts, fields = null } = memory ?? {};
  const list = [...(counts?.byLanguage ?? [])].sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1));
  const shown = list.slice(0, 12);
  const corpora = [...(counts?.byCorpus ?? [])].map(([corpus, count]) => {
    return [corpus.replaceAll("_", " "), html`<a href="${memoriesPath(key, { corpus })}">${whole(count)}</a>`] as const;
  });
  const more = list.length - shown.length;
  return html`<section class="card"><h2>Memory by language</h2>${
    list.length === 0
      ? empty(
          "Nothing is remembered yet.",
          html`<code>kodiai import</code> brings in what reviewers said, <code>kodiai index</code> documents.`,
        )
      : html`${bars(
          "Memories by language",
          shown.map(([language, count]) => ({ name: language, value: count, shown: whole(count), tone: 1 })),
        )}
${more > 0 ? html`<p class="note">and ${more} languages more</p>` : ""}
${facts(Object.fromEntries(corpora))}
${fields === null ? "" : html`<p class="note">${whole(fields.described)} have a lesson that a model wrote; ${whole(fields.waiting)} were not described yet.</p>`}`
  }</section>`;
}

function progressOf({ progress }: RepositoryView): Html {
  if (progress === null)
    return html`<section class="card"><h2>Import of past reviews</h2>${empty(
      "Nothing was imported.",
      html`It begins when the App is installed, or by <code>kodiai import OWNER/NAME</code>.`,
    )}</section>`;
  const { startedAt, finishedAt, tally, read } = progress;
  const counted = (list: readonly (readonly [string, number])[]) =>
    list.map(([name, count]) => `${name} (${whole(count)})`).join(", ");
  return html`<section class="card"><h2>Import of past reviews</h2><p>${finishedAt === null ? badge("running", "warn") : badge("done", "good")}</p>${facts(
    {
      Began: moment(startedAt),
      Ended: finishedAt === null ? "it goes on by itself" : moment(finishedAt),
      "Pull requests": whole(read),
      Comments: whole(tally.comments),
      Remembered: `${whole(tally.added)} added, ${whole(tally.updated)} updated, ${whole(tally.unchanged)} unchanged`,
      "By language": counted(tally.byLanguage),
      "By outcome": counted(tally.byOutcome),
      "Left out": counted(tally.leftOut),
      "Not imported": counted(tally.degraded),
    },
  )}</section>`;
}
