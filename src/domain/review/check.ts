// A check run shows how a review ended. In GitHub's terms, annotations belong to lines of the head.

export interface CheckAnnotation {
  readonly path: string;
  /** 1-based, inclusive, in the head file. */
  readonly startLine: number;
  readonly endLine: number;
  readonly level: "notice" | "warning" | "failure";
  /** Plain text: GitHub renders no Markdown here. */
  readonly title: string;
  readonly message: string;
}

/** The end of a check run. Texts are Markdown that is safe to post. */
export interface CheckEnd {
  readonly conclusion: "success" | "neutral" | "failure";
  readonly title: string;
  readonly summary: string;
  /** "" without details. */
  readonly text: string;
  readonly annotations: readonly CheckAnnotation[];
}

/** For how long sweeps try to end a check run or a progress summary that a review left behind: 7 days. */
export const LEFT_MS = 7 * 24 * 60 * 60_000;
