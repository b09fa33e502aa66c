// The repositories that were reviewed or are remembered: a line each.
import { html } from "hono/html";
import { repositoryPath } from "./addresses.ts";
import type { Page } from "./frame.ts";
import { badge, type Content, empty, moment, num, table, whole } from "./parts.ts";
import type { RepositoryLine } from "./read-overview.ts";

export function repositoriesPage(lines: readonly RepositoryLine[]): Page {
  return {
    title: "Repositories",
    section: "repositories",
    body: html`<h1>Repositories</h1>${
      lines.length === 0
        ? empty(
            "No repository is known yet.",
            html`Install the App on one, or bring its past in: <code>kodiai import OWNER/NAME</code>.`,
          )
        : table(
            "Repositories that were reviewed or are remembered",
            ["Repository", "Who may read it", num("Memories"), num("Reviews"), num("Posted"), "Last review"],
            lines.map(({ key, name, visibility, memories, reviews, posted, lastAt }): Content[] => [
              html`<a href="${repositoryPath(key)}">${name}</a>`,
              visibility === null ? "" : badge(visibility),
              memories === null ? "–" : whole(memories),
              whole(reviews),
              whole(posted),
              lastAt === null ? "never" : moment(lastAt),
            ]),
          )
    }`,
  };
}
