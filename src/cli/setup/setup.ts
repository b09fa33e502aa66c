// kodiai setup: from nothing to a running App. Every step looks first, so it can be run again.

import { existsSync, readFileSync } from "node:fs";
import {
  type AppDescription,
  appManifest,
  missingRights,
  withCodeScanning,
  withoutChecks,
} from "../../config/environment/app-manifest.ts";
import { LOGIN_CALLBACK } from "../../config/environment/github-address.ts";
import { UsageError } from "../../config/usage-error.ts";
import { loadDotEnv } from "../../environment/dot-env.ts";
import type { AppCredentials, FreshApp, RegisteredApp } from "../../ports/registration.ts";
import { startSetupServer } from "../../server/setup-server.ts";
import { changeWebhook, createdApp, readAppYml, signedInApp } from "../../wire/cli/setup.ts";
import { type Asker, askerFor, Cancelled } from "../asker.ts";
import { terminalText } from "../terminal-text.ts";
import { type ExitCode, verb } from "../usage.ts";
import { doctor } from "./doctor.ts";
import {
  keepPrivateKey,
  keepVariables,
  namedApp,
  type SetupPlan,
  type SetupWords,
  setupPlan,
  variablesIn,
  webhookProblem,
} from "./setup-plan.ts";

/** @returns the exit code of `doctor`, or 3 if the App lacks permissions @throws UsageError */
export const setup = verb("setup", 0, async (values) => {
  const given = await readAppYml();
  const checked = values["without-checks"] === true ? withoutChecks(given) : given;
  const description = values["code-scanning"] === true ? withCodeScanning(checked) : checked;
  const plan = setupPlan(values);
  // The operator names the host, so it may be in a private network; the server keeps the variable.
  if (values["private-network"] === true) process.env.KODIAI_ALLOW_PRIVATE_HOSTS = plan.host;
  const asker = askerFor(values.yes === true);
  try {
    const credentials = await credentialsFor(values, plan, description, asker);
    const app = await signedInApp(credentials, plan.apiUrl);
    say("App", `${app.slug}, number ${credentials.appId}`);
    const hasRights = reportPermissions(app, plan, description);
    await settleWebhook(app, credentials, plan, asker);
    reportInstallations(app, plan);
    reportDashboard(plan, app);
    return endWithDoctor(plan, hasRights);
  } catch (error) {
    if (error instanceof Cancelled) return 3;
    throw error;
  }
});

/** The App from the options, from an earlier run, or a new one; stored for the server. */
async function credentialsFor(
  words: SetupWords,
  plan: SetupPlan,
  description: AppDescription,
  asker: Asker,
): Promise<AppCredentials> {
  const named = namedApp(words, plan.known);
  if (named !== null) {
    await keep(plan, named, words);
    if (named.isNewSecret) await changeWebhook(named, { secret: named.webhookSecret }, plan.apiUrl);
    return named;
  }
  const before = words.new === true ? null : earlierApp(plan);
  if (before !== null) return before;
  const fresh = await newApp(plan, description, asker);
  await keep(plan, fresh, words);
  return fresh;
}

function earlierApp({ known, envFile }: SetupPlan): AppCredentials | null {
  const [id, path] = [known.get("APP_ID"), known.get("PRIVATE_KEY_PATH")];
  const pem =
    known.get("PRIVATE_KEY")?.replaceAll("\\n", "\n") ??
    (path !== undefined && existsSync(path) ? readFileSync(path, "utf8") : null);
  if (id === undefined || pem === null || !known.has("WEBHOOK_SECRET")) return null;
  say("credentials", `found in ${envFile}; --new creates another App`);
  return { appId: Number(id), privateKey: pem };
}

/** The manifest flow: a page on loopback, GitHub's page, and back. */
async function newApp(plan: SetupPlan, description: AppDescription, asker: Asker) {
  const question = `Where will GitHub reach this server? (https://YOUR-HOST${plan.webhookPath})`;
  const problem = (address: string) => webhookProblem(address, plan.webhookPath);
  const webhookUrl = plan.webhookUrl ?? (await asker.text(question, "--webhook-url", problem));
  const settings = plan.org === null ? "/settings/apps/new" : `/organizations/${plan.org}/settings/apps/new`;
  const callbackUrl = plan.dashboardUrl + LOGIN_CALLBACK;
  const wish = { name: plan.name, webhookUrl, callbackUrl, homepage: new URL("/", webhookUrl).href };
  const page = await startSetupServer({
    port: plan.port,
    registerUrl: `https://${plan.host}${settings}`,
    manifest: (redirectUrl) => JSON.stringify(appManifest(description, { ...wish, redirectUrl })),
    timeoutMs: plan.timeoutMs,
  });
  try {
    console.log(
      `Open this page in a browser on this machine where you are signed in to ${plan.host}; from elsewhere through \`ssh -L\`.\nA name can be taken once on all of GitHub: where ${JSON.stringify(plan.name)} is taken, type another there.\n\n  ${page.url}\n`,
    );
    const fresh = await createdApp(await page.code, plan.apiUrl);
    if (fresh.webhookSecret === null)
      throw new Error("GitHub created the App without a webhook secret; run it again with --webhook-url");
    return { ...fresh, webhookSecret: fresh.webhookSecret };
  } finally {
    page.close();
  }
}

/** Stores the App for the server. Secrets are written and never shown. */
async function keep(
  plan: SetupPlan,
  app: AppCredentials & Partial<FreshApp> & { readonly webhookSecret: string },
  words: SetupWords,
): Promise<void> {
  const { env } = process;
  const keyPath = await keepPrivateKey(plan.dataDir, app.privateKey);
  const variables = {
    APP_ID: String(app.appId),
    PRIVATE_KEY_PATH: keyPath,
    WEBHOOK_SECRET: app.webhookSecret,
    KODIAI_DATA_DIR: plan.dataDir,
    GITHUB_CLIENT_ID: app.clientId,
    GITHUB_CLIENT_SECRET: app.clientSecret,
    KODIAI_DASHBOARD_URL: words["dashboard-url"] && plan.dashboardUrl,
    GHE_HOST: plan.host === "github.com" ? undefined : plan.host,
    KODIAI_GITHUB_API_URL: env.KODIAI_GITHUB_API_URL,
    KODIAI_ALLOW_PRIVATE_HOSTS: words["private-network"] === true ? plan.host : undefined,
    HTTPS_PROXY: (env.HTTPS_PROXY ?? env.https_proxy) || undefined,
    NO_PROXY: (env.NO_PROXY ?? env.no_proxy) || undefined,
  };
  const set = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  await keepVariables(plan.envFile, new Map(set));
  say("saved", `the private key in ${keyPath}, the rest in ${plan.envFile}, readable by you alone`);
}

function appPage({ host, org }: SetupPlan, { slug }: RegisteredApp): string {
  return `https://${host}/${org === null ? "settings" : `organizations/${org}/settings`}/apps/${slug}`;
}

function reportPermissions(app: RegisteredApp, plan: SetupPlan, description: AppDescription): boolean {
  const missing = missingRights(description, app);
  if (missing.length === 0) {
    say("permissions", "permissions and events match app.yml");
    return true;
  }
  const page = `${appPage(plan, app)}/permissions`;
  say("permissions", `missing: ${missing.join(", ")}. Add them at ${page}, and accept them where the App is installed`);
  return false;
}

async function settleWebhook(
  app: RegisteredApp,
  credentials: AppCredentials,
  plan: SetupPlan,
  asker: Asker,
): Promise<void> {
  const { webhookUrl: wanted } = plan;
  if (wanted !== null && wanted !== app.webhookUrl) {
    const question = `GitHub delivers to ${app.webhookUrl ?? "nowhere"}. Set it to ${wanted}?`;
    if (await asker.confirm(question, true)) {
      await changeWebhook(credentials, { url: wanted }, plan.apiUrl);
      return say("webhook", `GitHub now delivers to ${wanted}`);
    }
  }
  const { webhookUrl, lastDelivery } = app;
  if (webhookUrl === null) return say("webhook", "no webhook URL is set; re-run with --webhook-url");
  const answered = lastDelivery && `(${lastDelivery.event}) was answered with ${lastDelivery.status || "nothing"}`;
  const last = answered === null ? "nothing was delivered yet" : `the newest delivery ${answered}`;
  return say("webhook", `GitHub delivers to ${webhookUrl}; ${last}`);
}

function reportInstallations({ installations, slug }: RegisteredApp, { host }: SetupPlan): void {
  const where = installations.map(({ account }) => account).join(", ");
  const page = `https://${host}/${host === "github.com" ? "apps" : "github-apps"}/${slug}/installations/new`;
  say("installations", installations.length === 0 ? `nowhere yet: choose repositories at ${page}` : `on ${where}`);
}

function reportDashboard(plan: SetupPlan, app: RegisteredApp): void {
  const { envFile, dashboardUrl } = plan;
  const known = variablesIn(envFile);
  const set = (name: string) => (process.env[name] ?? known.get(name) ?? "") !== "";
  const ways = [
    ...(set("GITHUB_CLIENT_ID") ? ["log in with GitHub, for people who may write to a repository"] : []),
    ...(set("KODIAI_DASHBOARD_TOKEN") ? ["or by KODIAI_DASHBOARD_TOKEN, for you"] : []),
  ];
  const closed = "closed; docs/dashboard.md explains how to open it";
  say("dashboard", ways.length === 0 ? closed : `${dashboardUrl} once the server runs: ${ways.join(", ")}`);
  if (set("GITHUB_CLIENT_ID"))
    say("", `its callback URL at ${appPage(plan, app)} must be ${dashboardUrl}${LOGIN_CALLBACK}`);
}

async function endWithDoctor(plan: SetupPlan, hasRights: boolean): Promise<ExitCode> {
  console.log("");
  const split = loadDotEnv(plan.envFile);
  if (split.length > 0) throw new UsageError(split.join("; "));
  // The variables of the file are set already.
  const code = await doctor(["--data-dir", plan.dataDir], () => null);
  const next = "Start the server in the folder of this .env: `kodiai serve`, or the container with it as --env-file.";
  if (code === 0 && hasRights) console.log(`\n${next}`);
  return hasRights ? code : 3;
}

function say(what: string, text: string): void {
  console.log(terminalText(`${what.padEnd(13)} ${text}`));
}
