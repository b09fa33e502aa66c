// The dashboard of a server, behind its admin port.
import { dashboard } from "../dashboard/dashboard.ts";
import { type DashboardServer, dashboardPorts, githubLogin, webUrlOf } from "../wire/dashboard.ts";
import type { Reading } from "../wire/job-ports.ts";
import type { Store } from "../wire/store.ts";
import type { AppOptions } from "./app-options.ts";

/** @returns answers requests: see dashboard */
export function dashboardOf(
  options: AppOptions,
  store: Store,
  reading: Reading,
  { readiness, wake }: Pick<DashboardServer, "readiness" | "wake">,
) {
  const { dashboardToken = null, dashboardLogin = null, githubHost, apiUrl } = options;
  const doors = {
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
    onError: (error) => log.warn({ err: error }, "a page of the dashboard could not be made"),
  };
  return dashboard(doors, dashboardPorts(store, reading, server));
}
