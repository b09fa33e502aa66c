// GitHub's pages for logging in with an App: the person who sits at the browser confirms at once,
// or declines; a code is good once, for its redirect_uri and its PKCE verifier. Source:
// docs.github.com, "Generating a user access token for a GitHub App".
import { createHash, randomUUID } from "node:crypto";
import { Hono } from "hono";
import type { Access } from "./access.ts";
import type { Hub } from "./hub.ts";

/** The OAuth half of the App, and who sits at the browser. */
export interface LoginDesk {
  readonly clientId: string;
  readonly clientSecret: string;
  /** As they stand in the App's settings. */
  callbackUrls: readonly string[];
  /** Login of whoever is logged in at GitHub; null: they press "Cancel". */
  signedIn: string | null;
}

interface Code {
  readonly login: string;
  readonly redirectUri: string;
  readonly challenge: string | null;
}

export const LOGIN_PATHS = "/login/oauth/";

export function loginRoutes(hub: Hub, door: Pick<Access, "welcome">, desk: LoginDesk): Hono {
  const codes = new Map<string, Code>();
  const routes = new Hono();
  routes.get("/login/oauth/authorize", (c) => {
    const { client_id: client, redirect_uri: to = "", state = "", code_challenge: challenge = null } = c.req.query();
    if (client !== desk.clientId) return c.text("Not Found", 404);
    if (!desk.callbackUrls.includes(to))
      return c.text("Be careful! The redirect_uri is not associated with this application.", 400);
    const back = new URL(to);
    back.searchParams.set("state", state);
    if (desk.signedIn === null) back.searchParams.set("error", "access_denied");
    else {
      const code = randomUUID().replaceAll("-", "").slice(0, 20);
      codes.set(code, { login: desk.signedIn, redirectUri: to, challenge });
      back.searchParams.set("code", code);
    }
    return c.redirect(back.href, 302);
  });
  routes.post("/login/oauth/access_token", async (c) => {
    const sent = (await c.req.json()) as Readonly<Record<string, string | undefined>>;
    // GitHub says with 200 that it refuses.
    const refuse = (error: string) => c.json({ error, error_description: `It is ${error}.` });
    if (sent.client_id !== desk.clientId || sent.client_secret !== desk.clientSecret)
      return refuse("incorrect_client_credentials");
    const code = codes.get(sent.code ?? "");
    codes.delete(sent.code ?? "");
    if (code === undefined || !isOf(code.challenge, sent.code_verifier)) return refuse("bad_verification_code");
    if (sent.redirect_uri !== code.redirectUri) return refuse("redirect_uri_mismatch");
    const token = `ghu_${randomUUID().replaceAll("-", "")}`;
    const person = hub.people.get(code.login.toLowerCase());
    if (person === undefined) return refuse("bad_verification_code");
    door.welcome(token, person);
    return c.json({ access_token: token, expires_in: 28_800, token_type: "bearer", scope: "" });
  });
  return routes;
}

function isOf(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null) return true;
  return (
    createHash("sha256")
      .update(verifier ?? "")
      .digest("base64url") === challenge
  );
}
