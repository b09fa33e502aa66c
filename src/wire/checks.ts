// Joins check runs to their port; in a dry run they are told and not made.
import { dryRunChecks } from "../adapters/dry-run/checks.ts";
import { githubChecks } from "../adapters/github/checks.ts";
import type { Clients } from "../adapters/github/clients.ts";
import type { secretRedactor } from "../adapters/secrets/redact.ts";
import { redactedChecks } from "../adapters/secrets/redacted-checks.ts";
import type { Repo } from "../domain/job.ts";
import type { Checks } from "../ports/checks.ts";

export interface CheckWiring {
  readonly clients: Clients;
  /** Told what a dry run does not make; null makes it. */
  readonly onUnposted: Parameters<typeof dryRunChecks>[0] | null;
  readonly redactor: ReturnType<typeof secretRedactor>;
}

/** Access to the check runs of a repository. */
export type ChecksOf = (installationId: number, repo: Repo) => Checks;

/** A token of its own for each repository: many an App was not granted check runs. */
export function checksOf({ clients, onUnposted, redactor }: CheckWiring): ChecksOf {
  return (installationId, repo) => {
    const made =
      onUnposted === null ? githubChecks(() => clients.forChecks(installationId, repo)) : dryRunChecks(onUnposted);
    return redactedChecks(made, redactor);
  };
}
