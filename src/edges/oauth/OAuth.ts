/** The authorization server for assistants, except for its pages. */
import { Layer } from "effect"
import { AccessTokens } from "./AccessTokens.ts"
import { Assistants } from "./Assistants.ts"
import { AuthorizationServer } from "./AuthorizationServer.ts"
import * as Collection from "./Collection.ts"
import { Interactions } from "./Interactions.ts"
import { Logins } from "./Logins.ts"
import { Records } from "./Records.ts"
import { Registrations } from "./Registrations.ts"

/** Needs `OAuthDatabase`, the accounts with their keys, the master key and the public addresses. */
export const layer = Layer.mergeAll(
  Interactions.layer,
  AccessTokens.layer,
  Registrations.layer,
  Assistants.layer,
  Collection.layer
).pipe(
  Layer.provideMerge(AuthorizationServer.layer),
  Layer.provideMerge(Logins.layer),
  Layer.provideMerge(Records.layer)
)
