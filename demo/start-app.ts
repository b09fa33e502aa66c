// Starts the real app against a world: the one place of the demo that knows how the product is put together.

export interface AppOptions {
  readonly apiUrl: string;
  readonly appId: number;
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** An empty folder for the databases; the caller removes it. */
  readonly dataDir: string;
}

export interface RunningApp {
  /** Where GitHub is to send webhooks. */
  readonly webhookUrl: string;
  close(): Promise<void>;
}

export type StartApp = (options: AppOptions) => Promise<RunningApp>;

export const startApp: StartApp = async () => {
  throw new Error("The app is not put together yet.");
};
