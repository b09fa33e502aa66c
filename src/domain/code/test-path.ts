const TEST =
  /(?:^|\/)(?:tests?|__tests__|__mocks__|specs?|testing|e2e)\/|[._-](?:test|tests|spec)\.\w+$|Tests?\.\w+$|(?:^|\/)test_[^/]*$/;

/** Whether a file is a test by its path, in the habits of most languages. */
export function isTestPath(path: string): boolean {
  return TEST.test(path);
}
