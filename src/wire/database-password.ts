// The secret in the address of a database.

/** Of an address; null without one. */
export function passwordIn(url: string): string | null {
  const password = URL.parse(url)?.password ?? "";
  return password === "" ? null : decodeURIComponent(password);
}
