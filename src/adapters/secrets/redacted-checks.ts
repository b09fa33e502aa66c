// Redacts the texts of a check run right before they go to GitHub.
import type { Checks } from "../../ports/checks.ts";
import type { SecretRedactor } from "./redact.ts";

/** Writes through to `real`, redacted. Paths stay: GitHub places annotations by them. */
export function redactedChecks(real: Checks, redactor: SecretRedactor): Checks {
  const clean = async (text: string) => (await redactor.redact(text)).text;
  const cleanMarkdown = async (text: string) => (await redactor.redactMarkdown(text)).text;
  return {
    begin: (repo, number, headSha, after) => real.begin(repo, number, headSha, after),
    async end(repo, id, end) {
      const annotations = await Promise.all(
        end.annotations.map(async (one) => ({
          ...one,
          title: await clean(one.title),
          message: await clean(one.message),
        })),
      );
      const [title, summary, text] = await Promise.all([
        clean(end.title),
        cleanMarkdown(end.summary),
        cleanMarkdown(end.text),
      ]);
      return real.end(repo, id, { ...end, title, summary, text, annotations });
    },
  };
}
