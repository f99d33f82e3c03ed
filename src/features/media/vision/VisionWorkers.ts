/** Pictures are decoded, changed and read only in worker threads (security, "Pictures"). */
import { Config, Context, Duration, Effect, Layer, Schema } from "effect"
import * as os from "node:os"
import * as Setting from "#src/kernel/settings/Setting.ts"
import {
  type DrawTask,
  type EncodeTask,
  Encoded,
  Hashed,
  type HashTask,
  Objection,
  type ReadTask,
  Recognized,
  type ShrinkTask,
  type VisionTask
} from "./VisionTask.ts"
import * as VisionPackages from "./VisionPackages.ts"
import type { VisionMissing } from "./VisionPackages.ts"
import type { WorkerLost } from "#src/kernel/threads/WorkerLost.ts"
import * as WorkerPool from "#src/kernel/threads/WorkerPool.ts"

const objections: Record<Objection, string> = {
  unreadable: "The image is damaged or of a kind that cannot be read.",
  too_many_pixels: "The image is too large: it has more than 50 megapixels.",
  output_too_large: "The output would be too large: at most 50 megapixels and 16,384 pixels a side.",
  unknown_color: "The color is not a CSS color.",
  not_encodable: "The image cannot be written in this format at this size."
}

/** The picture or the parameters are at fault: a retry gives the same result. */
export class PictureRefused extends Schema.TaggedError<PictureRefused>()("PictureRefused", {
  reason: Objection
}) {
  override get message(): string {
    return objections[this.reason]
  }
}

type Failure = PictureRefused | WorkerLost | VisionMissing

/** `started` runs when a worker takes the task. An interruption ends the worker. */
type Run<Task, Result> = (task: Task, started: Effect.Effect<void>) => Effect.Effect<Result, Failure>

const Answer = Schema.Union([
  Schema.Struct({ _tag: Schema.tag("Done"), value: Schema.Unknown }),
  Schema.Struct({ _tag: Schema.tag("Refused"), reason: Objection })
])
const decodeAnswer = Schema.decodeUnknownEffect(Answer)

/** The longest time for one picture. */
const deadline = Duration.seconds(60)

/** Below libuv's four threads, which run native image code and the server's file access. */
const defaultWorkers = Math.min(3, os.availableParallelism())

const WorkerCount = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))

export const visionWorkers = Setting.make({
  name: "VISION_WORKERS",
  config: (name) => Config.schema(WorkerCount, name),
  default: defaultWorkers,
  defaultText: "cores, at most 3",
  description: "threads that read and change pictures",
  accepts: "1 to 64",
  example: "2"
})

/** Started with the first picture, because most servers never process one. */
const setUp = VisionPackages.loadedWith("sharp", () => import("./Libvips.ts"))

export class VisionWorkers extends Context.Service<
  VisionWorkers,
  {
    /** Rotates a picture upright, scales it and writes it without metadata. First frame of an animation. */
    readonly encode: Run<EncodeTask, Encoded>
    /** Rotates a picture upright and writes a small WebP without metadata. First frame of an animation. */
    readonly shrink: Run<ShrinkTask, Encoded>
    /** Writes a PNG of one colour. */
    readonly draw: Run<DrawTask, Encoded>
    readonly hash: Run<HashTask, Hashed>
    /** Reads English text. */
    readonly read: Run<ReadTask, Recognized>
  }
>()("inferlog/src/features/media/vision/VisionWorkers") {
  /** At most `VISION_WORKERS` threads. */
  static readonly layer = Layer.effect(
    VisionWorkers,
    Effect.gen(function* () {
      yield* VisionPackages.warn
      const pool = yield* WorkerPool.make({
        file: new URL("./worker/Main.ts", import.meta.url),
        size: yield* visionWorkers.config,
        heapMb: 256,
        muted: true,
        timeToLive: Duration.seconds(60)
      })
      const runWith = <Task extends VisionTask, Result>(
        schema: Schema.ConstraintDecoder<Result>
      ): Run<Task, Result> => {
        const decode = Schema.decodeUnknownEffect(schema)
        return Effect.fnUntraced(function* (task, started) {
          yield* setUp
          if (task._tag === "Read") yield* VisionPackages.require("tesseract.js")
          const answer = yield* pool
            .run({ task, started, deadline })
            .pipe(Effect.flatMap((raw) => Effect.orDie(decodeAnswer(raw))))
          switch (answer._tag) {
            case "Done":
              return yield* Effect.orDie(decode(answer.value))
            case "Refused":
              return yield* new PictureRefused({ reason: answer.reason })
          }
        })
      }

      return VisionWorkers.of({
        encode: runWith(Encoded),
        shrink: runWith(Encoded),
        draw: runWith(Encoded),
        hash: runWith(Hashed),
        read: runWith(Recognized)
      })
    })
  )
}
