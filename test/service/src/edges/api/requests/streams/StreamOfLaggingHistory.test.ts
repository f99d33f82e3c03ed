import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Stream } from "effect"
import { Projections } from "#projections/Projections.ts"
import * as Http from "#src/edges/server/HttpServer.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { accepted } from "#test/support/src/edges/http/Calls.ts"
import * as Streams from "#test/support/src/edges/http/Streams.ts"

/** A server whose history reports the beginning of the log until `caughtUp`. */
const lagging = (caughtUp: Deferred.Deferred<void>) =>
  Streams.layer({
    serving: Http.layerNoServer.pipe(
      Layer.provide(
        Layer.effect(
          Projections,
          Effect.map(Projections, (projections) =>
            Projections.of({
              ...projections,
              waitFor: () => Effect.succeed(false),
              caughtUp: () => Effect.succeed(false),
              changes: (projection) =>
                Stream.concat(
                  Stream.make(GlobalPosition.beginning),
                  Stream.unwrap(Effect.as(Deferred.await(caughtUp), projections.changes(projection)))
                )
            })
          )
        )
      )
    )
  })

describe("a stream that is opened while the history lags", () => {
  it.live("waits for everything recorded before, and sends no change that was over by then", () =>
    Effect.gen(function* () {
      const caughtUp = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        const id = yield* accepted()
        const clients = yield* Effect.forEach(
          ["/requests/stream", `/requests/stream?request_id=${id}`],
          (path) => Streams.stream(path)
        )
        yield* Effect.forEach(clients, (client) => client.until((client) => client.body() !== ""))
        yield* Lifecycle.start(id)
        const { waitFor } = yield* Projections
        const { head } = yield* EventReader
        assert.isTrue(yield* waitFor(yield* head, { projection: "history" }))
        for (const client of clients) assert.strictEqual(client.body(), "retry: 2000\n\n")
        yield* Deferred.succeed(caughtUp, undefined)
        for (const client of clients) {
          yield* client.until((client) => client.body().includes("up to here"))
          assert.deepStrictEqual(Streams.told(client), [[id, "IN_PROGRESS"]])
        }
      }).pipe(Effect.provide(lagging(caughtUp)))
    }).pipe(Effect.scoped)
  )
})
