/** One request to a provider and its whole answer, over kept-alive connections. */
import { Effect, Predicate } from "effect"
import type { Dispatcher } from "undici"
import * as Bytes from "#src/kernel/text/Bytes.ts"
import * as ContentDecoding from "./ContentDecoding.ts"
import type { NoAnswer } from "./NoAnswer.ts"

export interface Exchange {
  readonly method: Dispatcher.HttpMethod
  readonly origin: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  readonly maxBytes: number
  /** Called when the request is written to a connection. */
  readonly onSent: () => void
}

export interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

const refused: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "ENETUNREACH",
  "EADDRNOTAVAIL"
])
const unresolved: ReadonlySet<unknown> = new Set(["ENOTFOUND", "EAI_AGAIN", "ENODATA", "EAI_FAIL"])
const timedOut: ReadonlySet<unknown> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"])
const certificate = /CERT|_TLS_|_SSL_|^EPROTO$|SIGNED|VERIFY|ISSUER/

/** The error name for what undici or Node reports. */
export const reasonOf = (cause: unknown): NoAnswer["reason"] => {
  const code = Predicate.hasProperty(cause, "code") ? cause.code : undefined
  if (refused.has(code)) return "connection_refused"
  if (unresolved.has(code)) return "dns_error"
  if (code === "UND_ERR_CONNECT_TIMEOUT") return "connect_timeout"
  if (timedOut.has(code)) return "timeout"
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "too_large"
  return typeof code === "string" && certificate.test(code) ? "tls_error" : "connection_lost"
}

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2]

export const flatten = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === "string" ? value : value.join(", ")]]
    )
  )

/** Why this side ended an exchange. Never shown. */
const ended = new Error("the exchange was ended")

/** Has no deadline. An interruption closes the connection, which also ends the call at the provider. */
export const exchange = (
  dispatcher: Dispatcher,
  { maxBytes, onSent, ...request }: Exchange
): Effect.Effect<Received, NoAnswer["reason"]> =>
  Effect.callback((resume) => {
    let controller: Dispatcher.DispatchController | undefined
    let isOver = false
    let status = 0
    let headers: Readonly<Record<string, string>> = {}
    let content: ContentDecoding.Source | undefined
    let received = 0
    const body = Bytes.make()
    const abort = () => {
      isOver = true
      content?.close()
      controller?.abort(ended)
    }
    const giveUp = (reason: NoAnswer["reason"]) => {
      resume(Effect.fail(reason))
      abort()
    }
    const sink: ContentDecoding.Sink = {
      add: (part) => {
        body.add(part)
        if (body.size() > maxBytes) giveUp("too_large")
        return !isOver
      },
      end: () => resume(Effect.succeed({ status, headers, body: body.whole() })),
      fail: () => giveUp("undecodable")
    }
    dispatcher.dispatch(
      { ...request, headers: { ...request.headers } },
      {
        onRequestStart: (started) => {
          controller = started
          if (isOver) started.abort(ended)
          else onSent()
        },
        onResponseStart: (_controller, statusCode, given) => {
          if (statusCode < 200) return
          status = statusCode
          const decoding = ContentDecoding.into(sink, flatten(given))
          content = decoding.source
          headers = decoding.headers
          if (Number(headers["content-length"]) > maxBytes) giveUp("too_large")
        },
        onResponseData: (_controller, chunk) => {
          received += chunk.length
          if (received > maxBytes) giveUp("too_large")
          else content?.add(chunk)
        },
        onResponseEnd: () => content?.end(),
        onResponseError: (_controller, cause) => {
          content?.close()
          if (!isOver) resume(Effect.fail(reasonOf(cause)))
        }
      }
    )
    return Effect.sync(abort)
  })
