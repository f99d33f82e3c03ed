/** The public addresses of the four hosts, as clients see them (decisions, "Hosts, names and routing"). */
import { Config, Context, Effect, Layer, Schema } from "effect"
import { listenAddress } from "./ListenAddress.ts"

export interface Urls {
  readonly queueUrl: string
  readonly baseUrl: string
  readonly mediaUrl: string
  readonly mcpUrl: string
}

/** Only a URL that WHATWG parsing leaves as it is passes, so that addresses can be compared and extended as text. */
const isPublicUrl = (text: string): boolean => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return false
  return text === url.origin + (url.pathname === "/" ? "" : url.pathname) && !text.endsWith("/")
}

const PublicUrl = Schema.String.check(
  Schema.makeFilter(isPublicUrl, {
    expected:
      "an absolute http(s) URL in its normal form, without trailing slash, query, fragment and credentials"
  })
)

/** The address of a listener as a URL; one that listens everywhere is called by its loopback address. */
const listenerUrl = ({ host, port }: { readonly host: string; readonly port: number }): string => {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`
  if (host === "::") return `http://[::1]:${port}`
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}

export class PublicUrls extends Context.Service<PublicUrls, Urls>()("inferlog/src/PublicUrls") {
  static readonly layerOf = (urls: Urls) => Layer.succeed(PublicUrls, PublicUrls.of(urls))

  /** `QUEUE_URL`, `BASE_URL`, `MEDIA_URL`, `MCP_URL`; each is the listener's own address (`HOST`, `PORT`) when not set. */
  static readonly layer = Layer.effect(
    PublicUrls,
    Effect.gen(function* () {
      const own = listenerUrl(yield* listenAddress)
      const url = (name: string) => Config.withDefault(Config.schema(PublicUrl, name), own)
      return PublicUrls.of({
        queueUrl: yield* url("QUEUE_URL"),
        baseUrl: yield* url("BASE_URL"),
        mediaUrl: yield* url("MEDIA_URL"),
        mcpUrl: yield* url("MCP_URL")
      })
    })
  )
}
