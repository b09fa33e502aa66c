// The login, by the operator's token or by GitHub. Without either the dashboard is closed.
import { html, raw } from "hono/html";
import type { Page } from "./frame.ts";

/** @param problem why they are here again; null at first @param next the page they wanted */
export function loginPage(
  ways: { readonly token: boolean; readonly github: boolean },
  problem: string | null,
  next: string,
): Page {
  const begin = next === "/" ? "/login/github" : `/login/github?${new URLSearchParams({ next }).toString()}`;
  return {
    title: "Log in",
    section: null,
    body: html`<section class="card narrow"><h1>Log in</h1>${problem === null ? "" : html`<p class="status" role="alert">${problem}</p>`}
${
  ways.github
    ? html`<p><a class="button" href="${begin}">Log in with GitHub</a></p><p class="note">You see the repositories that you may write to, and nothing of others. Kodiai asks GitHub who you are and where you may write; your token lies encrypted in your browser and nowhere else.</p>`
    : ""
}
${
  ways.token
    ? html`${ways.github ? html`<h2>As operator</h2>` : ""}<form method="post" action="/login"><input type="hidden" name="next" value="${next}"><label>Token<input type="password" name="token" required autocomplete="current-password" maxlength="1000"${ways.github ? "" : raw(" autofocus")}></label><button>Log in</button></form>
<p class="note">It is the value of <code>KODIAI_DASHBOARD_TOKEN</code> where Kodiai runs, and opens everything.</p>`
    : ""
}</section>`,
  };
}

export function closedPage(): Page {
  return {
    title: "Closed",
    section: null,
    body: html`<section class="card narrow"><h1>The dashboard is closed</h1><p>It shows code and conversations of your repositories, so it stays closed until you configure a login.</p><h2>For the operator</h2><ol><li>Make a token: <code>openssl rand -hex 32</code></li><li>Set it as <code>KODIAI_DASHBOARD_TOKEN</code>.</li><li>Start Kodiai again, and log in here.</li></ol><h2>For people who may write to a repository</h2><p>Set <code>GITHUB_CLIENT_ID</code> and <code>GITHUB_CLIENT_SECRET</code> of the App; <code>kodiai setup</code> does so.</p></section>`,
  };
}

/** @param what is not there, in a sentence */
export function problemPage(title: string, what: string): Page {
  return {
    title,
    section: null,
    body: html`<section class="card narrow"><h1>${title}</h1><p>${what}</p><p><a href="/">To the overview</a></p></section>`,
  };
}
