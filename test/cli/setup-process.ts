// `kodiai setup` while it waits for a person, and the person's browser.
import type { Json } from "../fakes/github/conversation.ts";
import { type Ended, verb } from "./kodiai.ts";

/** Starts it, and resolves once it shows the page to open. */
export async function startSetup(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly url: string; readonly ended: Promise<Ended> }> {
  const shown = Promise.withResolvers<string>();
  const onOutput = (out: string) => {
    const url = /http:\/\/127\.0\.0\.1:\d+\/start\?token=\S+/.exec(out)?.[0];
    if (url !== undefined) shown.resolve(url);
  };
  const ended = verb(["setup", ...words], { cwd, env, onOutput });
  void ended.then(({ out, err }) => shown.reject(new Error(`it ended without a page: ${out}${err}`)));
  return { url: await shown.promise, ended };
}

/** Opens the page and reads its form; `send` is GitHub sending the browser back. */
export async function browse(url: string): Promise<{
  readonly action: string;
  readonly manifest: Json;
  readonly policy: string;
  /** What the page says, in order. */
  readonly html: string;
  send(code: string, state?: string): Promise<Response>;
}> {
  const page = await fetch(url);
  const html = await page.text();
  const value = (pattern: RegExp) => unescaped(pattern.exec(html)?.[1] ?? "");
  const action = value(/<form action="([^"]+)"/);
  const manifest = JSON.parse(value(/name="manifest" value="([^"]+)"/)) as Json;
  const ownState = new URL(action).searchParams.get("state") ?? "";
  return {
    action,
    manifest,
    html,
    policy: page.headers.get("content-security-policy") ?? "",
    send: (code, state = ownState) => fetch(`${manifest.redirect_url}?${new URLSearchParams({ code, state })}`),
  };
}

function unescaped(text: string): string {
  const chars = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => chars[entity as keyof typeof chars]);
}
