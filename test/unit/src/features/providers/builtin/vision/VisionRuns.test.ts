import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { readFileSync } from "node:fs"
import sharp from "sharp"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Money from "#domain/Money.ts"
import { visionModels } from "#src/features/catalog/models/builtin/vision/VisionModels.ts"
import { VisionRuns } from "#src/features/providers/builtin/vision/VisionRuns.ts"
import { Hashed, Recognized } from "#src/features/media/vision/VisionTask.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as RecordedRun from "#test/support/src/features/providers/builtin/sandbox/RecordedRun.ts"
import {
  dataUri,
  download,
  jobOf,
  layer as services,
  run,
  upload
} from "#test/support/src/features/providers/builtin/vision/VisionServices.ts"

const picture = (width: number, height: number) =>
  Effect.promise(() =>
    sharp({ create: { width, height, channels: 3, background: "#336699" } })
      .png()
      .toBuffer()
  )

const ImageOutput = Schema.Struct({
  image: Schema.Struct({
    url: Schema.String,
    contentType: Schema.String,
    width: Schema.Int,
    height: Schema.Int,
    size: Schema.Int
  })
})

/** The output of a successful run, decoded by the schema, and the billed units. */
const succeed = Effect.fn(function* <Output>(
  schema: Schema.ConstraintDecoder<Output>,
  endpoint: string,
  input: Json
) {
  const outcome = yield* run(endpoint, input)
  if (outcome._tag !== "Succeeded") return assert.fail(JSON.stringify(outcome))
  const output = yield* Schema.decodeUnknownEffect(schema)(outcome.output)
  return { output, delivered: outcome.delivered }
})

/** The stored picture of a successful run, checked against its output. */
const imageOf = Effect.fn(function* (endpoint: string, input: Json) {
  const { output, delivered } = yield* succeed(ImageOutput, endpoint, input)
  const { bytes, media } = yield* download(output.image.url)
  const metadata = yield* Effect.promise(() => sharp(bytes).metadata())
  const { width, height } = metadata
  assert.deepInclude(output.image, { contentType: media.contentType, size: bytes.length, width, height })
  return { image: output.image, metadata, media, delivered }
})

const text = dataUri(readFileSync(new URL("../../../../../../fixtures/images/text.png", import.meta.url)))

describe("VisionRuns", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each(visionModels.map(({ model }) => model))("$endpoint runs its own example", (model) =>
      Effect.gen(function* () {
        const { control, reports } = yield* RecordedRun.make
        const outcome = yield* (yield* VisionRuns).run(RecordedRun.jobOf(model, model.exampleInput), control)
        assert.strictEqual(outcome._tag, "Succeeded")
        assert.deepStrictEqual(reports, ["started"])
      })
    )

    it.effect("resizes a downloaded picture, and bills the output's pixels", () =>
      Effect.gen(function* () {
        const bytes = yield* picture(300, 200)
        const receiver = yield* Receiver.https((_request, response) => response.end(bytes))
        const url = `https://receiver.example.com:${receiver.port}/picture.png`
        const made = yield* imageOf("vision/resize", { image: url, width: 60, height: 50, format: "webp" })
        assert.deepInclude(made.image, { contentType: "image/webp", width: 60, height: 50 })
        assert.strictEqual(made.metadata.format, "webp")
        assert.strictEqual(made.media.fileName, "image.webp")
        assert.strictEqual(made.media.requestId, jobOf("vision/resize", {}).requestId)
        assert.strictEqual(made.delivered, Money.millionths(3_000))
      })
    )

    it.effect.each<readonly [string, { readonly [key: string]: Json }, number, number]>([
      ["no wish", {}, 300, 200],
      ["a width", { width: 150 }, 150, 100],
      ["a height", { height: 400 }, 600, 400],
      ["fit contain", { width: 90, height: 90, fit: "contain" }, 90, 90],
      ["fit fill", { width: 90, fit: "fill" }, 90, 200],
      ["fit inside", { width: 90, height: 90, fit: "inside" }, 90, 60],
      ["fit outside", { width: 90, height: 90, fit: "outside" }, 135, 90]
    ])("resizes with %s", ([_case, wishes, width, height]) =>
      Effect.gen(function* () {
        const image = dataUri(yield* picture(300, 200))
        const made = yield* imageOf("vision/resize", { image, ...wishes })
        assert.deepInclude(made.image, { width, height, contentType: "image/png" })
      })
    )

    it.effect("rotates a picture upright and drops its metadata", () =>
      Effect.gen(function* () {
        const bytes = yield* picture(40, 20)
        const turned = yield* Effect.promise(() =>
          sharp(bytes).withMetadata({ orientation: 6 }).jpeg().toBuffer()
        )
        const made = yield* imageOf("vision/resize", { image: dataUri(turned, "image/jpeg") })
        assert.deepInclude(made.image, { width: 20, height: 40, contentType: "image/jpeg" })
        assert.isUndefined(made.metadata.exif)
      })
    )

    it.effect.each(["png", "jpeg", "webp", "avif"])("converts to %s, one image billed", (format) =>
      Effect.gen(function* () {
        const image = dataUri(yield* picture(30, 20))
        const made = yield* imageOf("vision/convert", { image, format, quality: 40 })
        assert.deepInclude(made.image, { contentType: `image/${format}`, width: 30, height: 20 })
        assert.strictEqual(made.delivered, Money.units(1))
      })
    )

    it.effect.each(["png", "jpeg", "webp", "gif", "avif", "tiff"] as const)("reads %s", (format) =>
      Effect.gen(function* () {
        const bytes = yield* picture(30, 20)
        const encoded = yield* Effect.promise(() => sharp(bytes).toFormat(format).toBuffer())
        const made = yield* imageOf("vision/convert", { image: yield* upload(encoded), format: "png" })
        assert.deepInclude(made.image, { width: 30, height: 20 })
      })
    )

    it.effect("reads text, with the position of every word", () =>
      Effect.gen(function* () {
        const { output } = yield* succeed(Recognized, "vision/ocr", { image: text, language: "eng" })
        assert.strictEqual(output.text, "Invoice 2041\nTotal: 318 dollars")
        assert.deepStrictEqual(
          output.words.map((word) => word.text),
          ["Invoice", "2041", "Total:", "318", "dollars"]
        )
        const { confidence, box } = output.words[1] ?? assert.fail("expected a second word")
        assert.isAbove(confidence, 80)
        for (const [side, expected] of [
          [box.x, 131],
          [box.y, 24],
          [box.width, 67],
          [box.height, 22]
        ] as const) {
          assert.approximately(side, expected, 6)
        }
      })
    )

    it.effect("finds no text on an empty picture", () =>
      Effect.gen(function* () {
        const { output } = yield* succeed(Recognized, "vision/ocr", {
          image: dataUri(yield* picture(50, 50))
        })
        assert.deepStrictEqual(output, { text: "", confidence: 0, words: [] })
      })
    )

    it.effect("computes a picture's blurhash, with its size", () =>
      Effect.gen(function* () {
        const image = dataUri(yield* picture(300, 200))
        const { output, delivered } = yield* succeed(Hashed, "vision/blurhash", { image })
        assert.deepInclude(output, { width: 300, height: 200 })
        assert.match(output.blurhash, /^L.{27}$/)
        assert.strictEqual(delivered, Money.units(1))
      })
    )

    it.effect("makes a picture of one color", () =>
      Effect.gen(function* () {
        const made = yield* imageOf("sandbox/media", { width: 1_000, height: 500, color: "rebeccapurple" })
        assert.deepInclude(made.image, { width: 1_000, height: 500, contentType: "image/png" })
        assert.strictEqual(made.delivered, Money.millionths(500_000))
      })
    )

    it.effect("rejects an invalid color", () =>
      Effect.gen(function* () {
        const outcome = yield* run("sandbox/media", { color: "hunter2" })
        assert.deepStrictEqual(outcome, { _tag: "ModelFailed", message: "The color is not a CSS color." })
      })
    )

    it.effect("rejects an output beyond the limits, before decoding anything", () =>
      Effect.gen(function* () {
        const image = dataUri(yield* picture(2, 200))
        const outcome = yield* run("vision/resize", { image, width: 16_384 })
        assert.strictEqual(outcome._tag, "ModelFailed")
      })
    )

    it.effect("stops on request, and ends its worker", () =>
      Effect.gen(function* () {
        const recorded = yield* RecordedRun.make
        const started = yield* Deferred.make<void>()
        const control = {
          ...recorded.control,
          started: Effect.asVoid(Deferred.succeed(started, undefined))
        }
        const image = yield* upload(yield* picture(5_000, 5_000))
        const runs = yield* VisionRuns
        const fiber = yield* Effect.forkChild(
          runs.run(jobOf("vision/convert", { image, format: "avif", quality: 90 }), control)
        )
        yield* Deferred.await(started)
        yield* recorded.stop
        assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "Stopped" })
        assert.strictEqual((yield* run("sandbox/media", {}))._tag, "Succeeded")
      })
    )

    it.effect("reports a lost download as a retryable provider error", () =>
      Effect.gen(function* () {
        const receiver = yield* Receiver.https((_request, response) => response.writeHead(503).end())
        const image = `https://receiver.example.com:${receiver.port}/`
        const outcome = yield* run("vision/blurhash", { image })
        assert.deepStrictEqual(outcome, {
          _tag: "ProviderError",
          message: "The image could not be downloaded for now.",
          retryable: true
        })
      })
    )
  })
})
