// The queue: what waits, runs and was parked with its reason. What was parked may be tried again.

import { html } from "hono/html";
import { repoKey } from "../domain/memory.ts";
import { counted } from "../domain/text/counted.ts";
import { repositoryPath } from "./addresses.ts";
import { action, type Page } from "./frame.ts";
import { badge, type Content, type Html, linked, moment } from "./inline.ts";
import { empty, num, table, wide } from "./parts.ts";
import type { JobsView } from "./read-views.ts";
import { duration, whole } from "./values.ts";

type ShownJob = JobsView["jobs"][number];

export const JOB_STATES = ["waiting", "running", "parked", "done", "superseded", "cancelled"] as const;

export function jobsPage(view: JobsView): Page {
  const { state, jobs, most } = view;
  const failed = jobs.filter((job) => job.state === "parked");
  const others = jobs.filter((job) => job.state !== "parked");
  return {
    title: "Jobs",
    section: "jobs",
    body: html`<h1>Jobs</h1>${states(view)}
${failed.length === 0 ? "" : html`<h2>Parked</h2><p class="note">They failed for good, or too often. Fix the reason, then retry them: what is posted already is not posted twice.</p>${failed.map((job) => parked(job, view.formToken))}`}
${
  others.length === 0
    ? failed.length > 0
      ? ""
      : empty(
          state === "" ? "Nothing waits, runs or is parked." : `No job is ${state}.`,
          html`Finished jobs are under <a href="/jobs?state=done">done</a>.`,
        )
    : html`${failed.length > 0 ? html`<h2>Others</h2>` : ""}${table(
        "Jobs, newest first",
        ["State", "What", "When", num("Id"), num("Try"), wide("How it ended, or why it waits")],
        others.map((job): Content[] => [
          stateBadge(job.state),
          what(job),
          job.dueInMs === null ? moment(job.at) : `in ${duration(job.dueInMs)}`,
          job.id,
          job.attempt,
          linked(job.outcome ?? ""),
        ]),
        "lines",
      )}`
}${jobs.length >= most ? html`<p class="note">The newest ${whole(most)} are shown; <code>kodiai jobs ls</code> has more.</p>` : ""}`,
  };
}

function states({ state, counts }: JobsView): Html {
  const link = (value: string, text: string) =>
    value === state
      ? html`<span aria-current="true">${text}</span>`
      : html`<a href="/jobs${value === "" ? "" : `?state=${value}`}">${text}</a>`;
  const of = (name: string) =>
    counts === null
      ? ""
      : ` ${whole(counts.filter((count) => count.state === name).reduce((sum, { count }) => sum + count, 0))}`;
  return html`<nav class="window" aria-label="States">${link("", "open")}${JOB_STATES.map((name) => link(name, `${name}${of(name)}`))}</nav>`;
}

function stateBadge(state: string): Html {
  return badge(state, state === "parked" ? "bad" : state === "running" ? "good" : "plain");
}

function what({ kind, repo, number }: ShownJob): Html {
  const name = repo.name === "" ? `${repo.host}/${repo.id}` : `${repo.owner}/${repo.name}`;
  return html`${kind} <a href="${repositoryPath(repoKey(repo))}">${name}</a>${number === null ? "" : `#${number}`}`;
}

function parked(job: ShownJob, formToken: string): Html {
  const { id, at, attempt, deaths, outcome } = job;
  return html`<article class="card"><h3>${stateBadge("parked")} ${what(job)}</h3><p>${linked(outcome ?? "no reason was kept")}</p>
<p class="note">job ${id}, ${moment(at)}, tried ${counted(attempt, "time")}${deaths === 0 ? "" : `, ${counted(deaths, "process", "processes")} died over it`}</p>
${action(formToken, { path: `/jobs/${id}/retry`, says: "It runs at once, and as if for the first time.", button: "Try it again" })}</article>`;
}
