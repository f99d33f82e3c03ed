/** What the tools need of a key: a sign-in gives no more of it (security, "Keys and secrets"). */
import type { Grant, Scope } from "#domain/account/Grant.ts"

export const toolScopes: ReadonlyArray<Scope> = ["requests:write", "requests:read", "files:write"]

/** The part of a grant that the tools need. Models, budget and end are the key's. */
export const ofTools = (grant: Grant): Grant => ({
  ...grant,
  scopes: toolScopes.filter((scope) => grant.scopes.includes(scope))
})
