// The dashboard on the admin server.
import { dashboard } from "../dashboard/dashboard.ts";
import { type DashboardServer, dashboardPorts, githubLogin, webUrlOf } from "../wire/dashboard.ts";
import type { Reading } from "../wire/job-ports.ts";
import type { Store } from "../wire/store.ts";
import type { AppOptions } from "./app-options.ts";

/** The dashboard over the store and the server's settings. */
export function dashboardOf(
  options: AppOptions,
  store: Store,
  reading: Reading,
  { readiness, wake }: Pick<DashboardServer, "readiness" | "wake">,
) {
  const { dashboardToken = null, dashboardLogin = null, githubHost, apiUrl } = options;
  const access = {
    token: dashboardToken,
    clientSecret: dashboardLogin?.clientSecret ?? null,
    github: dashboardLogin === null ? null : githubLogin(dashboardLogin, { host: githubHost, apiUrl }),
  };
  const { variables = null, model, reranker, embeddings, dryRun, log } = options;
  const server: DashboardServer = {
    readiness,
    github: { host: githubHost, webUrl: webUrlOf(apiUrl) },
    variables,
    model: model?.names.main ?? null,
    choices: [
      ["Model", model?.names.main ?? "none: rules and memory review alone"],
      ["Embedder", embeddings.kind === "local" ? "local: nothing leaves the machine" : embeddings.kind],
      ["Reranker", reranker.kind],
      ["Dry run", dryRun ? "yes: reviews are written and not posted" : "no"],
    ],
    wake,
    onError: (error) => log.warn({ err: error }, "a dashboard page failed"),
  };
  return dashboard(access, dashboardPorts(store, reading, server));
}
