// A private key as environments hold it -> PEM.

/** Environment files often cannot hold line breaks, so `\n` and base64 are understood, as Probot does. Null: it is none. */
export function pemText(value: string): string | null {
  const text = value.startsWith("-----BEGIN ") ? value.replaceAll("\\n", "\n") : fromBase64(value);
  const isPem = /^-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----\r?\n/.test(text);
  return isPem && /-----END [A-Z ]{0,20}PRIVATE KEY-----\s*$/.test(text) ? text : null;
}

function fromBase64(value: string): string {
  try {
    return atob(value);
  } catch {
    return "";
  }
}
