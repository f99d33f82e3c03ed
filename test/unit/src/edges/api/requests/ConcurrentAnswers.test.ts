import { once } from "node:events"
import * as http from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { NetAddress } from "effect/net"
import * as HttpServer from "effect/http/HttpServer"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { AccountId } from "#domain/Ids.ts"
import * as ConcurrentAnswers from "#src/edges/http/edge/ConcurrentAnswers.ts"
import * as LimitErrorAnswers from "#src/edges/http/LimitErrorAnswers.ts"

const full = LimitErrorAnswers.tooManyExports({ limit: 2, retryAfterSeconds: 5 })

/** A server whose answers never end, for the account in the path. Returns its port. */
const serve = Effect.gen(function* () {
  const answers = ConcurrentAnswers.make(2, full)
  yield* HttpServer.serveEffect(
    Effect.gen(function* () {
      const request = yield* HttpServerRequest
      yield* answers.admit(AccountId.make(request.url.slice(1)), request)
      const body = Stream.concat(Stream.succeed(new Uint8Array(1)), Stream.never)
      return request.method === "HEAD"
        ? HttpServerResponse.empty({ status: 200 })
        : HttpServerResponse.stream(body)
    }).pipe(
      Effect.catch(({ headers, status }) => Effect.succeed(HttpServerResponse.empty({ status, headers })))
    )
  )
  const { address } = yield* HttpServer.HttpServer
  return NetAddress.isInetAddress(address) ? address.port : 0
})

const ask = (port: number, account: string, method = "GET") =>
  Effect.promise(async () => {
    const request = http.request({ port, host: "127.0.0.1", path: `/${account}`, method, agent: false })
    request.on("error", () => {})
    request.end()
    const [response]: Array<http.IncomingMessage> = await once(request, "response")
    return { status: response?.statusCode, headers: response?.headers, leave: () => request.destroy() }
  })

const layer = NodeHttpServer.layer(() => http.createServer(), { port: 0, host: "127.0.0.1" })

const greedy = "acc_greedy0000000000"
const other = "acc_other00000000000"

describe("Long answers", () => {
  it.live("are limited per account, without affecting other accounts", () =>
    Effect.gen(function* () {
      const port = yield* serve
      // Ended answers do not count.
      for (let count = 0; count < 3; count++)
        assert.strictEqual((yield* ask(port, greedy, "HEAD")).status, 200)
      const first = yield* ask(port, greedy)
      const second = yield* ask(port, greedy)
      assert.deepStrictEqual([first.status, second.status], [200, 200])
      const third = yield* ask(port, greedy)
      assert.strictEqual(third.status, 429)
      assert.strictEqual(third.headers?.["retry-after"], "5")
      const stranger = yield* ask(port, other)
      assert.strictEqual(stranger.status, 200)
      first.leave()
      // Waits until the server has noticed.
      const again: Effect.Effect<() => void> = Effect.flatMap(ask(port, greedy), ({ leave, status }) =>
        status === 429 ? again : Effect.succeed(leave)
      )
      const leave = yield* again
      leave()
      second.leave()
      stranger.leave()
    }).pipe(Effect.provide(layer), Effect.scoped)
  )
})
