// A repository's configuration as its last review used it: what is set, with its origin, then what has its default.

import { html } from "hono/html";
import { VALUE_KEYS } from "../config/config-keys.ts";
import { counted } from "../domain/text/counted.ts";
import { type Page, repositoryChooser } from "./frame.ts";
import { badge, type Content, empty, moment, table } from "./parts.ts";
import type { ConfigurationView } from "./read-views.ts";

export function configurationPage(view: ConfigurationView): Page {
  return {
    title: "Configuration",
    section: "configuration",
    body: html`<h1>Configuration</h1>${repositoryChooser("/configuration", view.choice)}${repository(view)}`,
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
  const rest = `${counted(defaults.length, "key has its", "keys have their")} default`;
  return html`<p class="note">${counted(settings.length, "key")} set by the owner's <code>.github</code> repository, by what <code>_extends</code> names, or by the base branch. The last review used them, ${moment(at)}.</p>
${problems.map((one) => html`<p class="status">${badge("problem", "warn")} ${one}</p>`)}
${
  settings.length === 0
    ? ""
    : table(
        "What is set",
        COLUMNS,
        settings.map(({ key, value, origin }) => row(key, value, badge(origin, "good"))),
      )
}
<details><summary>${rest}</summary>${table(
    rest,
    COLUMNS,
    defaults.map(({ path, default: value }) => row(path, JSON.stringify(value) ?? "–", "default")),
  )}</details>`;
}

const COLUMNS = ["Name", "Value", "Origin"];

function row(name: string, value: string, origin: Content): readonly Content[] {
  return [html`<code>${name}</code>`, html`<code class="clip">${value}</code>`, origin];
}
