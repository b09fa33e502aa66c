// Whoever deleted their account leaves what they wrote: GitHub shows no user there, or one of this name.

/** In the place of an account that is gone. No account has this id. */
export const GHOST = { id: 0, login: "ghost", type: "User" } as const;
