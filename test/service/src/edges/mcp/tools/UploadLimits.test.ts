import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { FileGone } from "#src/features/media/storage/FileErrors.ts"
import { TooManyUploads } from "#src/features/media/storage/Reception.ts"
import * as FileToolErrors from "#src/edges/mcp/tools/files/FileToolErrors.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as FileCalls from "#test/support/src/edges/mcp/tools/FileCalls.ts"

describe("the limits of upload_file", () => {
  it.effect("are three concurrent downloads of an account, and half a minute of waiting for another", () =>
    Effect.gen(function* () {
      const three = yield* Deferred.make<void>()
      let asked = 0
      const { port } = yield* Receiver.https((_request, response) => {
        response.write("a")
        if (++asked === 3) Deferred.doneUnsafe(three, Effect.void)
      })
      const client = yield* FileCalls.connect()
      const calling = FileCalls.callOf(client, { url: `https://receiver.example.com:${port}/a.txt` })
      yield* Effect.replicateEffect(Effect.forkChild(calling), 3)
      yield* Deferred.await(three)
      const fourth = yield* Effect.forkChild(calling, { startImmediately: true })
      // It waits behind others of the client, so it has arrived when this one is answered.
      assert.isTrue((yield* FileCalls.callOf(client, { data: "QQ==", url: "" })).isError)
      yield* TestClock.adjust("30 seconds")
      const { isError, text } = yield* Fiber.join(fourth)
      assert.isTrue(isError)
      assert.match(text, /Too many files are being downloaded/)
      assert.strictEqual(asked, 3)
    }).pipe(Effect.scoped, Effect.provide(FileCalls.local()))
  )

  it.effect("are as many bytes of data as a file may have", () =>
    Effect.gen(function* () {
      const dataOf = (size: number) => Buffer.alloc(size).toString("base64")
      assert.match(
        yield* FileCalls.errorAnswer({ data: dataOf(FileCalls.maxBytes + 1) }),
        /larger than 200 MiB/
      )
      assert.deepInclude(yield* FileCalls.upload({ data: dataOf(FileCalls.maxBytes) }), {
        size: FileCalls.maxBytes
      })
    }).pipe(Effect.provide(FileCalls.local()))
  )

  it("are distinguished from a removed account", () => {
    const busy = FileToolErrors.ofStore(new TooManyUploads({ retryAfterSeconds: 5 }))
    assert.match(busy.message, /Too many files are being stored/)
    const gone = FileToolErrors.ofStore(new FileGone())
    assert.match(gone.message, /The account was removed/)
  })
})
