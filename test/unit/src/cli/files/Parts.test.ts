import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Sink, Stdio } from "effect"
import { TestClock } from "effect/testing"
import { errorOf } from "#clients/typescript/ErrorAnswer.ts"
import { UnreachableError } from "#clients/typescript/InferlogError.ts"
import * as Bytes from "#src/cli/files/Bytes.ts"
import * as ContentTypes from "#src/features/media/storage/ContentTypes.ts"
import * as FileRef from "#src/cli/files/FileRef.ts"
import * as CallError from "#src/cli/platform/CallError.ts"
import * as Target from "#src/cli/files/Target.ts"
import * as TransferProgress from "#src/cli/files/TransferProgress.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const { MiB } = Bytes
const GiB = 1024 * MiB

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

const said = (error: unknown) => CallError.of("https://server.example/v1")(error).message

const refused = (status: number, text: string, headers: Record<string, string> = {}) =>
  said(errorOf({ status, text, headers: new Headers(headers) }, Date.UTC(2026, 0, 1)))

describe("Errors of calls", () => {
  it("name status, code and reason, and what to do", () => {
    const full = '{"error":"Too much.","request_id":"r","details":{"code":"QUOTA_EXCEEDED","limit":1}}'
    assert.strictEqual(refused(413, full), "Refused with 413 QUOTA_EXCEEDED: Too much.")
    const issues = '{"error":[{"path":["parts",0,"etag"],"message":"must be a text","code":"type"}]}'
    assert.strictEqual(refused(400, issues), "Refused with 400: parts.0.etag must be a text")
    assert.strictEqual(refused(502, "<html>"), "Refused with 502: The server answered 502")
    assert.match(refused(401, '{"error":"No."}'), /^Refused with 401: No\. Check the key in INFERLOG_API_KEY/)
    assert.match(refused(429, "", { "retry-after": "600" }), / Try again in 10 min 0 s\.$/)
    assert.notInclude(refused(400, '{"error":"a\\u001b[2Jb"}'), "\u001b")
  })

  it("name the address without an answer, and the innermost reason", () => {
    const refusal = new TypeError("fetch failed", {
      cause: new AggregateError([new Error("connect ECONNREFUSED ::1:80"), new Error("other")])
    })
    const unreachable = new UnreachableError("connection broken", { cause: refusal })
    const expected = "https://server.example does not answer: connect ECONNREFUSED ::1:80"
    assert.strictEqual(said(unreachable), expected)
    const elsewhere = new CallError.NoConnection("https://bucket.example does not answer: reset")
    const message = said(new UnreachableError("connection broken", { cause: elsewhere }))
    assert.strictEqual(message, elsewhere.message)
  })
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
      fs.symlinkSync("/nowhere", path.join(directory, "a.png"))
      for (const expected of ["a-2.png", "a-3.png"]) {
        assert.strictEqual(yield* Target.reserve(directory, "../a.png"), path.join(directory, expected))
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
