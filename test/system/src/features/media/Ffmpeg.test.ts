import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as fs from "node:fs"
import sharp from "sharp"
import * as Ffmpeg from "#src/features/media/Ffmpeg.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Films from "#test/support/src/features/media/Films.ts"
import * as Until from "#test/support/Until.ts"

const demuxers = ["mov", "matroska"] as const

const firstFrame = Effect.fnUntraced(function* (path: string, demuxer: Ffmpeg.Demuxer = "mov") {
  const ffmpeg = yield* Ffmpeg.make(Films.program ?? "ffmpeg")
  const png = yield* ffmpeg.firstFrame({ path, demuxer, side: 320 })
  return yield* Effect.promise(() => sharp(png).metadata())
})

/** Runs a shell script instead of ffmpeg. */
const runScript = Effect.fnUntraced(function* (folder: string, script: string) {
  const program = `${folder}/ffmpeg`
  fs.writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o700 })
  const ffmpeg = yield* Ffmpeg.make(program)
  return yield* ffmpeg.firstFrame({ path: `${folder}/film`, demuxer: "mov", side: 320 })
})

const until = (isSo: () => boolean) => Until.holds("a fact of the process", isSo, isSo, Until.processes)

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A process that would never end, and its id. */
const startEndless = Effect.fnUntraced(function* (folder: string) {
  const file = `${folder}/pid`
  const fiber = yield* Effect.forkChild(
    runScript(
      folder,
      `trap "" TERM; echo $$ > ${file}.new; /bin/mv ${file}.new ${file}; exec /bin/sleep 1000`
    )
  )
  yield* until(() => fs.existsSync(file))
  return { fiber, pid: Number(fs.readFileSync(file, "utf8")) }
})

describe.skipIf(Films.program === null)(`Ffmpeg.firstFrame${Films.whyNot}`, () => {
  it.effect.each<readonly [string, Ffmpeg.Demuxer, ReadonlyArray<string>]>([
    ["film.mp4", "mov", ["-c:v", "libx264", "-pix_fmt", "yuv420p"]],
    ["film.mov", "mov", ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"]],
    ["film.webm", "matroska", ["-c:v", "libvpx-vp9"]],
    ["film.mkv", "matroska", ["-c:v", "libx264"]]
  ])("shrinks a frame of %s", ([name, demuxer, options]) =>
    Effect.gen(function* () {
      const path = `${yield* TempDirectory.make}/${name}`
      Films.make(path, ...options)
      assert.deepInclude(yield* firstFrame(path, demuxer), { format: "png", width: 320, height: 180 })
    })
  )

  it.effect("does not enlarge, and handles an upright film", () =>
    Effect.gen(function* () {
      const path = `${yield* TempDirectory.make}/film.mp4`
      Films.make(path, "-vf", "scale=90:160")
      assert.deepInclude(yield* firstFrame(path), { width: 90, height: 160 })
    })
  )

  it.effect("opens no file or address in a playlist", () =>
    Effect.gen(function* () {
      const canary = yield* Receiver.silent()
      const folder = yield* TempDirectory.make
      Films.make(`${folder}/secret.mp4`)
      Films.make(`${folder}/secret.ts`)
      const playlists = [
        `ffconcat version 1.0\nfile secret.mp4\n`,
        `ffconcat version 1.0\nfile 'http://127.0.0.1:${canary.port}/a.mp4'\n`,
        `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nsecret.ts\n#EXT-X-ENDLIST\n`,
        `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:${canary.port}/a.ts\n#EXT-X-ENDLIST\n`,
        "ffconcat version 1.0\nfile /etc/passwd\n",
        "file:/etc/passwd"
      ]
      for (const [index, playlist] of playlists.entries()) {
        const path = `${folder}/${index}.mp4`
        fs.writeFileSync(path, playlist)
        for (const demuxer of demuxers) {
          const failure = yield* Effect.flip(firstFrame(path, demuxer))
          assert.strictEqual(failure.reason, "failed", playlist)
        }
      }
      assert.strictEqual(canary.connections(), 0)
    })
  )

  it.effect("fails on a film without its index, and on other files", () =>
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      Films.make(`${folder}/whole.mp4`)
      const whole = fs.readFileSync(`${folder}/whole.mp4`)
      for (const bytes of [
        whole.subarray(0, whole.length / 2),
        whole.subarray(0, 40),
        Buffer.from("hello")
      ]) {
        fs.writeFileSync(`${folder}/cut.mp4`, bytes)
        assert.strictEqual((yield* Effect.flip(firstFrame(`${folder}/cut.mp4`))).reason, "failed")
      }
      assert.strictEqual((yield* Effect.flip(firstFrame(`${folder}/none.mp4`))).reason, "failed")
    })
  )

  it.effect("decodes no frame of a false size, or larger than 4096 × 2304", () =>
    Effect.gen(function* () {
      const path = `${yield* TempDirectory.make}/huge.mov`
      Films.make(path, "-c:v", "mjpeg", "-pix_fmt", "yuvj420p")
      const bytes = fs.readFileSync(path)
      for (
        let at = bytes.indexOf("ffc00011", 0, "hex");
        at !== -1;
        at = bytes.indexOf("ffc00011", at + 1, "hex")
      ) {
        bytes.writeUInt16BE(65_500, at + 5)
        bytes.writeUInt16BE(65_500, at + 7)
      }
      fs.writeFileSync(path, bytes)
      assert.strictEqual((yield* Effect.flip(firstFrame(path))).reason, "failed")
      const mjpeg = ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-frames:v", "1"]
      Films.make(path, "-vf", "scale=4096:2306", ...mjpeg)
      assert.strictEqual((yield* Effect.flip(firstFrame(path))).reason, "failed")
      Films.make(path, "-vf", "scale=4096:2304", ...mjpeg)
      assert.deepInclude(yield* firstFrame(path), { width: 320, height: 180 })
    })
  )
})

describe("The process of Ffmpeg.firstFrame", () => {
  it.effect("is killed after 15 seconds", () =>
    Effect.gen(function* () {
      const { fiber, pid } = yield* startEndless(yield* TempDirectory.make)
      yield* TestClock.adjust("14 seconds")
      assert.isTrue(isAlive(pid))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Effect.flip(Fiber.join(fiber))).reason, "deadline")
      yield* until(() => !isAlive(pid))
    })
  )

  it.effect("is killed when its caller is interrupted", () =>
    Effect.gen(function* () {
      const { fiber, pid } = yield* startEndless(yield* TempDirectory.make)
      yield* Fiber.interrupt(fiber)
      yield* until(() => !isAlive(pid))
    })
  )

  it.effect("is killed when it writes more than a frame may have", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(runScript(yield* TempDirectory.make, "exec /bin/cat /dev/zero"))
      assert.strictEqual(failure.reason, "too_large")
    })
  )

  it.effect("does not inherit our environment", () =>
    Effect.gen(function* () {
      const said = yield* runScript(yield* TempDirectory.make, "exec /usr/bin/env")
      const names = Buffer.from(said)
        .toString()
        .matchAll(/^([^=\n]+)=/gm)
      assert.includeMembers(
        ["PWD", "OLDPWD", "SHLVL", "_"],
        [...names].map(([, name]) => name)
      )
    })
  )
})

describe("Ffmpeg.find", () => {
  const find = (path: string) =>
    Ffmpeg.find.pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ PATH: path }))))

  it.effect("returns the first executable program in PATH, as an absolute path", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* TempDirectory.make, yield* TempDirectory.make]
      assert.isNull(yield* find(`${first}:${second}:.:`))
      fs.writeFileSync(`${first}/ffmpeg`, "", { mode: 0o600 })
      fs.writeFileSync(`${second}/ffmpeg`, "", { mode: 0o700 })
      // Root may read and write everything, but can run only executable files.
      assert.strictEqual(yield* find(`${first}:${second}`), `${second}/ffmpeg`)
      assert.isNull(yield* find(""))
    })
  )
})
