/**
 * How long a test waits for something that must come, in milliseconds: some sixty times what it
 * takes, so that a slow or busy machine decides nothing. What never comes is named then.
 */
export const WATCHDOG_MS = 120_000;
