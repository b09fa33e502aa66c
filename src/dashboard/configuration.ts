// The configuration: what is set, with its origin, then what has its default. A repository's as its last review used it, and the
// process's own.

import { html } from "hono/html";
import { VALUE_KEYS } from "../config/config-keys.ts";
import type { ShownVariable } from "../config/environment/shown-variables.ts";
import { counted } from "../domain/text/counted.ts";
import { type Page, repositoryChooser } from "./frame.ts";
import { badge, type Content, empty, facts, type Html, moment, table } from "./parts.ts";
import type { ConfigurationView } from "./read-views.ts";

export function configurationPage(view: ConfigurationView): Page {
  const { choice, choices } = view;
  return {
    title: "Configuration",
    section: "configuration",
    body: html`<h1>Configuration</h1><section><h2>Of a repository</h2>${repositoryChooser("/configuration", choice)}${repository(view)}</section>
<section><h2>Of this process</h2>${facts(Object.fromEntries(choices))}${variables(view)}</section>`,
  };
}

function repository({ at, settings, problems }: ConfigurationView): Content {
  if (at === null || settings === null)
    return empty(
      "No review has used a configuration yet.",
      html`Each review reads <code>.kodiai.yml</code> from the base branch, and this page shows what the last one used.`,
    );
  const set = new Set(settings.map(({ key }) => key));
  const defaults = VALUE_KEYS.filter(({ path }) => !set.has(path));
  return html`<p class="note">${counted(settings.length, "key")} set by the owner's <code>.github</code> repository, by what <code>_extends</code> names, or by the base branch. The last review used them, ${moment(at)}.</p>
${problems.map((one) => html`<p class="status">${badge("problem", "warn")} ${one}</p>`)}
${setFirst(
  settings.map(({ key, value, origin }) => row(key, value, badge(origin, "good"))),
  `${counted(defaults.length, "key has its", "keys have their")} default`,
  defaults.map(({ path, default: value }) => row(path, JSON.stringify(value) ?? "–", "default")),
)}`;
}

function variables({ variables: list }: ConfigurationView): Content {
  if (list === null)
    return empty(
      "The process was started without environment variables.",
      "The demo and tests pass their settings themselves; a server shows its variables here.",
    );
  const isSet = ({ origin }: ShownVariable) => origin !== "default" && origin !== "not set";
  const rest = list.filter((one) => !isSet(one));
  return setFirst(
    list.filter(isSet).map(({ name, value, origin }) => row(name, value ?? "set, not shown", badge(origin, "good"))),
    `${counted(rest.length, "variable is", "variables are")} not set`,
    rest.map(({ name, value, origin }) => row(name, value ?? "–", origin)),
  );
}

function row(name: string, value: string, origin: Content): readonly Content[] {
  return [html`<code>${name}</code>`, html`<code class="clip">${value}</code>`, origin];
}

/** @param title of what is folded */
function setFirst(set: readonly (readonly Content[])[], title: string, rest: readonly (readonly Content[])[]): Html {
  const columns = ["Name", "Value", "Origin"];
  return html`${set.length === 0 ? "" : table("What is set", columns, set)}
<details><summary>${title}</summary>${table(title, columns, rest)}</details>`;
}
