/** `requests watch` beside a server whose event stream the test writes by hand. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ShortSleeps from "#test/support/ShortSleeps.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as InProcess from "#test/support/src/cli/InProcess.ts"
import * as StreamFront from "#test/support/src/cli/webhooks/StreamFront.ts"

const id = (name: string) => name.padEnd(21, "-")

const settings = (url: string) => ({ INFERLOG_URL: url, INFERLOG_API_KEY: "test:0123456789abcdef" })

const watching = Effect.fnUntraced(function* (
  front: { readonly url: string },
  ...args: ReadonlyArray<string>
) {
  const command = yield* Effect.acquireRelease(
    Effect.sync(() =>
      InProcess.follow(
        ["requests", "watch", ...args],
        settings(front.url),
        ShortSleeps.layerUpTo("2 seconds")
      )
    ),
    (command) => Effect.promise(() => command.stop())
  )
  return {
    until: (isEnough: (written: InProcess.Written) => boolean) =>
      Effect.promise(() => command.until(isEnough)),
    stopped: Effect.promise(() => command.stop()),
    ended: Effect.promise(() => command.ended)
  }
})

const linesOf = ({ stdout }: InProcess.Written) => stdout.split("\n").slice(0, -1)

describe("requests watch", () => {
  it.live("ends with the named requests, and with 1 if one of them has no output", () =>
    Effect.gen(function* () {
      for (const [outcome, code] of [
        ["succeeded", 0],
        ["failed", 1]
      ] as const) {
        const front = yield* StreamFront.make({ outcome })
        const command = yield* watching(front, id("a"), id("b"), "--json")
        const stream = yield* front.next
        assert.deepStrictEqual(stream.url.searchParams.getAll("request_id"), [id("a"), id("b")])
        stream.frame("1", id("a"), "IN_QUEUE")
        stream.write(
          `event: progress\ndata: {"request_id":"${id("a")}","modelEndpoint":"sandbox/slow","progress":0.4}\n\n`
        )
        stream.frame("2", id("a"), "COMPLETED")
        stream.frame("3", id("b"), "COMPLETED")
        const ended = yield* command.ended
        assert.strictEqual(ended.code, code, ended.stderr)
        assert.deepStrictEqual(
          linesOf(ended)
            .map((line) => JSON.parse(line))
            .map(({ outcome, progress, requestId, status }) => [requestId, status, progress, outcome]),
          [
            [id("a"), "IN_QUEUE", null, null],
            [id("a"), "IN_PROGRESS", 0.4, null],
            [id("a"), "COMPLETED", null, outcome],
            [id("b"), "COMPLETED", null, outcome]
          ]
        )
        if (code === 1) assert.include(ended.stderr, "2 of 2 requests ended without an output")
      }
    }).pipe(Effect.scoped)
  )

  it.live("continues behind the last change when the server is back, and runs until it is stopped", () =>
    Effect.gen(function* () {
      const front = yield* StreamFront.make()
      const command = yield* watching(front, "--model", "sandbox/echo")
      const first = yield* front.next
      assert.strictEqual(first.url.searchParams.get("modelEndpoint"), "sandbox/echo")
      first.frame("7", id("a"), "IN_PROGRESS", "sandbox/\u001b[31mecho\u009b")
      const written = yield* command.until((written) => linesOf(written).length === 1)
      assert.match(
        written.stdout,
        /^\d{4}-\d\d-\d\dT[\d:.]+Z {2}a-{20} {2}sandbox\/\ufffd\[31mecho\ufffd {2}IN_PROGRESS\n$/
      )
      first.cut()
      const second = yield* front.next
      assert.strictEqual(second.headers["last-event-id"], "7")
      second.frame("8", id("a"), "COMPLETED")
      yield* command.until((written) => linesOf(written).length === 2)
      const { code, stderr } = yield* command.stopped
      assert.strictEqual(code, 0)
      assert.match(
        stderr,
        /^http:\S+ does not answer: .+; reconnecting until the server responds\.\nReconnected\.\n$/
      )
    }).pipe(Effect.scoped)
  )

  it.effect("exits with 1 when the server is absent, and with 2 for malformed ids", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.scoped(Receiver.tcp(() => {}))
      const run = (...args: ReadonlyArray<string>) =>
        Effect.promise(() =>
          InProcess.run(["requests", "watch", ...args], settings(`http://127.0.0.1:${port}`))
        )
      const absent = yield* run()
      assert.deepStrictEqual([absent.code, absent.stdout], [1, ""])
      assert.match(
        absent.stderr,
        /^inferlog: http:\/\/127\.0\.0\.1:\d+ does not answer: connect ECONNREFUSED/
      )
      const many = Array.from({ length: 101 }, (_, index) => id(`r${index}`))
      for (const args of [["short"], ["--model", "echo"], many]) {
        assert.strictEqual((yield* run(...args)).code, 2, args[0])
      }
    })
  )
})
