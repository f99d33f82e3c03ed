import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import * as path from "node:path"
import { VisionWorkers } from "#src/features/media/vision/VisionWorkers.ts"

const input = path.join(import.meta.dirname, "../../../../../fixtures/images/text.png")
const task = { _tag: "Hash", input, xComponents: 4, yComponents: 3 } as const

const workers = VisionWorkers.layer.pipe(
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ VISION_WORKERS: "1" })))
)

const hash = Effect.flatMap(VisionWorkers, ({ hash }) => hash(task, Effect.void))

/** In a worker that starts for it and ends after it. */
const hashAnew = Effect.provide(hash, Layer.fresh(workers))

describe("VisionWorkers", () => {
  // All threads share the allowed formats of libvips: a worker that set them briefly took them from the others, so
  // that a few of ten thousand pictures were unreadable.
  it.live("read pictures while other workers start", () =>
    Effect.gen(function* () {
      const first = yield* hash
      const { default: sharp } = yield* Effect.promise(() => import("sharp"))
      const look = Effect.tryPromise(() => sharp(input).metadata())
      const begin = Effect.gen(function* () {
        for (let begun = 0; begun < 30; begun++) assert.deepStrictEqual(yield* hashAnew, first)
      })
      yield* Effect.raceFirst(Effect.forever(look), begin)
    }).pipe(Effect.provide(workers))
  )
})
