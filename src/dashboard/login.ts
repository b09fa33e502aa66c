// The door: who shows the token may look. Without a token in the environment nobody may.
import { html } from "hono/html";
import type { Page } from "./frame.ts";

/** @param problem why they stand here again; null at first. @param next the page they wanted */
export function loginPage(problem: string | null, next: string): Page {
  return {
    title: "Log in",
    section: null,
    body: html`<section class="card narrow"><h1>Log in</h1>${problem === null ? "" : html`<p class="status" role="alert">${problem}</p>`}
<form method="post" action="/login"><input type="hidden" name="next" value="${next}"><label>Token<input type="password" name="token" required autocomplete="current-password" maxlength="1000" autofocus></label><button>Log in</button></form>
<p class="note">It is the value of <code>KODIAI_DASHBOARD_TOKEN</code> where Kodiai runs.</p></section>`,
  };
}

export function closedPage(): Page {
  return {
    title: "Closed",
    section: null,
    body: html`<section class="card narrow"><h1>The dashboard is closed</h1><p>It shows code and conversations of your repositories, so it opens with a token only.</p><ol><li>Make one: <code>openssl rand -hex 32</code></li><li>Set it as <code>KODIAI_DASHBOARD_TOKEN</code>.</li><li>Start Kodiai again, and log in here.</li></ol></section>`,
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
