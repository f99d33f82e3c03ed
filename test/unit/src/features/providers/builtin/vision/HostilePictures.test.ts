import { assert, describe, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import * as zlib from "node:zlib"
import sharp from "sharp"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { VisionWorkers } from "#src/features/media/vision/VisionWorkers.ts"
import {
  dataUri,
  layer as services,
  run,
  upload
} from "#test/support/src/features/providers/builtin/vision/VisionServices.ts"

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(zlib.crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** A one-bit PNG of any size with only zeros: some kilobytes for hundreds of megapixels. */
const bomb = (width: number, height: number, rows = height): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const data = zlib.deflateSync(Buffer.alloc(rows * (1 + Math.ceil(width / 8))))
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", Buffer.alloc(0))
  ])
}

const tooLarge: ProviderOutcome = {
  _tag: "ModelFailed",
  message: "The image is too large: it has more than 50 megapixels."
}
const unreadable: ProviderOutcome = {
  _tag: "ModelFailed",
  message: "The image is damaged or of a kind that cannot be read."
}

const models = ["vision/resize", "vision/convert", "vision/blurhash", "vision/ocr"]

const inputOf = (endpoint: string, image: string) =>
  endpoint === "vision/convert" ? { image, format: "webp" } : { image }

describe("VisionRuns on hostile pictures", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each(models)("%s rejects 51 megapixels", (endpoint) =>
      Effect.gen(function* () {
        const image = dataUri(bomb(10_200, 5_000))
        assert.deepStrictEqual(yield* run(endpoint, inputOf(endpoint, image)), tooLarge)
      })
    )

    it.effect("accepts 50 megapixels", () =>
      Effect.gen(function* () {
        const image = dataUri(bomb(10_000, 5_000))
        assert.strictEqual((yield* run("vision/resize", { image, width: 10 }))._tag, "Succeeded")
      })
    )

    it.effect("rejects a decompression bomb by its declared size", () =>
      Effect.gen(function* () {
        const image = dataUri(bomb(60_000, 60_000, 1))
        assert.deepStrictEqual(yield* run("vision/blurhash", { image }), tooLarge)
      })
    )

    it.effect.each(models)("%s survives bytes with only the beginning of a picture", (endpoint) =>
      Effect.gen(function* () {
        const whole = yield* Effect.promise(() =>
          sharp({ create: { width: 300, height: 300, channels: 3, background: "red" } })
            .jpeg()
            .toBuffer()
        )
        for (const bytes of [
          whole.subarray(0, 30),
          Buffer.concat([whole.subarray(0, 4), Buffer.alloc(2_000, 7)])
        ]) {
          const image = yield* upload(bytes)
          assert.deepStrictEqual(yield* run(endpoint, inputOf(endpoint, image)), unreadable)
        }
      })
    )

    it.effect("a worker reads no SVG, even when it receives one", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const input = yield* fs.makeTempFileScoped()
        yield* fs.writeFileString(
          input,
          '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
        )
        const workers = yield* VisionWorkers
        const task = { _tag: "Hash", input, xComponents: 1, yComponents: 1 } as const
        const failure = yield* Effect.flip(workers.hash(task, Effect.void))
        assert.deepInclude(failure, { _tag: "PictureRefused", reason: "unreadable" })
      })
    )

    it.effect("a worker that fails for another reason than the picture is lost, and replaced", () =>
      Effect.gen(function* () {
        const workers = yield* VisionWorkers
        const task = { _tag: "Draw", width: 1, height: 1, color: "red" } as const
        const failure = yield* Effect.flip(workers.draw({ ...task, output: "/nowhere/at/all" }, Effect.void))
        assert.deepInclude(failure, { _tag: "WorkerLost", reason: "crashed" })
        assert.strictEqual((yield* run("sandbox/media", {}))._tag, "Succeeded")
      })
    )
  })
})
