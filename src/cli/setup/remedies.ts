// Symptoms of memory problems, with cause and remedy. docs/operating.md has the long version.

/** `sign` says how to recognise the symptom, with its figure. */
export const REMEDIES = [
  {
    symptom: "low scores",
    sign: "the average similarity of results is below .6",
    cause: "there are few memories, the embedder changed, or titles and descriptions are uninformative",
    remedy:
      "kodiai memory stats counts memories; import history and index documents; kodiai doctor reports memories of another embedder; kodiai explain shows the query",
  },
  {
    symptom: "slow retrieval",
    sign: "a retrieval takes longer than 500 ms",
    cause: "the embedding service is slow or retries, or the first search of a process reads the index",
    remedy:
      "check the service's latency, use KODIAI_EMBEDDINGS=local, or knowledge.retrieval.method: keyword, which embeds nothing",
  },
  {
    symptom: "irrelevant results",
    sign: "cited comments have nothing to do with the change",
    cause:
      "the threshold is wider than the embedder's own, another repository's memory is shared, or comments are uninformative",
    remedy:
      "set knowledge.retrieval.distanceThreshold to auto or lower it, turn knowledge.sharing.takes off, and look at one memory with kodiai memory show",
  },
  {
    symptom: "cold start",
    sign: "the first review after a start is slower than the next ones",
    cause: "the search thread, the index and the embedder load with the first question",
    remedy:
      "warm up: ask for one review by the label kodiai:review after a start; query vectors are kept in memory.db for a day and survive a restart",
  },
];
