// The configuration as it was resolved, each value with its origin: the process's own, and a repository's as its last review had it.
import { html } from "hono/html";
import { CONFIG_KEYS } from "../config/config-keys.ts";
import type { ShownVariable } from "../config/shown-variables.ts";
import type { RepoKey } from "../domain/memory.ts";
import type { Setting } from "../domain/review.ts";
import type { Page } from "./frame.ts";
import { badge, type Content, empty, facts, type Html, moment, table } from "./parts.ts";

export interface ConfigurationView {
  /** What the process was started with; null where it was not started by its environment. */
  readonly variables: readonly ShownVariable[] | null;
  /** What follows from them, in words. */
  readonly choices: readonly (readonly [string, string])[];
  readonly repositories: readonly { readonly key: RepoKey; readonly name: string }[];
  /** Of one repository, as its last review was told; null where none is chosen, or none was reviewed. */
  readonly chosen: {
    readonly key: RepoKey;
    readonly name: string;
    readonly at: number | null;
    readonly settings: readonly Setting[] | null;
    readonly problems: readonly string[];
  } | null;
}

export function configurationPage(view: ConfigurationView): Page {
  return {
    title: "Configuration",
    section: "configuration",
    body: html`<h1>Configuration</h1><section><h2>Of a repository</h2>${chooser(view)}${repository(view)}</section>
<section><h2>Of this process</h2>${facts(view.choices)}${variables(view)}</section>`,
  };
}

function chooser({ repositories, chosen }: ConfigurationView): Html {
  if (repositories.length === 0)
    return empty(
      "No repository was reviewed yet.",
      html`The first review of one shows here what its <code>.kodiai.yml</code> said.`,
    );
  return html`<form class="search" method="get" action="/configuration"><label>Repository<select name="repo">${repositories.map(
    ({ key, name }) =>
      key === chosen?.key
        ? html`<option value="${key}" selected>${name}</option>`
        : html`<option value="${key}">${name}</option>`,
  )}</select></label><button>Show</button></form>`;
}

function repository({ chosen }: ConfigurationView): Content {
  if (chosen === null) return "";
  const { at, settings, problems, name } = chosen;
  if (at === null || settings === null)
    return empty(
      `Nothing is known of the configuration of ${name}.`,
      "It is read from the base branch with each review, and shown here after the next one.",
    );
  const set = new Set(settings.map(({ key }) => key));
  const keys = CONFIG_KEYS.filter(({ path }) => path !== "_extends" && !path.includes("[]"));
  const own = settings.map(({ key, value, origin }): Content[] => [
    html`<code>${key}</code>`,
    html`<code class="clip">${value}</code>`,
    badge(origin, "good"),
  ]);
  const rest = keys.flatMap(({ path, default: fallback }): Content[][] =>
    set.has(path)
      ? []
      : [[html`<code>${path}</code>`, html`<code class="clip">${JSON.stringify(fallback) ?? "–"}</code>`, "default"]],
  );
  return html`<p class="note">As used by the review of ${moment(at)}: built-in defaults, the owner's <code>.github</code> repository, what <code>_extends</code> names, the base branch; ${settings.length} values are set.</p>
${problems.map((one) => html`<p class="status">${badge("problem", "warn")} ${one}</p>`)}
${table(`Configuration of ${name}`, [{ name: "Key" }, { name: "Value" }, { name: "Origin" }], [...own, ...rest])}`;
}

function variables({ variables: list }: ConfigurationView): Html {
  if (list === null)
    return empty(
      "It was not started by its environment.",
      "The demo and tests say what they want themselves; a server shows its variables here.",
    );
  return table(
    "Environment variables",
    [{ name: "Variable" }, { name: "Value" }, { name: "Origin" }],
    list.map(({ name, value, origin }): Content[] => [
      html`<code>${name}</code>`,
      value === null
        ? html`<span class="note">${origin === "not set" ? "–" : "set, not shown"}</span>`
        : html`<code class="clip">${value}</code>`,
      origin === "default" || origin === "not set" ? origin : badge(origin, "good"),
    ]),
  );
}
