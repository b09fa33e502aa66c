// Why a pull request is not reviewed now, and what ends each reason: policy that can hold back must
// be able to let go.

interface Skip {
  /**
   * Events of `pull_request` (see receive.ts) and commands (`/kodiai WORD`) that may end it; each
   * queues an ordinary review.
   */
  readonly endedBy: readonly string[];
  /**
   * The author alone can bring it about: where the check may fail, it is no way around it for
   * people without write access.
   */
  readonly isAuthors: boolean;
}

/** Every reason; a test holds this against skipReason and the events that receive.ts takes. */
export const SKIPS = {
  closed: { endedBy: ["reopened"], isAuthors: false },
  locked: { endedBy: ["unlocked"], isAuthors: false },
  paused: { endedBy: ["/kodiai resume"], isAuthors: false },
  // A change of the base's configuration is seen at the next event.
  disabled: { endedBy: ["synchronize", "/kodiai review"], isAuthors: false },
  draft: { endedBy: ["ready_for_review"], isAuthors: true },
  // Whoever has an App can open a pull request with it.
  bot: { endedBy: ["/kodiai review"], isAuthors: true },
  // Anyone may open one with another account.
  author: { endedBy: ["/kodiai review"], isAuthors: true },
  base: { endedBy: ["edited"], isAuthors: false },
  labels: { endedBy: ["labeled", "unlabeled"], isAuthors: false },
  title: { endedBy: ["edited"], isAuthors: true },
} as const satisfies Readonly<Record<string, Skip>>;

export type SkipId = keyof typeof SKIPS;

/** Why a pull request is not reviewed. */
export interface SkipReason {
  readonly id: SkipId;
  /** One sentence fragment. */
  readonly text: string;
}
