// The App's own account at GitHub, as its set-up sees it.

/** An App that GitHub just made. Secrets: never log it. */
export interface FreshApp {
  readonly appId: number;
  readonly slug: string;
  /** PEM. */
  readonly privateKey: string;
  /** null: GitHub gave none, because the webhook is off. */
  readonly webhookSecret: string | null;
  /** For logins to the dashboard. */
  readonly clientId: string;
  readonly clientSecret: string;
}

/** An App as GitHub knows it. */
export interface RegisteredApp {
  readonly slug: string;
  readonly permissions: Readonly<Record<string, string | undefined>>;
  readonly events: readonly string[];
  /** Where webhooks go; null when the App has none. */
  readonly webhookUrl: string | null;
  readonly installations: readonly { readonly id: number; readonly account: string }[];
  /** How the newest delivery ended: `200`; null when GitHub sent none yet. */
  readonly lastDelivery: { readonly event: string; readonly status: number } | null;
}

/** How much was said in a repository's past. */
export interface PastSize {
  readonly lineComments: number;
  readonly conversation: number;
  readonly pulls: number;
}

export interface AppCredentials {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
}
