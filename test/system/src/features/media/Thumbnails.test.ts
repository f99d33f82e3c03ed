import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, FileSystem, Layer, Logger, Stream } from "effect"
import * as fs from "node:fs"
import sharp, { type Sharp } from "sharp"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"
import type { LocalFile } from "#src/features/media/RemoteMedia.ts"
import * as SniffMedia from "#src/features/media/SniffMedia.ts"
import { Thumbnails } from "#src/features/media/Thumbnails.ts"
import { VisionWorkers } from "#src/features/media/vision/VisionWorkers.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as Scratch from "#test/support/Scratch.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Films from "#test/support/src/features/media/Films.ts"
import * as MediaServices from "#test/support/MediaServices.ts"
import * as Until from "#test/support/Until.ts"

const mediaUrl = "http://127.0.0.1:1"
const urls = { queueUrl: mediaUrl, baseUrl: mediaUrl, mediaUrl, mcpUrl: mediaUrl }
const { maker } = MediaServices.made
const { requestId } = maker

const settings = (values: Readonly<Record<string, string>>) =>
  ConfigProvider.layer(ConfigProvider.fromUnknown({ VISION_WORKERS: "1", ...values }))

const parts = Layer.merge(VisionWorkers.layer, MediaServices.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryBlobStore.layer, Scratch.layer, NodeFileSystem.layer)),
  Layer.provide(PublicUrls.layerOf(urls)),
  Layer.provide(settings({}))
)

const servicesWith = (program: string | null) =>
  Thumbnails.layerNoDeps(program).pipe(Layer.provideMerge(parts))

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "tomato" } })

const bytesOf = (image: Sharp) => Effect.promise(() => image.toBuffer())

const local = Effect.fnUntraced(function* (bytes: Uint8Array, claimed: string | null = null) {
  const path = `${yield* TempDirectory.make}/file`
  yield* (yield* FileSystem.FileSystem).writeFile(path, bytes)
  return {
    _tag: "LocalFile",
    path,
    size: bytes.length,
    ...SniffMedia.fileType(bytes, claimed)
  } satisfies LocalFile
})

/** The thumbnail of a file, and the log lines. */
const make = Effect.fnUntraced(function* (source: Parameters<Thumbnails["Service"]["make"]>[0]["source"]) {
  const logged: Array<string> = []
  const log = (line: string) => {
    // The test clock says so when the work takes longer than a second, on a busy machine.
    if (!line.startsWith("A test is using time")) logged.push(line)
  }
  const logger = Logger.layer([Logger.make(({ message }) => log(String(message)))])
  const planned = MediaUrl.makeId()
  const id = yield* (yield* Thumbnails).make({ source, id: planned, maker }).pipe(Effect.provide(logger))
  if (id !== null) assert.strictEqual(id, planned)
  const fs = yield* FileSystem.FileSystem
  assert.deepStrictEqual(yield* fs.readDirectory(yield* ScratchDirectory), [])
  return { id, logged }
})

/** The stored thumbnail of a file. */
const made = Effect.fnUntraced(function* (source: Parameters<typeof make>[0]) {
  const { id, logged } = yield* make(source)
  assert.deepStrictEqual(logged, [])
  const store = yield* MediaStore
  const { body, media } = yield* Effect.fromNullishOr(
    yield* store.open(id ?? assert.fail("expected a thumbnail"))
  )
  const bytes = yield* Stream.mkUint8Array(body)
  const { channels, format, height, pages, width } = yield* Effect.promise(() => sharp(bytes).metadata())
  return { media, bytes, is: { format, width, height, pages, channels } }
})

const failed = ["A thumbnail could not be made"]

describe("Thumbnails.make", () => {
  layer(servicesWith(null), { excludeTestServices: true })("of pictures", (it) => {
    it.effect.each([
      [1_000, 500, 320, 160],
      [500, 1_000, 160, 320],
      [320, 320, 320, 320],
      [40, 30, 40, 30],
      [3_000, 1, 320, 1]
    ] as const)("turns %i × %i into %i × %i, as WebP", ([width, height, smallWidth, smallHeight]) =>
      Effect.gen(function* () {
        const { is, media } = yield* made(yield* local(yield* bytesOf(picture(width, height).png())))
        assert.deepInclude(is, { format: "webp", width: smallWidth, height: smallHeight })
        assert.deepInclude(media, { contentType: "image/webp", fileName: "thumbnail.webp", requestId })
      })
    )

    it.effect.each(["jpeg", "webp", "gif", "avif", "tiff"] as const)("reads %s", (format) =>
      Effect.gen(function* () {
        const bytes = yield* bytesOf(picture(640, 640).toFormat(format))
        assert.deepInclude((yield* made(yield* local(bytes))).is, { format: "webp", width: 320, height: 320 })
      })
    )

    it.effect("rotates it upright, without its metadata", () =>
      Effect.gen(function* () {
        const bytes = yield* bytesOf(picture(640, 320).jpeg().withMetadata({ orientation: 6 }))
        const thumbnail = yield* made(yield* local(bytes))
        assert.deepInclude(thumbnail.is, { width: 160, height: 320 })
        assert.isUndefined((yield* Effect.promise(() => sharp(thumbnail.bytes).metadata())).exif)
      })
    )

    it.effect("uses the first frame of an animation", () =>
      Effect.gen(function* () {
        const frames = ["red", "blue"].map((background) => ({
          create: { width: 400, height: 400, channels: 4 as const, background }
        }))
        const inputs = yield* Effect.forEach(frames, (frame) => bytesOf(sharp(frame).png()))
        const bytes = yield* bytesOf(
          sharp(inputs, { join: { animated: true } }).webp({ loop: 0, delay: [100, 100] })
        )
        assert.strictEqual((yield* Effect.promise(() => sharp(bytes).metadata())).pages, 2)
        const thumbnail = yield* made(yield* local(bytes))
        assert.deepInclude(thumbnail.is, { width: 320, height: 320 })
        assert.isUndefined(thumbnail.is.pages)
        const { channels } = yield* Effect.promise(() => sharp(thumbnail.bytes).stats())
        assert.isAbove(channels[0]?.mean ?? 0, 200)
      })
    )

    it.effect("reads a file that is already in the store", () =>
      Effect.gen(function* () {
        const store = yield* MediaStore
        const body = yield* bytesOf(picture(640, 640).png())
        const media = yield* store.put({
          ...MediaServices.made,
          fileName: "a.png",
          contentType: "image/png",
          body
        })
        assert.deepInclude((yield* made(media)).is, { width: 320, height: 320 })
        yield* store.remove(media.id, "requested")
        assert.deepStrictEqual(yield* make(media), { id: null, logged: failed })
      })
    )

    it.effect("creates one thumbnail when it runs twice", () =>
      Effect.gen(function* () {
        const source = yield* local(yield* bytesOf(picture(40, 40).png()))
        const id = MediaUrl.makeId()
        const thumbnails = yield* Thumbnails
        yield* thumbnails.make({ source, id, maker })
        const first = yield* (yield* MediaStore).find(id)
        yield* thumbnails.make({ source, id, maker })
        assert.deepStrictEqual(yield* (yield* MediaStore).find(id), first)
      })
    )

    it.effect("ignores other files without logging", () =>
      Effect.gen(function* () {
        for (const [text, type] of [
          ["a,b", "text/csv"],
          ["fLaC\0", null],
          ["hello", "image/heic"],
          ["hello", "video/mp4"],
          ["\0\0\0\u0020ftypisom", null],
          ["<svg/>", "image/png"],
          ["", null]
        ] as const) {
          const source = yield* local(Buffer.from(text, "latin1"), type)
          assert.deepStrictEqual(yield* make(source), { id: null, logged: [] })
        }
      })
    )

    it.effect("logs a damaged picture in one line, without failing", () =>
      Effect.gen(function* () {
        const whole = yield* bytesOf(picture(300, 300).jpeg())
        for (const bytes of [
          whole.subarray(0, 30),
          Buffer.concat([whole.subarray(0, 4), Buffer.alloc(2_000, 7)])
        ]) {
          assert.deepStrictEqual(yield* make(yield* local(bytes)), { id: null, logged: failed })
        }
        const missing = { ...(yield* local(whole)), path: "/nowhere/at/all" }
        assert.deepStrictEqual(yield* make(missing), { id: null, logged: failed })
      })
    )
  })

  it.effect("does not fail when the store cannot be written", () =>
    Effect.gen(function* () {
      const source = yield* local(yield* bytesOf(picture(40, 40).png()))
      assert.deepStrictEqual(yield* make(source), { id: null, logged: failed })
    }).pipe(
      Effect.provide(
        Thumbnails.layerNoDeps(null).pipe(
          Layer.provide(
            Layer.effect(
              MediaStore,
              Effect.map(MediaStore, (store) => ({ ...store, put: () => Effect.die("disk full") }))
            )
          ),
          Layer.provideMerge(parts)
        )
      )
    )
  )

  it.effect("ends without logging when its caller is interrupted", () =>
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      const program = `${folder}/ffmpeg`
      fs.writeFileSync(program, `#!/bin/sh\n: > ${folder}/started; exec /bin/sleep 1000\n`, { mode: 0o700 })
      const source = yield* local(Buffer.from("\0\0\0\u0020ftypisom"))
      const logged: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
      const fiber = yield* Effect.flatMap(Thumbnails, (thumbnails) =>
        thumbnails.make({ source, id: MediaUrl.makeId(), maker })
      ).pipe(Effect.provide(Thumbnails.layerNoDeps(program)), Effect.provide(logger), Effect.forkChild)
      const names = Effect.sync(() => fs.readdirSync(folder))
      yield* Until.polled("a start of ffmpeg", names, (all) => all.includes("started"), Until.processes)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(logged, [])
      assert.deepStrictEqual(fs.readdirSync(yield* ScratchDirectory), [])
    }).pipe(Effect.provide(parts))
  )

  it.effect("logs once, at start, that films get none without ffmpeg", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
      const start = (path: string) =>
        Effect.scoped(Layer.build(Thumbnails.layer)).pipe(
          Effect.provide(Layer.mergeAll(parts, settings({ PATH: path }), logger))
        )
      yield* start("/nowhere")
      assert.deepStrictEqual(logged, ["Films get no thumbnails: there is no ffmpeg in PATH"])
    })
  )
})

describe.skipIf(Films.program === null)(`Thumbnails.make${Films.whyNot}`, () => {
  layer(servicesWith(Films.program), { excludeTestServices: true })("of films", (it) => {
    const film = Effect.fnUntraced(function* (name: string, ...options: ReadonlyArray<string>) {
      const path = `${yield* TempDirectory.make}/${name}`
      Films.make(path, ...options)
      return yield* (yield* FileSystem.FileSystem).readFile(path)
    })

    it.effect.each<readonly [string, string]>([
      ["film.mp4", "video/mp4"],
      ["film.mov", "video/quicktime"],
      ["film.webm", "video/webm"],
      ["film.mkv", "video/x-matroska"]
    ])("creates one of %s", ([name, contentType]) =>
      Effect.gen(function* () {
        const source = yield* local(yield* film(name))
        assert.strictEqual(source.contentType, contentType)
        assert.deepInclude((yield* made(source)).is, { format: "webp", width: 320, height: 180 })
      })
    )

    it.effect("creates one of a stored film", () =>
      Effect.gen(function* () {
        const body = yield* film("film.mp4")
        const media = yield* (yield* MediaStore).put({
          ...MediaServices.made,
          fileName: "a.mp4",
          contentType: "video/mp4",
          body
        })
        assert.deepInclude((yield* made(media)).is, { width: 320, height: 180 })
      })
    )

    it.effect("logs a truncated film in one line", () =>
      Effect.gen(function* () {
        const whole = yield* film("film.mp4")
        const source = yield* local(whole.subarray(0, whole.length / 2))
        assert.deepStrictEqual(yield* make(source), { id: null, logged: failed })
      })
    )

    it.effect("passes no text or playlist with a film's name to ffmpeg", () =>
      Effect.gen(function* () {
        for (const text of ["hello", "#EXTM3U\n/etc/passwd\n", "ffconcat version 1.0\nfile /etc/passwd\n"]) {
          const source = yield* local(Buffer.from(text), "video/mp4")
          assert.deepStrictEqual(yield* make(source), { id: null, logged: [] })
        }
      })
    )
  })
})
