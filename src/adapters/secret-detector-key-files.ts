// Keys in base64 without a header, recognised by the beginnings of their DER encodings (RFC 5958, 7292, 8017). The password of a
// key store is often published ("notasecret"): the file is the key.

/** 30 82 LL LL 02 01 vv …: a sequence whose first member is a version. */
const HEAD = "MI[I-L][A-Za-z0-9+/]{2}[AQgw]IB";
/** On one line, or on several with an indent; the last is shorter. */
const BODY =
  "[A-Za-z0-9+/]{16,24000}(?:\\s{1,12}[A-Za-z0-9+/]{40,200}){0,400}(?:\\s{1,12}[A-Za-z0-9+/]{1,80}={1,2})?={0,2}";

/** Patterns of whole keys in base64, without boundaries. */
export const KEY_FILES: readonly {
  readonly label: string;
  readonly hints: readonly string[];
  readonly body: string;
}[] = [
  { label: "private key", hints: ["IBADANBgkqhkiG9w0BAQEFAA"], body: `${HEAD}ADANBgkqhkiG9w0BAQEFAA${BODY}` },
  { label: "private key", hints: ["IBAAKC"], body: `${HEAD}AAKC${BODY}` },
  { label: "private key", hints: ["MIGHAgEAMBMGByqGSM49AgEG"], body: `MIGHAgEAMBMGByqGSM49AgEG${BODY}` },
  { label: "PKCS12 key store", hints: ["IBAzC"], body: `${HEAD}AzC[A-D]${BODY}` },
];
