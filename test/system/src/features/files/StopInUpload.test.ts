/**
 * A server that is stopped during a PUT.
 * @alone It checks times or memory against limits.
 */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as StorePlace from "#test/support/src/features/files/upload-flows/StorePlace.ts"
import * as Unsettled from "#test/support/src/features/files/upload-flows/Unsettled.ts"
import * as UploadServer from "#test/support/src/features/files/upload-flows/UploadServer.ts"

/** How long an empty process takes on two idle cores, ms. */
const bareMsAlone = 300

describe("SIGTERM during a PUT", () => {
  it.live("ends the server in time, answers the client, and leaves nothing readable", () =>
    Effect.gen(function* () {
      const place = yield* StorePlace.make("disk")
      const busy = Math.max(1, (yield* Effect.promise(ServerProcess.bareStartMs)) / bareMsAlone)
      const unsettled = yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* UploadServer.start(place)
          const { unsettled } = yield* Effect.provideService(
            Unsettled.single(20_000_000, 10_000_000),
            UploadServer.UploadServer,
            server
          )
          const [elapsed, code] = yield* Effect.timed(Effect.promise(() => server.process.kill("SIGTERM")))
          assert.strictEqual(code, 0, server.process.output())
          assert.isBelow(Duration.toMillis(elapsed), 3_000 * busy)
          assert.include([null, 500, 503], yield* Effect.promise(() => unsettled.answered))
          return { ...unsettled, answered: Promise.resolve(null) }
        })
      )
      assert.deepStrictEqual(yield* place.keys("~"), [])
      assert.deepStrictEqual(yield* place.keys("media/"), [])
      const server = yield* UploadServer.start(place)
      const isThere = yield* Effect.provideService(
        Unsettled.check(unsettled),
        UploadServer.UploadServer,
        server
      )
      assert.isFalse(isThere)
    })
  )
})
