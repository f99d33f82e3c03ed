/** First frames of films, by an installed ffmpeg. It only gets a local file of a known kind. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Config, Duration, Effect, Schema, Semaphore } from "effect"

/** No frame could be made, because of the film's bytes or size. */
export class NoFrame extends Schema.TaggedError<NoFrame>()("NoFrame", {
  reason: Schema.Literals(["failed", "deadline", "too_large"])
}) {
  override get message(): string {
    return `No frame was made: ${this.reason}`
  }
}

interface Film {
  /** Absolute path. */
  readonly path: string
  readonly demuxer: Demuxer
  /** Longest side of the frame, in pixels. */
  readonly side: number
}

interface Ffmpeg {
  /** The first frame as PNG, upright, never enlarged. An interruption or the deadline of 15 s kills the process. */
  firstFrame(film: Film): Effect.Effect<Uint8Array, NoFrame>
}

/** The only demuxers that ffmpeg may use: none reads a playlist or opens a second file. */
export type Demuxer = "mov" | "matroska"

const deadline = Duration.seconds(15)

/** Processes at the same time. */
const processes = 2

/** The most pixels of a frame, 4096 × 2304: a decoder may hold sixteen frames. */
const maxPixels = 9_437_184

/** The largest single allocation of ffmpeg, in bytes. */
const maxAllocation = 256 * 1024 * 1024

/** Bytes of a PNG with at most 16 bits a channel at the requested size. */
const maxBytes = 4 * 1024 * 1024

const formats: Readonly<Record<Demuxer, string>> = {
  mov: "mov,mp4,m4a,3gp,3g2,mj2",
  matroska: "matroska,webm"
}

/** `-timelimit` ends a process that outlives ours; it counts seconds of CPU time. */
const argumentsOf = ({ demuxer, path, side }: Film): ReadonlyArray<string> =>
  [
    ["-nostdin", "-hide_banner", "-loglevel", "quiet"],
    [
      "-timelimit",
      String(Duration.toSeconds(deadline)),
      "-max_alloc",
      String(maxAllocation),
      "-filter_threads",
      "1"
    ],
    ["-protocol_whitelist", "file,pipe", "-format_whitelist", formats[demuxer]],
    ["-f", demuxer, "-threads", "1", "-max_pixels", String(maxPixels), "-i", `file:${path}`],
    ["-map", "0:v:0", "-frames:v", "1"],
    ["-vf", `scale=w='min(${side},iw)':h='min(${side},ih)':force_original_aspect_ratio=decrease`],
    ["-threads", "1", "-c:v", "png", "-pix_fmt", "rgb24", "-f", "image2pipe", "pipe:1"]
  ].flat()

/** Runs to its end. All output but the frame is discarded, because it repeats text of the film. */
const run = (program: string, args: ReadonlyArray<string>) =>
  Effect.callback<Uint8Array, NoFrame>((resume) => {
    const fail = (reason: NoFrame["reason"]) => resume(Effect.fail(new NoFrame({ reason })))
    const child = childProcess.spawn(program, args, {
      stdio: ["ignore", "pipe", "ignore"],
      env: {},
      cwd: "/"
    })
    const chunks: Array<Uint8Array> = []
    let size = 0
    child.stdout.on("data", (chunk: Uint8Array) => {
      size += chunk.length
      if (size <= maxBytes) return chunks.push(chunk)
      child.kill("SIGKILL")
      return fail("too_large")
    })
    child.on("error", () => fail("failed"))
    child.on("close", (code) =>
      code === 0 && size > 0 ? resume(Effect.succeed(Buffer.concat(chunks))) : fail("failed")
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  }).pipe(
    Effect.timeoutOrElse({
      duration: deadline,
      orElse: () => Effect.fail(new NoFrame({ reason: "deadline" }))
    })
  )

export const make = Effect.fnUntraced(function* (program: string) {
  const slots = yield* Semaphore.make(processes)
  const firstFrame: Ffmpeg["firstFrame"] = Effect.fn("Ffmpeg.firstFrame")((film) =>
    slots.withPermit(run(program, argumentsOf(film)))
  )
  return { firstFrame } satisfies Ffmpeg
})

const isExecutable = (file: string) =>
  Effect.promise(() =>
    fs.access(file, fs.constants.X_OK).then(
      () => true,
      () => false
    )
  )

/** The first match in `PATH`; `null` without one. */
export const find = Effect.gen(function* () {
  const folders = yield* Config.withDefault(Config.String("PATH"), "")
  for (const folder of folders.split(path.delimiter)) {
    const program = path.join(folder, "ffmpeg")
    if (path.isAbsolute(folder) && (yield* isExecutable(program))) return program
  }
  return null
})
