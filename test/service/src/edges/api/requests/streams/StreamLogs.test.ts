import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { RequestId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import type { StatusChange } from "#projections/live-status/LiveStatus.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as Telling from "#src/edges/api/requests/streams/StreamFollower.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted } from "#test/support/src/edges/http/Calls.ts"
import * as Streams from "#test/support/src/edges/http/Streams.ts"
import * as Until from "#test/support/Until.ts"

layer(Streams.layer(), { excludeTestServices: true })("the log lines of ended requests", (it) => {
  it.effect(
    "are sent one request at a time, at the reader's pace; a deleted request sends only its end",
    () =>
      Effect.gen(function* () {
        const { key } = yield* TestServer.TestServer
        const caller = yield* (yield* Authentication).authenticate(key)
        const known = yield* accepted()
        const ended = (change: number, requestId: RequestId): StatusChange => ({
          change,
          accountId: caller.accountId,
          requestId,
          model: ModelEndpoint.make("sandbox/echo"),
          status: "COMPLETED",
          position: GlobalPosition.trusted(String(change)),
          inferenceMs: 1,
          expectedMs: null,
          error: null,
          upstream: null
        })
        const gone = RequestId.make("rq0000000000000000000")
        const frames: Array<string> = []
        const room = yield* Deferred.make<void>()
        const follower = Telling.make("http://x", yield* Requests)(
          {
            write: (frame) => {
              frames.push(String(frame))
              return false
            },
            ready: Deferred.await(room)
          },
          {
            caller,
            wanted: { accountId: caller.accountId, requestIds: null, models: null },
            withLogs: true
          },
          new Set()
        )
        const changes = [ended(1, gone), ended(2, known)]
        const giving = yield* Effect.forkChild(follower.give(changes), { startImmediately: true })
        yield* Until.holds(
          "a frame",
          () => frames.length > 0,
          () => frames
        )
        yield* Effect.repeat(Effect.yieldNow, { times: 20 })
        assert.strictEqual(frames.length, 1)
        yield* Deferred.succeed(room, undefined)
        yield* Fiber.join(giving)
        assert.deepStrictEqual(
          frames.map((frame) => /"request_id":"([^"]+)"/.exec(frame)?.[1]),
          [gone, known]
        )
        assert.match(frames[0] ?? "", /^id: 1\n/)
      })
  )
})
