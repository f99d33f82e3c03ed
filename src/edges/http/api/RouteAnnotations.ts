/** What a route says of itself beyond its schemas. */
import { Context } from "effect"
import type { Scope } from "#domain/account/Grant.ts"

export type HostName = "queue" | "platform" | "media" | "mcp"

/** The public hosts that serve a group or an endpoint (decisions, "Four hosts"). None named: every host. */
export const ServedOn = Context.Reference<ReadonlyArray<HostName>>("inferlog/src/edges/http/api/ServedOn", {
  defaultValue: () => []
})

/** Whether HEAD is answered like GET. Not where GET changes something. */
export const AnswersHead = Context.Reference<boolean>("inferlog/src/edges/http/api/AnswersHead", {
  defaultValue: () => true
})

/**
 * Whether the method is one that the route only refuses, once it is known who asks: `Allow` does not name it (RFC 9110,
 * 10.2.1).
 */
export const IsRefused = Context.Reference<boolean>("inferlog/src/edges/http/api/IsRefused", {
  defaultValue: () => false
})

/** Whether web pages of any origin may read its answers (Fetch standard, "HTTP CORS protocol"). */
export const OpenToAnyOrigin = Context.Reference<boolean>("inferlog/src/edges/http/api/OpenToAnyOrigin", {
  defaultValue: () => false
})

/** What a key must be granted for the route (decisions, "Platform routes"); `null` where no key is asked for. */
export const Requires = Context.Reference<Scope | null>("inferlog/src/edges/http/api/Requires", {
  defaultValue: () => null
})

/**
 * Which query parameters the route takes beside those that it declares; a request with any other is refused (decisions,
 * "Query parameters nobody declared").
 */
export const TakesQuery = Context.Reference<(name: string) => boolean>(
  "inferlog/src/edges/http/api/TakesQuery",
  {
    defaultValue: () => () => false
  }
)

/** For routes whose protocol has unknown parameters ignored (RFC 6749, 3.1), and for pages that links lead to. */
export const anyQuery = (): boolean => true
