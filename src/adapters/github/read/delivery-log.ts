// GitHub's log of the webhooks that it sent to this App, and redelivery. Authenticated as the App: these requests count against
// the App's own rate limit and not an installation's.
import { z } from "zod";
import type { DeliveryLog, LoggedDelivery } from "../../../ports/missed-events.ts";
import type { ClientOptions } from "../clients.ts";
import { PAGE, unlessStatus } from "../requests.ts";
import { translatedMethods } from "../translate-error.ts";

const Id = z.string().regex(/^\d{1,20}$/);
const Logged = z.object({
  id: Id,
  guid: z.string().max(100),
  event: z.string(),
  action: z.string().nullish(),
  delivered_at: z.iso.datetime({ offset: true }),
  status_code: z.coerce.number(),
});

/** The log, read as the App. */
export function githubDeliveryLog(app: ClientOptions["app"]): DeliveryLog {
  return translatedMethods<DeliveryLog>({
    async page(cursor) {
      const answer = await app.request("GET /app/hook/deliveries", {
        per_page: PAGE,
        ...(cursor === null ? {} : { cursor }),
        request: { parseSuccessResponseBody: false },
      });
      const text = await new Response(answer.data as unknown as ReadableStream).text();
      return { deliveries: readDeliveries(text), next: nextCursor(answer.headers.link) };
    },
    async redeliver(id) {
      // GitHub's answers for a delivery that is over three days old, or whose hook was deleted.
      const tooLate = [400, 404, 422];
      const ask = () => app.request(`POST /app/hook/deliveries/${Id.parse(id)}/attempts`);
      return (await unlessStatus(tooLate, ask)) === null ? "expired" : "asked";
    },
  });
}

/** Entries of a raw page of the log, whose ids have 64 bits, which JSON.parse would round; malformed ones are left out. */
export function readDeliveries(text: string): readonly LoggedDelivery[] {
  const parsed: unknown = JSON.parse(text, (key, value: unknown, context?: { readonly source?: string }) =>
    key === "id" && typeof value === "number" ? (context?.source ?? String(value)) : value,
  );
  if (!Array.isArray(parsed)) return [];
  return parsed.flatMap((one): LoggedDelivery[] => {
    const read = Logged.safeParse(one);
    if (!read.success) return [];
    const { id, guid, event, action = null, delivered_at, status_code } = read.data;
    const succeeded = status_code >= 200 && status_code < 300;
    return [{ id, guid, event, action, at: Date.parse(delivered_at), succeeded }];
  });
}

/** The cursor of the next page, from the Link header. */
export function nextCursor(link: string | undefined): string | null {
  const next = (link ?? "")
    .slice(0, 10_000)
    .split(",")
    .find((part) => part.includes('rel="next"'));
  const address = next?.slice(next.indexOf("<") + 1, next.indexOf(">"));
  return address === undefined ? null : (URL.parse(address)?.searchParams.get("cursor") ?? null);
}
