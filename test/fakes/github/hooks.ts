// Webhooks as GitHub sends them: signed, once, never again by itself, each with a delivery id of
// its own.
import { createHmac, randomUUID } from "node:crypto";
import type { Json } from "./conversation.ts";

// GitHub gives a receiver ten seconds.
const PATIENCE = 10_000;

export interface Delivery {
  readonly number: number;
  /** X-GitHub-Delivery. */
  readonly id: string;
  readonly event: string;
  readonly action: string | null;
  readonly payload: unknown;
  readonly redelivery: boolean;
  readonly at: string;
  /** What the app answered; null when it was not reached. */
  readonly status: number | null;
}

/** What becomes of a delivery: nothing arrives of one that is `lost`. */
export type Fate = "sent" | "lost";

export interface SendOptions {
  /** Signs with this secret instead of the App's; null leaves the signature out. */
  readonly secret?: string | null;
  /** The delivery id to use again. */
  readonly id?: string;
  readonly redelivery?: boolean;
}

export interface Hooks {
  readonly deliveries: readonly Delivery[];
  setUrl(url: string | null): void;
  /** As the App sets it itself; what is left out stays. */
  configure(settings: { readonly url?: string | null; readonly secret?: string }): void;
  /** As GitHub shows it: the secret only as stars. */
  configuration(): Json;
  /** Decides about each later delivery; redeliveries are sent. Null sends all. */
  setFate(fate: ((event: string, action: string | null) => Fate) | null): void;
  /**
   * Sends to the App's webhook address and waits for its answer; without an address it is only
   * logged.
   */
  send(event: string, payload: unknown, options?: SendOptions): Promise<Delivery>;
}

export function openHooks(appId: number, firstSecret: string): Hooks {
  let secret = firstSecret;
  const deliveries: Delivery[] = [];
  let url: string | null = null;
  let codeStatusOf: ((event: string, action: string | null) => Fate) | null = null;

  const post = async (event: string, body: string, id: string, key: string | null): Promise<number | null> => {
    if (url === null) return null;
    const sign = (algorithm: string) =>
      createHmac(algorithm, key ?? "")
        .update(body)
        .digest("hex");
    const signed = { "x-hub-signature": `sha1=${sign("sha1")}`, "x-hub-signature-256": `sha256=${sign("sha256")}` };
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "user-agent": "GitHub-Hookshot/044aadd",
          "x-github-delivery": id,
          "x-github-event": event,
          "x-github-hook-id": "1",
          "x-github-hook-installation-target-id": String(appId),
          "x-github-hook-installation-target-type": "integration",
          ...(key === null ? {} : signed),
        },
        body,
        signal: AbortSignal.timeout(PATIENCE),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return null;
    }
  };

  return {
    deliveries,
    setUrl(next) {
      url = next;
    },
    configure(settings) {
      if (settings.url !== undefined) url = settings.url;
      secret = settings.secret ?? secret;
    },
    configuration: () => ({
      content_type: "json",
      insecure_ssl: "0",
      secret: "********",
      ...(url === null ? {} : { url }),
    }),
    setFate(next) {
      codeStatusOf = next;
    },
    async send(event, payload, options = {}) {
      const id = options.id ?? randomUUID();
      const body = typeof payload === "string" ? payload : JSON.stringify(payload);
      const action = (payload as Json | null)?.action;
      const fate = options.redelivery === true ? "sent" : (codeStatusOf?.(event, String(action)) ?? "sent");
      const key = options.secret === undefined ? secret : options.secret;
      const status = fate === "sent" ? await post(event, body, id, key) : null;
      const delivery: Delivery = {
        number: deliveries.length + 1,
        id,
        event,
        action: typeof action === "string" ? action : null,
        payload,
        redelivery: options.redelivery ?? false,
        at: new Date().toISOString(),
        status,
      };
      deliveries.push(delivery);
      return delivery;
    },
  };
}
