// Whether a request that changes something comes from a page of ours: browsers say so, and other programs need not apply.

/** @returns false when the browser names another site, or nobody says where the request comes from */
export function isSameOrigin({
  origin,
  site,
  host,
}: {
  /** The headers Origin, Sec-Fetch-Site and Host; undefined where absent. */
  readonly origin: string | undefined;
  readonly site: string | undefined;
  readonly host: string | undefined;
}): boolean {
  if (site !== undefined && site !== "same-origin") return false;
  if (origin === undefined) return site === "same-origin";
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}
