// app.yml describes the GitHub App: what is posted to GitHub, which permissions it needs, and why.
import { parse } from "yaml";
import { z } from "zod";

const AppYml = z.object({
  name: z.string(),
  description: z.string(),
  default_events: z.array(z.string()),
  default_permissions: z.record(z.string(), z.enum(["read", "write"])),
});

/** Permissions and events that only check runs need. */
const OF_CHECKS = { permissions: ["checks", "merge_queues"], events: ["check_run", "merge_group"] };

/** The App without check runs: GitHub shows no check suite of it, and sends no checks of others. */
export function withoutChecks({ events, permissions, ...rest }: AppDescription): AppDescription {
  return {
    ...rest,
    events: events.filter((event) => !OF_CHECKS.events.includes(event)),
    permissions: new Map([...permissions].filter(([name]) => !OF_CHECKS.permissions.includes(name))),
  };
}

/** The App with what `review.tools.codeScanning` needs: alerts, and the end of each scan. */
export function withCodeScanning({ events, permissions, ...rest }: AppDescription): AppDescription {
  return {
    ...rest,
    events: [...new Set([...events, "check_run"])],
    permissions: new Map([["checks", "read"], ...permissions, ["security_events", "read"]]),
  };
}

/** The App as app.yml describes it. Permissions are by name; write includes read. */
export type AppDescription = ReturnType<typeof appDescription>;

/** @param text app.yml @throws ZodError when it is none */
export function appDescription(text: string) {
  const read = AppYml.parse(parse(text));
  const { name, description, default_events: events, default_permissions: permissions } = read;
  return { name, description, events, permissions: new Map(Object.entries(permissions)) };
}

/**
 * The manifest for `/settings/apps/new`: docs.github.com, "Registering a GitHub App from a
 * manifest". `wish` has a name of at most 34 characters, which GitHub does not truncate, where
 * GitHub delivers, where it sends the browser afterwards, and where people come back from a login.
 */
export function appManifest(
  { description, events, permissions }: AppDescription,
  wish: Readonly<Record<"name" | "homepage" | "webhookUrl" | "redirectUrl" | "callbackUrl", string>>,
): object {
  const { name, webhookUrl, redirectUrl, callbackUrl, homepage } = wish;
  return {
    name,
    description,
    url: homepage,
    hook_attributes: { url: webhookUrl, active: true },
    redirect_url: redirectUrl,
    callback_urls: [callbackUrl],
    public: false,
    default_events: events,
    default_permissions: Object.fromEntries(permissions),
  };
}

/** What app.yml requests and the App lacks: `checks: write`, `event push`. */
export function missingRights(
  { events, permissions }: AppDescription,
  granted: { readonly events: readonly string[]; readonly permissions: Readonly<Record<string, string | undefined>> },
): readonly string[] {
  const given = new Map(Object.entries(granted.permissions));
  const enough = (has: string | undefined, level: string) => has === "admin" || has === "write" || has === level;
  return [
    ...[...permissions].flatMap(([name, level]) => (enough(given.get(name), level) ? [] : [`${name}: ${level}`])),
    ...events.flatMap((event) => (granted.events.includes(event) ? [] : [`event ${event}`])),
  ];
}
