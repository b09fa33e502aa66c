// The repositories that were reviewed or are remembered: a line each.
import { html } from "hono/html";
import type { RepoKey } from "../domain/memory.ts";
import { repositoryPath } from "./addresses.ts";
import type { Page } from "./frame.ts";
import { badge, type Content, empty, moment, num, table, whole } from "./parts.ts";

export interface RepositoryLine {
  readonly key: RepoKey;
  /** OWNER/NAME, or the key where the name is not known. */
  readonly name: string;
  readonly visibility: string | null;
  /** Null where memory could not be asked. */
  readonly memories: number | null;
  readonly reviews: number;
  readonly posted: number;
  readonly lastAt: number | null;
}

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
