// The App's registration on GitHub, for its setup.

/** A newly created App. Holds secrets: never log it. */
export interface FreshApp {
  readonly appId: number;
  readonly slug: string;
  /** PEM. */
  readonly privateKey: string;
  /** Null when the webhook is off. */
  readonly webhookSecret: string | null;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface RegisteredApp {
  readonly slug: string;
  readonly permissions: Readonly<Record<string, string | undefined>>;
  readonly events: readonly string[];
  /** Null when the App has no webhook. */
  readonly webhookUrl: string | null;
  readonly installations: readonly { readonly id: number; readonly account: string }[];
  /** Status of the newest delivery, such as 200; null when there was none yet. */
  readonly lastDelivery: { readonly event: string; readonly status: number } | null;
}

export interface AppCredentials {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
}
