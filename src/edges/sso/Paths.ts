export const signIn = "/admin/v1/sign-in"
export const callback = `${signIn}/callback` as const
export const signedIn = `${signIn}/done` as const
export const token = `${signIn}/token` as const
/** Where the console is served. */
export const console = "/console"
/** A sign-in that leads to the console. */
export const signInToConsole = `${signIn}?to=console` as const
export const signOut = "/admin/v1/sign-out"
