// Where GitHub sends a browser back to after a login, below the dashboard's address: known to the App, the dashboard and set-up.

/** Path, without query. */
export const LOGIN_CALLBACK = "/login/github/callback";

/** Where the dashboard is without KODIAI_DASHBOARD_URL, for whoever sits at the machine or comes through `ssh -L`. */
export function localDashboard(adminPort: number): string {
  return `http://127.0.0.1:${adminPort}`;
}
