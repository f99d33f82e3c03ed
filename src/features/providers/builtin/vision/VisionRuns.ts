/** Runs of vision models: fetch the picture, process it in a worker thread, store the result. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Context, Effect, FileSystem, Layer, Schema, type Scope } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Money from "#domain/Money.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { ImageSource } from "#src/features/media/ImageSource.ts"
import type { Maker } from "#src/features/media/Media.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { MediaInput, mediaDefaults } from "#src/features/catalog/models/builtin/sandbox/Media.ts"
import { BlurhashInput, defaultComponents } from "#src/features/catalog/models/builtin/vision/Blurhash.ts"
import { ConvertInput } from "#src/features/catalog/models/builtin/vision/Convert.ts"
import { OcrInput } from "#src/features/catalog/models/builtin/vision/Ocr.ts"
import { ResizeInput } from "#src/features/catalog/models/builtin/vision/Resize.ts"
import type { Job, RunControl } from "../../Provider.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import * as OutputImage from "./OutputImage.ts"
import { outcomeOf, type VisionFailure } from "./VisionFailure.ts"
import type { EncodeTask } from "#src/features/media/vision/VisionTask.ts"
import { VisionWorkers } from "#src/features/media/vision/VisionWorkers.ts"

interface Finished {
  readonly output: Json
  readonly delivered: Money.Quantity
}

interface Call {
  readonly maker: Maker
  /** Runs when a worker takes the task. */
  readonly started: Effect.Effect<void>
}

type Run = (input: Json, call: Call) => Effect.Effect<Finished, VisionFailure, Scope.Scope>

/** A run over what `schema` decodes from an input that is valid under the model's schema. */
const defineRun = <Input>(
  schema: Schema.ConstraintDecoder<Input>,
  run: (input: Input, call: Call) => ReturnType<Run>
): Run => {
  const decode = Schema.decodeUnknownEffect(schema)
  return (input, call) => Effect.flatMap(Effect.orDie(decode(input)), (decoded) => run(decoded, call))
}

type EncodeInput = Omit<EncodeTask, "_tag" | "input" | "output"> & { readonly image: string }

const perImage = (output: Json): Finished => ({ output, delivered: Money.units(1) })

const perMegapixel = (image: OutputImage.OutputImage): Finished => ({
  output: { image },
  delivered: Money.millionths(image.width * image.height)
})

const stopped: ProviderOutcome = { _tag: "Stopped" }

const unknownModel: ProviderOutcome = {
  _tag: "ProviderError",
  message: "There is no such vision model.",
  retryable: false
}

export class VisionRuns extends Context.Service<
  VisionRuns,
  {
    /** Runs a job of one of `visionModels`; it starts when a worker takes it. A stop or interruption ends the worker. */
    run(job: Job, control: RunControl): Effect.Effect<ProviderOutcome>
  }
>()("inferlog/src/features/providers/builtin/vision/VisionRuns") {
  static readonly layerNoDeps = Layer.effect(
    VisionRuns,
    Effect.gen(function* () {
      const sources = yield* ImageSource
      const workers = yield* VisionWorkers
      const store = OutputImage.make({
        fs: yield* FileSystem.FileSystem,
        store: yield* MediaStore,
        scratch: yield* ScratchDirectory
      })

      const encode = Effect.fnUntraced(function* (
        { image, ...wishes }: EncodeInput,
        { maker, started }: Call
      ) {
        const { path } = yield* sources.open(image)
        return yield* store(maker, (output) =>
          workers.encode({ _tag: "Encode", input: path, output, ...wishes }, started)
        )
      })

      const resize = defineRun(ResizeInput, (input, call) => Effect.map(encode(input, call), perMegapixel))

      const convert = defineRun(ConvertInput, (input, call) =>
        Effect.map(encode(input, call), (image) => perImage({ image }))
      )

      const blurhash = defineRun(BlurhashInput, ({ image, xComponents, yComponents }, { started }) =>
        sources.open(image).pipe(
          Effect.flatMap(({ path }) =>
            workers.hash(
              {
                _tag: "Hash",
                input: path,
                xComponents: xComponents ?? defaultComponents.x,
                yComponents: yComponents ?? defaultComponents.y
              },
              started
            )
          ),
          Effect.map(perImage)
        )
      )

      const ocr = defineRun(OcrInput, ({ image }, { started }) =>
        sources.open(image).pipe(
          Effect.flatMap(({ path }) => workers.read({ _tag: "Read", input: path }, started)),
          Effect.map(perImage)
        )
      )

      const media = defineRun(MediaInput, (input, { maker, started }) =>
        store(maker, (output) =>
          workers.draw({ _tag: "Draw", output, ...mediaDefaults, ...input }, started)
        ).pipe(Effect.map(perMegapixel))
      )

      const runs: ReadonlyMap<string, Run> = new Map([
        ["vision/resize", resize],
        ["vision/convert", convert],
        ["vision/blurhash", blurhash],
        ["vision/ocr", ocr],
        ["sandbox/media", media]
      ])

      const run: VisionRuns["Service"]["run"] = Effect.fn("VisionRuns.run")(function* (job, control) {
        const modelRun = runs.get(job.model.endpoint)
        if (modelRun === undefined) return unknownModel
        const work = modelRun(job.input, { maker: job, started: control.started }).pipe(
          Effect.scoped,
          Effect.map((finished): ProviderOutcome => ({ _tag: "Succeeded", ...finished })),
          Effect.catch((failure) => Effect.succeed(outcomeOf(failure)))
        )
        return yield* Effect.raceFirst(work, Effect.as(control.stopRequested, stopped))
      })

      return VisionRuns.of({ run })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([VisionWorkers.layer, ImageSource.layer]),
    Layer.provide(NodeFileSystem.layer)
  )
}
