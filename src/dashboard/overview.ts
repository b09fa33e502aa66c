// The first page: what needs attention, then what was reviewed, what became of it and what it cost.

import { html } from "hono/html";
import { counted } from "../domain/text/counted.ts";
import { acceptance, TAKEN_UP } from "./acceptance.ts";
import { memoriesPath, memoryPath, reviewPath } from "./addresses.ts";
import { bars, chart } from "./charts.ts";
import type { Health } from "./dashboard-ports.ts";
import { byDay, byWeek, lastDays } from "./days.ts";
import { type Page, repositoryChooser } from "./frame.ts";
import { badge, type Content, type Html, moment, outLink, ruleName, severityBadge } from "./inline.ts";
import { empty, figures, num, table } from "./parts.ts";
import type { Overview } from "./read-views.ts";
import { pullName } from "./reviews.ts";
import { dollars, duration, outcomeWord, percent, titleOf, whole } from "./values.ts";

/** The colours of how findings ended; of all others: 5. */
const OUTCOME_TONES: Readonly<Record<string, number>> = {
  accepted: 1,
  fixed: 2,
  declined: 3,
  reintroduced: 4,
};

export function overviewPage(view: Overview): Page {
  const { choice, days, jobs, health: state } = view;
  const query: Readonly<Record<string, string>> = choice.chosen === null ? {} : { repo: choice.chosen };
  return {
    title: "Overview",
    section: "overview",
    body: html`<div class="head"><h1>Overview</h1>${windowLinks("/", days, query)}</div>
${repositoryChooser("/", choice, { days: String(days) })}
${state === null ? "" : statusLine(state, jobs ?? [])}
${attention(view)}
${keyFigures(view)}
${view.reviews === 0 ? html`${empty("No review was written yet.", html`Install the App on a repository and open a pull request, or run <code>npm run demo -- --dashboard</code> to see this page with data.`)}` : charts(view)}`,
  };
}

export function windowLinks(path: string, days: number, query: Readonly<Record<string, string>> = {}): Html {
  return html`<nav class="window" aria-label="Window">${[7, 30, 90].map((length) => {
    const search = new URLSearchParams({ ...query, days: String(length) }).toString();
    return length === days
      ? html`<span aria-current="true">${length} days</span>`
      : html`<a href="${path}?${search}">${length} days</a>`;
  })}</nav>`;
}

function jobsIn(jobs: NonNullable<Overview["jobs"]>, wanted: string): number {
  return jobs.reduce((sum, { state, count }) => (state === wanted ? sum + count : sum), 0);
}

function statusLine({ ready, reasons, memoryProblem }: Health, jobs: NonNullable<Overview["jobs"]>): Content {
  const parked = jobsIn(jobs, "parked");
  const all: readonly Content[] = [
    ...reasons,
    ...(memoryProblem === null ? [] : [`memory is off: ${memoryProblem}`]),
    ...(parked === 0 ? [] : [html`<a href="/jobs?state=parked">${counted(parked, "job is", "jobs are")} parked</a>`]),
  ];
  if (ready && all.length === 0) return "";
  return html`<div class="status"><p>${ready ? badge("ready, with less", "warn") : badge("not ready", "bad")}</p><ul>${all.map((content) => html`<li>${content}</li>`)}</ul></div>`;
}

function attention({ attention: { unanswered, heldBack }, choice: { chosen } }: Overview): Content {
  const cards = [
    card(
      `Findings without an answer (${whole(unanswered.total)})`,
      unanswered.newest.map(
        (record) =>
          html`${record.severity === null ? "" : severityBadge(record.severity)} <a href="${memoryPath(record.repo, record.id)}">${titleOf(record).title}</a> <span class="note">${outLink(record.provenance.url, `${record.repoName}#${record.provenance.pull ?? ""}`)}, ${moment(record.provenance.at)}</span>`,
      ),
      unanswered.total <= unanswered.newest.length
        ? ""
        : html`<p><a href="${memoriesPath(chosen ?? "", { corpus: "finding", outcome: "posted" })}">All of them</a></p>`,
    ),
    card(
      "Held back last",
      heldBack.map(
        ({ of: { key, review, writtenAt }, held: { finding, reason } }) =>
          html`<a href="${reviewPath(key, review.headSha)}">${finding.title}</a> <span class="note">${reason}; ${pullName(review)}, ${moment(writtenAt)}</span>`,
      ),
    ),
  ];
  const shown = cards.filter((card) => card !== "");
  return shown.length === 0 ? "" : html`<section aria-label="Needs attention" class="thirds">${shown}</section>`;
}

function card(title: string, items: readonly Content[], more: Content = ""): Content {
  if (items.length === 0) return "";
  return html`<section class="card"><h2>${title}</h2><ul class="lines">${items.map((item) => html`<li>${item}</li>`)}</ul>${more}</section>`;
}

/** The figures of the window, each beside that of the period of the same length before it. */
function keyFigures({
  reviewDays,
  decidedDays,
  reviewTimes,
  days,
  since,
  before,
  findings,
  spending,
  ...view
}: Overview): Html {
  const { jobs, reviews, model } = view;
  const countOf = (list: readonly { readonly count: number }[]) => list.reduce((sum, { count }) => sum + count, 0);
  const isNow = ({ day }: { readonly day: number }) => day >= since;
  const isBefore = ({ day }: { readonly day: number }) => day >= before && day < since;
  const decisions = (isIn: typeof isNow) =>
    acceptance(decidedDays.filter(isIn).map(({ name, count }) => ({ outcome: name, count })));
  const [now, then] = [decisions(isNow), decisions(isBefore)];
  const usd = spending.reduce((sum, day) => sum + day.usd, 0);
  const times = reviewTimes.toSorted((a, b) => a - b);
  const half = times[Math.floor(times.length / 2)];
  const was = `in the ${days} days before`;
  const of = (state: string) => whole(jobsIn(jobs ?? [], state));
  return figures([
    {
      name: "Reviews",
      value: whole(countOf(reviewDays.filter(isNow))),
      note: `in ${days} days; ${whole(countOf(reviewDays.filter(isBefore)))} ${was}, ${whole(reviews)} in all`,
    },
    { name: "Findings", value: findings === null ? "–" : whole(countOf(findings)), note: "remembered in all" },
    {
      name: "Taken up",
      value: percent(now.share),
      note:
        now.decided === 0 ? "nothing was decided" : `of ${whole(now.decided)} decided; ${percent(then.share)} ${was}`,
    },
    { name: "Fixed", value: whole(now.fixed), note: `findings whose code was fixed; ${whole(then.fixed)} ${was}` },
    {
      name: "Time to review",
      value: half === undefined ? "–" : duration(half),
      note: half === undefined ? "nothing was posted" : `half of ${whole(times.length)} took that or less`,
    },
    { name: "Models", value: dollars(usd), note: model === null ? "none is configured" : `in ${days} days` },
    ...(jobs === null
      ? []
      : [{ name: "Jobs waiting", value: of("waiting"), note: `${of("running")} run, ${of("parked")} parked` }]),
  ]);
}

function charts(view: Overview): Html {
  const { now, days, reviewDays, decidedDays } = view;
  const times = lastDays(now, days);
  const others = [...new Set(reviewDays.map(({ name }) => name))].filter((name) => name !== "posted");
  return html`<div class="grid">
${chart({
  title: "Reviews a day",
  kind: "stack",
  unit: "count",
  times,
  says: `Reviews written on each of the last ${days} days, posted and not posted.`,
  series: [
    { name: "posted", tone: 1, values: byDay(times, reviewDays, ["posted"]) },
    { name: "not posted", tone: 5, values: byDay(times, reviewDays, others) },
  ],
})}
${outcomesCard(view.findings ?? [])}
${chart({
  title: "Decided findings a day",
  kind: "stack",
  unit: "count",
  times,
  says: `Findings that were accepted, fixed or declined on each of the last ${days} days.`,
  series: [
    { name: "accepted", tone: 1, values: byDay(times, decidedDays, ["accepted"]) },
    { name: "fixed", tone: 2, values: byDay(times, decidedDays, ["fixed", "reintroduced"]) },
    { name: "declined", tone: 3, values: byDay(times, decidedDays, ["declined"]) },
  ],
})}
${accepted(view)}
${decidedBy(
  "Acceptance by rule",
  view.rules.map(({ rule, ...decided }) => ({ name: ruleName(rule), ...decided })),
)}
${decidedBy(
  "Acceptance by author",
  view.authors.map(({ author, ...decided }) => ({ name: author, ...decided })),
)}
${cost(view, times)}
</div>`;
}

/** What people and commits took up of what they decided, week by week, with how many that were. */
function accepted({ weeks, decidedDays }: Overview): Html {
  const up = byWeek(weeks, decidedDays, TAKEN_UP);
  const all = byWeek(weeks, decidedDays, [...TAKEN_UP, "declined"]);
  const total = all.reduce((sum, count) => sum + count, 0);
  if (total === 0)
    return html`<section class="card"><h2>Acceptance by week</h2>${empty(
      `Nothing was decided in the last ${weeks.length} weeks.`,
      "It is decided when a person with write access accepts or declines a finding, or fixes the code it is about.",
    )}</section>`;
  return chart({
    title: "Acceptance by week",
    kind: "line",
    unit: "share",
    times: weeks,
    says: `Share of the findings decided in each of the last ${weeks.length} weeks that were accepted or fixed; ${total} were decided in all.`,
    series: [{ name: "accepted or fixed", tone: 1, values: all.map((n, at) => (n === 0 ? null : (up[at] ?? 0) / n)) }],
    beside: [
      { name: "taken up", values: up },
      { name: "decided (n)", values: all },
    ],
    shown: percent,
  });
}

/** How many decided findings were taken up, by rule or by the author of the pull request. */
function decidedBy(
  title: "Acceptance by rule" | "Acceptance by author",
  list: readonly (Omit<Overview["authors"][number], "author"> & { readonly name: Content })[],
): Content {
  if (list.length === 0) return "";
  return html`<section class="card"><h2>${title}</h2>${table(
    title,
    [title === "Acceptance by rule" ? "Rule" : "Author", num("Taken up"), num("Declined"), num("Said")],
    list.map(({ name, taken, declined, all }): Content[] => [
      name,
      `${whole(taken)} (${percent(taken / (taken + declined))})`,
      whole(declined),
      whole(all),
    ]),
  )}</section>`;
}

export function outcomesCard(list: NonNullable<Overview["findings"]>, more: Content = ""): Html {
  const shown = list.map(({ outcome, count: value }) => {
    return { name: outcomeWord(outcome), value, shown: whole(value), tone: OUTCOME_TONES[outcome] ?? 5 };
  });
  return html`<section class="card"><h2>Findings by outcome</h2>${
    list.length === 0
      ? empty("No finding is remembered.", "It comes with the first review that says something.")
      : html`${bars("Findings by outcome", shown)}${more}`
  }</section>`;
}

function cost({ spending, days }: Overview, times: readonly number[]): Content {
  if (spending.length === 0) return "";
  const tokens = spending.reduce((sum, day) => sum + day.inputTokens + day.outputTokens, 0);
  const days24 = spending.map(({ day, usd }) => ({ day, name: "usd", count: usd }));
  return chart({
    title: `Cost of models, ${whole(tokens)} tokens`,
    kind: "stack",
    unit: "usd",
    times,
    says: `US dollars that questions to models cost on each of the last ${days} days.`,
    series: [{ name: "US$", tone: 4, values: byDay(times, days24, ["usd"]) }],
    shown: dollars,
  });
}
