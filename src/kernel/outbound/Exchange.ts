/** One GET and its response, over a connection that is not reused. */
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Stream } from "effect"
import type { Socket } from "node:net"
import type { Client, Dispatcher } from "undici"
import { OutboundError, OutboundTooLarge } from "./OutboundError.ts"
import type { Target } from "./OutboundUrl.ts"
import * as SocketClient from "./SocketClient.ts"

export interface ExchangeRequest {
  readonly headers: Readonly<Record<string, string>>
  /** A larger body, announced or sent, fails with `OutboundTooLarge`. */
  readonly maxResponseBytes: number
}

export interface ExchangeResponse {
  /** Any status from 200. Redirects are returned like other statuses and never followed. */
  readonly status: number
  /** By lower-case name. Repeated headers are joined by `, `. */
  readonly headers: ReadonlyMap<string, string>
  /** The bytes as sent, never decompressed. Read them once, within the scope of the exchange. */
  readonly body: Stream.Stream<Uint8Array, OutboundError | OutboundTooLarge>
}

const client = (socket: Socket, target: Target) =>
  Effect.acquireRelease(
    Effect.sync(() => SocketClient.make(socket, target)),
    (client) => Effect.sync(() => client.destroy(null, () => {}))
  )

const dispatch = (client: Client, options: Dispatcher.RequestOptions) =>
  Effect.callback<Dispatcher.ResponseData, OutboundError>((resume) => {
    client.request(options, (cause, response) => {
      // In the same tick as the response: a body destroyed without an error listener ends the process.
      response?.body?.on("error", () => {})
      resume(cause === null ? Effect.succeed(response) : SocketClient.failure(cause))
    })
  })

const flatten = (headers: Dispatcher.ResponseData["headers"]): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(", ")]]
    )
  )

const tooLarge = new OutboundTooLarge()

const capped = (body: Stream.Stream<Uint8Array, OutboundError>, maxBytes: number) =>
  body.pipe(
    Stream.mapAccumEffect(
      () => 0,
      (size, chunk) =>
        size + chunk.length > maxBytes
          ? Effect.fail(tooLarge)
          : Effect.succeed([size + chunk.length, [chunk]] as const)
    )
  )

const bodyOf = (response: Dispatcher.ResponseData) =>
  NodeStream.fromReadable({
    evaluate: () => response.body,
    onError: () => new OutboundError({ reason: "connection_failed" }),
    chunkSize: 1
  })

/**
 * Sends one request and reads the head of its response. Closing the scope ends everything, body included. Fails with
 * `connection_failed`, also when the response is not HTTP or has more than 16 KiB of headers. It has no deadline of
 * its own.
 */
export const exchange = Effect.fn("Exchange.exchange")(function* (
  socket: Socket,
  target: Target,
  request: ExchangeRequest
) {
  const response = yield* dispatch(yield* client(socket, target), {
    method: "GET",
    path: target.path,
    reset: true,
    headers: request.headers
  })
  const headers = flatten(response.headers)
  const isAnnouncedTooLarge = Number(headers.get("content-length")) > request.maxResponseBytes
  const result: ExchangeResponse = {
    status: response.statusCode,
    headers,
    body: isAnnouncedTooLarge ? Stream.fail(tooLarge) : capped(bodyOf(response), request.maxResponseBytes)
  }
  return result
})
