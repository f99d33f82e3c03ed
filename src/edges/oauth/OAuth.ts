/** The authorization server for assistants, except for its pages. */
import { Layer } from "effect"
import { AuthorizationServer } from "./AuthorizationServer.ts"
import * as BearerTokens from "./BearerTokens.ts"
import * as Collection from "./Collection.ts"
import * as ProviderInteractions from "./ProviderInteractions.ts"
import { Records } from "./Records.ts"
import { Registrations } from "./Registrations.ts"
import * as StoredLogins from "./StoredLogins.ts"

/** Needs `OAuthDatabase`, the accounts with their keys, the master key and the public addresses. */
export const layer = Layer.mergeAll(
  ProviderInteractions.layer,
  BearerTokens.layer,
  Registrations.layer,
  Collection.layer
).pipe(
  Layer.provideMerge(AuthorizationServer.layer),
  Layer.provideMerge(StoredLogins.layer),
  Layer.provideMerge(Records.layer)
)
