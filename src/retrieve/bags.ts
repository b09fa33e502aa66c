// Texts as bags of numbered words, one after another in flat arrays: what the comparisons of a search are made from.

/** The words of text t stand at starts[t] … starts[t + 1], each once, in the order in which they first occur in it. */
export interface Bags {
  readonly starts: Uint32Array;
  readonly words: Uint32Array;
  /** How often each occurs in its text. */
  readonly counts: Uint32Array;
}

/**
 * @param texts numbers of words, in order, with repeats
 * @param numbers how many words are numbered: each number is below it
 */
export function bagsOf(texts: readonly (readonly number[])[], numbers: number): Bags {
  let most = 0;
  for (const words of texts) most += words.length;
  const starts = new Uint32Array(texts.length + 1);
  const words = new Uint32Array(most);
  const counts = new Uint32Array(most);
  // Where the word stands in the bag that is being filled, from 1 on; 0 before it is met.
  const places = new Uint32Array(numbers);
  let end = 0;
  for (const [text, read] of texts.entries()) {
    const start = end;
    for (const word of read) {
      let place = places[word] ?? 0;
      if (place === 0) {
        words[end] = word;
        end += 1;
        place = end;
        places[word] = place;
      }
      counts[place - 1] = (counts[place - 1] ?? 0) + 1;
    }
    for (let at = start; at < end; at += 1) places[words[at] ?? 0] = 0;
    starts[text + 1] = end;
  }
  return { starts, words: words.subarray(0, end), counts: counts.subarray(0, end) };
}

/** Which bags hold a word: the bags of word w stand at starts[w] … starts[w + 1], ascending. */
export interface Holders {
  readonly starts: Uint32Array;
  /** Of each holder the text, and where in the bags the word stands there. */
  readonly texts: Uint32Array;
  readonly places: Uint32Array;
}

/** @param numbers as of `bagsOf` */
export function holdersOf({ starts, words }: Bags, numbers: number): Holders {
  const first = new Uint32Array(numbers + 1);
  for (const word of words) first[word + 1] = (first[word + 1] ?? 0) + 1;
  for (let word = 0; word < numbers; word += 1) first[word + 1] = (first[word + 1] ?? 0) + (first[word] ?? 0);
  const next = first.slice();
  const texts = new Uint32Array(words.length);
  const places = new Uint32Array(words.length);
  for (let text = 0; text + 1 < starts.length; text += 1) {
    const end = starts[text + 1] ?? 0;
    for (let at = starts[text] ?? 0; at < end; at += 1) {
      const word = words[at] ?? 0;
      const to = next[word] ?? 0;
      next[word] = to + 1;
      texts[to] = text;
      places[to] = at;
    }
  }
  return { starts: first, texts, places };
}
