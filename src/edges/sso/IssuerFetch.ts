/** How openid-client calls the issuer: over connections of its own, with limits on time and size, and without redirects. */
import { Effect, type Scope } from "effect"
import type { CustomFetch, CustomFetchOptions } from "openid-client"
import { Agent } from "undici"
import { exchange } from "#src/features/providers/ProviderExchange.ts"

/** For one call and its whole answer, ms. */
const timeoutMs = 10_000

/** Bytes. Metadata, key sets and tokens are far smaller. */
const maxBytes = 1024 * 1024

/** The issuer gave no answer. */
export class NoAnswerOfIssuer extends Error {}

const methods = { GET: "GET", POST: "POST" } as const

const bodyOf = ({ body }: CustomFetchOptions): string | null => {
  if (body === null || body === undefined) return null
  if (typeof body === "string") return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new NoAnswerOfIssuer("the call has a body of another kind than a form")
}

/** `url` is of the operator's issuer, or named in its metadata: private addresses are allowed. */
export const make: Effect.Effect<CustomFetch, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => new Agent({ allowH2: false, connections: 16, connect: { timeout: timeoutMs } })),
    (agent) => Effect.promise(() => agent.destroy())
  ),
  (agent) => async (url, options) => {
    const { origin, pathname, search } = new URL(url)
    const method = options.method === "POST" ? methods.POST : methods.GET
    const { body, headers, status } = await Effect.runPromise(
      exchange(agent, {
        method,
        origin,
        path: pathname + search,
        headers: { ...options.headers, "accept-encoding": "identity", "user-agent": "inferlog" },
        body: bodyOf(options),
        maxBytes,
        onSent: () => {}
      }).pipe(
        Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail("timeout" as const) }),
        Effect.mapError((reason) => new NoAnswerOfIssuer(reason))
      )
    )
    const isEmpty = status === 204 || status === 205 || status === 304
    return new Response(isEmpty ? null : Buffer.from(body), { status, headers })
  }
)
