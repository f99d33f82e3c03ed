/** The public addresses of the four hosts, as clients see them (decisions, "Hosts, names and routing"). */
import { Config, Context, Effect, Layer, Option, Schema } from "effect"
import { listenAddress } from "./ListenAddress.ts"
import * as Setting from "./Setting.ts"

export interface Urls {
  readonly queueUrl: string
  readonly baseUrl: string
  readonly mediaUrl: string
  /** An origin. */
  readonly mcpUrl: string
}

/** Accepts only a URL that WHATWG parsing does not change, so that addresses can be compared and extended as text. */
const isPublicUrl = (text: string): boolean => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return false
  return text === url.origin + (url.pathname === "/" ? "" : url.pathname) && !text.endsWith("/")
}

/** A public address of this service. */
export const PublicUrl = Schema.String.check(
  Schema.makeFilter(isPublicUrl, {
    expected:
      "an absolute http(s) URL in its normal form, without trailing slash, query, fragment and credentials"
  })
)

/** An origin without a path: clients look for metadata at the root of the host only (RFC 8414, 3.1; RFC 9728, 3.1). */
const PublicOrigin = PublicUrl.check(
  Schema.makeFilter((text) => URL.parse(text)?.origin === text, { expected: "a URL without a path" })
)

const publicUrl = (
  name: string,
  what: string,
  example: string,
  { accepts, schema } = {
    schema: PublicUrl,
    accepts: "an `http` or `https` URL without trailing slash, query and fragment"
  }
) =>
  Setting.optional({
    name,
    config: (name) => Config.schema(schema, name),
    defaultText: "the listener's address",
    description: `public address of ${what}`,
    accepts,
    example
  })

export const queueUrl = publicUrl(
  "QUEUE_URL",
  "submit, status, result and cancel; when the hosts of the four addresses differ, requests are routed by `Host`",
  "https://queue.example.com"
)
export const baseUrl = publicUrl("BASE_URL", "the platform routes", "https://api.example.com")
export const mediaUrl = publicUrl("MEDIA_URL", "stored media", "https://media.example.com")
export const mcpUrl = publicUrl("MCP_URL", "the MCP server", "https://mcp.example.com", {
  schema: PublicOrigin,
  accepts: "an `http` or `https` URL of a host alone, without path (not even `/`), query and fragment"
})

/** The URL of a listener. One that listens on every address is called by its loopback address. */
const listenerUrl = ({ host, port }: { readonly host: string; readonly port: number }): string => {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`
  if (host === "::") return `http://[::1]:${port}`
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}

export class PublicUrls extends Context.Service<PublicUrls, Urls>()(
  "inferlog/src/kernel/settings/PublicUrls"
) {
  static readonly layerOf = (urls: Urls) => Layer.succeed(PublicUrls, PublicUrls.of(urls))

  /** `QUEUE_URL`, `BASE_URL`, `MEDIA_URL`, `MCP_URL`. Each defaults to the listener's address (`HOST`, `PORT`). */
  static readonly layer = Layer.effect(
    PublicUrls,
    Effect.gen(function* () {
      // In normal form, like the configured URLs: without port 80.
      const own = new URL(listenerUrl(yield* listenAddress)).origin
      const orOwn = Config.map(Option.getOrElse(() => own))
      return PublicUrls.of({
        queueUrl: yield* orOwn(queueUrl.config),
        baseUrl: yield* orOwn(baseUrl.config),
        mediaUrl: yield* orOwn(mediaUrl.config),
        mcpUrl: yield* orOwn(mcpUrl.config)
      })
    })
  )
}
