/** The scopes of a key that tools need. A sign-in grants no others (security, "Keys and secrets"). */
import type { Grant, Scope } from "#domain/account/Grant.ts"

export const toolScopes: ReadonlyArray<Scope> = ["requests:write", "requests:read", "files:write"]

/** The part of a grant that tools need. Models, budget and end stay the key's. */
export const ofTools = (grant: Grant): Grant => ({
  ...grant,
  scopes: toolScopes.filter((scope) => grant.scopes.includes(scope))
})
