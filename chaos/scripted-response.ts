// What the fake GitHub answers when it does not answer as itself.

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}
