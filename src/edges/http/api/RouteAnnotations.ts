/** Properties of a route that its schemas do not have. */
import { Context } from "effect"
import type { Scope } from "#domain/account/Grant.ts"
import type { TokenUse } from "#src/features/accounts/tokens/TokenUse.ts"

export type HostName = "queue" | "platform" | "media" | "mcp"

/** The public hosts that serve a group or an endpoint (decisions, "Four hosts"). Empty: every host. */
export const ServedOn = Context.Reference<ReadonlyArray<HostName>>("inferlog/src/edges/http/api/ServedOn", {
  defaultValue: () => []
})

/** Whether HEAD is answered like GET. False where GET has an effect. */
export const AnswersHead = Context.Reference<boolean>("inferlog/src/edges/http/api/AnswersHead", {
  defaultValue: () => true
})

/** Whether the route always refuses the method, after authentication. `Allow` omits such a method (RFC 9110, 10.2.1). */
export const IsRefused = Context.Reference<boolean>("inferlog/src/edges/http/api/IsRefused", {
  defaultValue: () => false
})

/** Whether web pages of any origin may read its answers (Fetch standard, "HTTP CORS protocol"). */
export const OpenToAnyOrigin = Context.Reference<boolean>("inferlog/src/edges/http/api/OpenToAnyOrigin", {
  defaultValue: () => false
})

/** The scope that the route requires of a key (decisions, "Platform routes"); `null` for routes without a key. */
export const Requires = Context.Reference<Scope | null>("inferlog/src/edges/http/api/Requires", {
  defaultValue: () => null
})

/** What the route is to tokens (`POST /keys/tokens`). By default it takes none. */
export const TakesTokens = Context.Reference<TokenUse>("inferlog/src/edges/http/api/TakesTokens", {
  defaultValue: () => "none"
})

/**
 * Query parameters that the route accepts beside the declared ones. A request with any other parameter is refused
 * (decisions, "Query parameters nobody declared").
 */
export const TakesQuery = Context.Reference<(name: string) => boolean>(
  "inferlog/src/edges/http/api/TakesQuery",
  { defaultValue: () => () => false }
)

/** For routes whose protocol ignores unknown parameters (RFC 6749, 3.1), and for pages that are linked to. */
export const anyQuery = (): boolean => true
