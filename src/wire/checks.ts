// Joins check runs to their port; in a dry run they are told and not made.
import { dryRunChecks } from "../adapters/dry-run/checks.ts";
import { githubChecks } from "../adapters/github/checks.ts";
import type { secretRedactor } from "../adapters/secrets/redact.ts";
import { redactedChecks } from "../adapters/secrets/redacted-checks.ts";
import type { Repo } from "../domain/job.ts";
import type { Checks } from "../ports/checks.ts";
import type { WriteBook } from "../ports/writes.ts";
import { pathOf, type WriteWiring } from "./writes.ts";

export interface CheckWiring extends WriteWiring {
  /** Told what a dry run does not make; null makes it. */
  readonly onUnposted: Parameters<typeof dryRunChecks>[0] | null;
  readonly redactor: ReturnType<typeof secretRedactor>;
}

/** Access to the check runs of a repository. */
export type ChecksOf = (installationId: number, repo: Repo) => Checks;

/** A token of its own for each repository: many an App was not granted check runs. */
export function checksOf({ onUnposted, redactor, ...wiring }: CheckWiring, book: WriteBook): ChecksOf {
  return (installationId, repo) => {
    const client = () => wiring.clients.forChecks(installationId, repo);
    const made =
      onUnposted === null ? githubChecks(client, pathOf(wiring, book, installationId)) : dryRunChecks(onUnposted);
    return redactedChecks(made, redactor);
  };
}
