export const signIn = "/admin/v1/sign-in"
export const callback = `${signIn}/callback` as const
export const signedIn = `${signIn}/done` as const
export const token = `${signIn}/token` as const
export const signOut = "/admin/v1/sign-out"
