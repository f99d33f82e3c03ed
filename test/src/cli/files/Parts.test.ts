import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Result, Sink, Stdio } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import * as Bytes from "#src/cli/files/Bytes.ts"
import * as ContentTypes from "#src/features/media/storage/ContentTypes.ts"
import * as FileRef from "#src/cli/files/FileRef.ts"
import * as PartPlan from "#src/cli/files/PartPlan.ts"
import * as CallErrors from "#src/cli/platform/CallErrors.ts"
import * as Retrying from "#src/cli/platform/Retrying.ts"
import * as Exchange from "#src/cli/platform/Exchange.ts"
import * as Target from "#src/cli/files/Target.ts"
import * as TransferProgress from "#src/cli/files/TransferProgress.ts"
import * as FileLimits from "#src/features/media/storage/FileLimits.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const { MiB } = Bytes
const GiB = 1024 * MiB

describe("PartPlan", () => {
  it("divides every file into parts that the contract allows, without gaps", () => {
    const sizes = fc.integer({ min: 1, max: FileLimits.maxFileBytes })
    const asked = fc.option(fc.integer({ min: FileLimits.minPartBytes, max: 5 * GiB }))
    fc.assert(
      fc.property(sizes, asked, (size, asked) => {
        const partSize = PartPlan.partSize(size, asked)
        const parts = PartPlan.parts(size, partSize)
        assert.isAtMost(parts.length, FileLimits.maxParts)
        assert.isAtMost(partSize, FileLimits.maxPutBytes)
        assert.isAtLeast(partSize, FileLimits.minPartBytes)
        let end = 0
        for (const [index, { length, partNumber, start }] of parts.entries()) {
          const isLast = index === parts.length - 1
          const isWhole = length === partSize || (isLast && length > 0 && length < partSize)
          if (partNumber !== index + 1 || start !== end || !isWhole) assert.fail(`part ${index} of ${size}`)
          end += length
        }
        assert.strictEqual(end, size)
      }),
      { numRuns: 200 }
    )
  })

  it("uses the requested size unless there would be too many parts", () => {
    assert.strictEqual(PartPlan.partSize(GiB, null), 16 * MiB)
    assert.strictEqual(PartPlan.partSize(GiB, 5 * MiB), 5 * MiB)
    assert.strictEqual(PartPlan.partSize(10_000 * 16 * MiB, null), 16 * MiB)
    assert.strictEqual(PartPlan.partSize(10_000 * 16 * MiB + 1, null), 17 * MiB)
  })

  it("sends small files in one piece", () => {
    assert.isTrue(PartPlan.isSingle(64 * MiB, null))
    assert.isFalse(PartPlan.isSingle(64 * MiB + 1, null))
    assert.isFalse(PartPlan.isSingle(64 * MiB, 5 * MiB))
  })
})

describe("ContentTypes", () => {
  it("uses the extension, or else the first bytes", () => {
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")
    assert.strictEqual(ContentTypes.of("a.MP4", Buffer.alloc(0)), "video/mp4")
    assert.strictEqual(ContentTypes.of("a.csv", png), "text/csv")
    assert.strictEqual(ContentTypes.of("a", png), "image/png")
    for (const name of ["a", "a.constructor", "a.", ".png"]) {
      assert.strictEqual(ContentTypes.of(name, Buffer.from("x")), "application/octet-stream")
    }
  })
})

describe("FileRef", () => {
  it("accepts an id, or a URL that contains one", () => {
    const id = "3q2-7wEvcl8qJ4T0a1B2c3D4"
    assert.deepStrictEqual(Option.getOrNull(FileRef.parseId(id))?.toString(), id)
    for (const url of [
      `http://h/media/${id}/a.png`,
      `https://h/storage/media/${id}`,
      `http://h/media/${id}/a?b#c`
    ]) {
      assert.strictEqual(Option.getOrNull(FileRef.parseId(url))?.toString(), id)
    }
    for (const text of ["", "x", `${id}x`, "http://h/", `ftp://h/media/${id}/a`, `http://h/media/${id}x/a`]) {
      assert.isTrue(Option.isNone(FileRef.parseId(text)), text)
    }
  })
})

const answered = (status: number, text: string, retryAfter?: string) =>
  CallErrors.of({ status, text, retryAfter, now: Date.UTC(2026, 0, 1) })

describe("Refusal", () => {
  it("reads the envelope, its issues, and the XML of S3", () => {
    const full = answered(
      413,
      '{"error":"Too much.","request_id":"r","details":{"code":"QUOTA_EXCEEDED","limit":1}}'
    )
    assert.strictEqual(full.message, "Refused with 413 QUOTA_EXCEEDED: Too much.")
    const issues =
      '{"error":[{"path":["parts",0,"etag"],"message":"Expected a text","code":"type"}],"request_id":"r"}'
    assert.strictEqual(answered(400, issues).message, "Refused with 400: parts.0.etag: Expected a text")
    const s3 = answered(403, "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>")
    assert.strictEqual(s3.message, "Refused with 403 AccessDenied: Request has expired")
    assert.isTrue(s3.isExpired)
    assert.isFalse(answered(403, '{"error":"no","details":{"code":"SIGNATURE_MISMATCH"}}').isExpired)
    assert.strictEqual(answered(502, "<html>").message, "Refused with 502: the response gives no reason")
    assert.notInclude(answered(400, '{"error":"a\\u001b[2Jb"}').message, "\u001b")
  })

  it("reads Retry-After in seconds and as a date", () => {
    assert.strictEqual(answered(429, "", "7").retryAfter, 7_000)
    assert.strictEqual(answered(429, "", "Thu, 01 Jan 2026 00:01:00 GMT").retryAfter, 60_000)
    assert.strictEqual(answered(429, "", "Wed, 31 Dec 2025 00:01:00 GMT").retryAfter, 0)
    assert.isNull(answered(429, "", "soon").retryAfter)
  })
})

const tries = (failure: CallErrors.Refused | CallErrors.Unreachable, how: typeof Retrying.patiently) =>
  Effect.gen(function* () {
    const waits: Array<number> = []
    let count = 0
    const failing = Effect.suspend(() => {
      count++
      return Effect.fail(failure)
    })
    const fiber = yield* Effect.forkChild(
      Effect.flip(how(failing, ({ millis }) => Effect.sync(() => waits.push(millis))))
    )
    yield* TestClock.adjust("1 hour")
    yield* Fiber.join(fiber)
    return { count, waits }
  })

describe("Retrying", () => {
  const unreachable = new CallErrors.Unreachable({ origin: "http://h", reason: "no" })

  it.effect("doubles the wait each time, and gives up", () =>
    Effect.gen(function* () {
      const { count, waits } = yield* tries(unreachable, Retrying.patiently)
      assert.strictEqual(count, 8)
      for (const [index, wait] of waits.entries()) {
        const most = Math.min(30_000, 500 * 2 ** index)
        assert.isTrue(wait <= most && wait >= most * 0.9, `${wait} ms`)
      }
    })
  )

  it.effect("waits as long as the server requests, up to a limit", () =>
    Effect.gen(function* () {
      const { waits } = yield* tries(answered(429, "", "60"), Retrying.patiently)
      assert.deepStrictEqual(
        waits.slice(0, 6),
        Array.from({ length: 6 }, () => 60_000)
      )
      const long = yield* tries(answered(503, "", "86400"), Retrying.patiently)
      assert.deepStrictEqual(long.waits[0], 300_000)
    })
  )

  it.effect("does not repeat final statuses, or a first call to an unreachable server", () =>
    Effect.gen(function* () {
      for (const status of [400, 401, 403, 404, 409, 410, 413, 507]) {
        assert.strictEqual((yield* tries(answered(status, ""), Retrying.patiently)).count, 1, `${status}`)
      }
      for (const status of [408, 429, 500, 502, 503, 504]) {
        assert.strictEqual((yield* tries(answered(status, ""), Retrying.onceReached)).count, 8, `${status}`)
      }
      assert.strictEqual((yield* tries(unreachable, Retrying.onceReached)).count, 1)
    })
  )
})

describe("Stall", () => {
  it.effect("ends only an exchange without progress", () =>
    Effect.gen(function* () {
      const run = (of: (moved: Effect.Effect<void>) => Effect.Effect<void>) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(Effect.result(Exchange.guarded("http://h/x", of)))
          yield* TestClock.adjust("1 hour")
          return yield* Fiber.join(fiber)
        })
      const stalled = yield* run(() => Effect.never)
      assert.isTrue(Result.isFailure(stalled))
      const slow = yield* run((moved) => Effect.repeat(Effect.delay(moved, "2 minutes"), { times: 20 }))
      assert.isTrue(Result.isSuccess(slow))
    })
  )
})

describe("Target", () => {
  it.effect("rejects names that lead elsewhere, and replaces files only on request", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      for (const [name, expected] of [
        ["../../.bashrc", "_bashrc"],
        ["..", "file"],
        ["a b.png", "a b.png"]
      ] as const) {
        assert.strictEqual(yield* Target.choose(directory, name), path.join(directory, expected))
      }
      const asked = path.join(directory, "asked")
      assert.strictEqual(yield* Target.choose(asked, "other"), asked)
      assert.strictEqual(yield* Target.choose(null, "nobody-has-this.bin"), "nobody-has-this.bin")
      const [taken = ""] = fs.readdirSync(".").filter((name) => !name.startsWith("."))
      const refused = yield* Effect.flip(Target.choose(null, taken))
      assert.match(refused.message, /already exists/)
    }).pipe(Effect.scoped)
  )
})

describe("TransferProgress", () => {
  it("shows progress, rate and remaining time", () => {
    const text = TransferProgress.format({
      name: "a",
      done: GiB,
      sent: GiB / 2,
      total: 5 * GiB,
      elapsed: 8_000
    })
    assert.strictEqual(text, "1 GiB of 5 GiB  20.0 %  64 MiB/s  ETA 1 min 4 s")
    const unknown = TransferProgress.format({ name: "a", done: MiB, sent: MiB, total: null, elapsed: 500 })
    assert.strictEqual(unknown, "1 MiB  2 MiB/s")
    const empty = TransferProgress.format({ name: "a", done: 0, sent: 0, total: 0, elapsed: 0 })
    assert.strictEqual(empty, "0 B of 0 B  100.0 %  0 B/s")
  })

  const written = (isTerminal: boolean, isSilent: boolean) =>
    Effect.gen(function* () {
      const texts: Array<string> = []
      const stdio = Stdio.layerTest({
        stderrIsTerminal: Effect.succeed(isTerminal),
        stderr: () => Sink.forEach((text: string | Uint8Array) => Effect.sync(() => texts.push(String(text))))
      })
      yield* Effect.gen(function* () {
        const progress = yield* TransferProgress.make({ name: "a.bin", total: 4 * MiB, isSilent })
        yield* progress.skip(MiB)
        for (let second = 0; second < 10; second++) {
          yield* TestClock.adjust("1 second")
          yield* progress.add(MiB / 10)
        }
        yield* progress.add(-MiB / 2)
        yield* progress.clear
      }).pipe(Effect.provide(stdio))
      return texts
    })

  it.effect("is one line on a terminal, a periodic line elsewhere, and nothing for programs", () =>
    Effect.gen(function* () {
      const terminal = yield* written(true, false)
      assert.lengthOf(terminal, 11)
      assert.strictEqual(
        terminal[0],
        "\r\u001b[Ka.bin  [#####---------------]  1.1 MiB of 4 MiB  27.5 %  102.4 KiB/s  ETA 29 s"
      )
      assert.strictEqual(terminal.at(-1), "\r\u001b[K")
      assert.deepStrictEqual(yield* written(false, false), [
        "a.bin: 2 MiB of 4 MiB  50.0 %  102.4 KiB/s  ETA 20 s\n"
      ])
      assert.deepStrictEqual(yield* written(true, true), [])
    })
  )
})
