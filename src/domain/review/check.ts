// A check run says how a review ended. GitHub's words: annotations stand beside the lines of the head.

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

/** How a check run ends. Texts are Markdown that was made fit to be posted. */
export interface CheckEnd {
  readonly conclusion: "success" | "neutral" | "failure";
  readonly title: string;
  readonly summary: string;
  /** "" when there is nothing more to say. */
  readonly text: string;
  readonly annotations: readonly CheckAnnotation[];
}
