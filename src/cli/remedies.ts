// What people notice about memory, why it may be so, and what helps. docs/operating.md says the same at more length.

export interface Remedy {
  readonly symptom: string;
  /** Where it shows, with its figure. */
  readonly sign: string;
  readonly cause: string;
  readonly remedy: string;
}

export const REMEDIES: readonly Remedy[] = [
  {
    symptom: "low scores",
    sign: "the average likeness of what is found lies below .6",
    cause: "little is remembered, the embedder changed, or titles and descriptions say little",
    remedy:
      "kodiai memory stats shows what there is; import history and index documents; kodiai doctor names memories of another embedder; kodiai explain shows the query",
  },
  {
    symptom: "slow retrieval",
    sign: "a retrieval takes longer than 500 ms",
    cause: "the embedding service is slow or tries again, or the first search of a process reads the index",
    remedy:
      "look at the service's own times, use KODIAI_EMBEDDINGS=local, or knowledge.retrieval.method: keyword, which embeds nothing",
  },
  {
    symptom: "irrelevant results",
    sign: "comments are cited that have nothing to do with the change",
    cause:
      "the threshold is wider than the embedder's own, another repository's memory is shared, or comments say nothing",
    remedy:
      "set knowledge.retrieval.distanceThreshold to auto or lower it, turn knowledge.sharing.takes off, and look at one memory with kodiai memory show",
  },
  {
    symptom: "cold start",
    sign: "the first review after a start is slower than the next ones",
    cause: "the search thread, the index and the embedder are loaded by the first question",
    remedy:
      "warm up: ask for one review by the label kodiai:review after a start; query vectors are kept in memory.db for a day and survive a restart",
  },
];
