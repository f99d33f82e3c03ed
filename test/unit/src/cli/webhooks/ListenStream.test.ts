/** How `webhooks listen` follows the event stream of a server through all faults. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as App from "#test/support/src/cli/webhooks/App.ts"
import * as Listening from "#test/support/src/cli/webhooks/Listening.ts"
import * as StreamFront from "#test/support/src/cli/webhooks/StreamFront.ts"

const id = (name: string) => name.padEnd(21, "-")

const setUp = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const app = yield* App.make()
  const front = yield* StreamFront.make()
  const listening = yield* Listening.start(front.url, app.url, args)
  return { app, front, listening, stream: yield* front.next }
})

const told = (posts: ReadonlyArray<App.Post>) =>
  posts.map(({ text }) => {
    const { event, id } = JSON.parse(text)
    return `${event} ${id.replace(/-+$/, "")}`
  })

describe("webhooks listen", () => {
  it.live("skips open requests at the start, and treats every later end as new", () =>
    Effect.gen(function* () {
      const { app, listening, stream } = yield* setUp("--events", "start,completed", "--json")
      stream.frame("1", id("running"), "IN_PROGRESS")
      stream.frame("2", id("queued"), "IN_QUEUE")
      stream.frame("3", id("queued"), "IN_PROGRESS")
      yield* app.until(1)
      stream.write("id: 4\nevent: other\ndata: {}\n\n: keep-alive\n\n")
      stream.frame("5", id("new"), "IN_QUEUE")
      stream.frame("6", id("running"), "COMPLETED")
      yield* app.until(2)
      stream.frame("7", id("new"), "CANCELLED")
      assert.deepStrictEqual(told(yield* app.until(3)), [
        "start queued",
        "completed running",
        "completed new"
      ])
      const written = yield* listening.until((written) => Listening.lines(written).length === 3)
      assert.deepInclude(JSON.parse(Listening.lines(written)[0] ?? ""), {
        event: "start",
        requestId: id("queued"),
        modelEndpoint: "sandbox/echo",
        attempt: 1,
        status: 204,
        error: null,
        retryInMs: null
      })
      const { code, stderr } = yield* listening.stopped
      assert.strictEqual(code, 0)
      assert.match(stderr, /\nYour app accepted 3 events\.\n$/)
      assert.notInclude(stderr, StreamFront.secret)
      assert.notInclude(stderr, Listening.key)
    }).pipe(Effect.scoped)
  )

  it.live("requests only end events by default, and passes the filters on", () =>
    Effect.gen(function* () {
      const { app, stream } = yield* setUp(
        "--model",
        "sandbox/echo",
        "--request",
        id("a"),
        "--request",
        id("b")
      )
      assert.deepStrictEqual(
        [...stream.url.searchParams],
        [
          ["request_id", id("a")],
          ["request_id", id("b")],
          ["modelEndpoint", "sandbox/echo"]
        ]
      )
      assert.deepInclude(stream.headers, {
        authorization: `Key ${Listening.key}`,
        accept: "text/event-stream"
      })
      stream.frame("1", id("a"), "IN_QUEUE")
      stream.frame("2", id("a"), "IN_PROGRESS")
      stream.frame("3", id("a"), "COMPLETED")
      assert.deepStrictEqual(told(yield* app.until(1)), ["completed a"])
    }).pipe(Effect.scoped)
  )

  it.live("exits when all given requests have ended, including those that ended earlier", () =>
    Effect.gen(function* () {
      const { app, listening, stream } = yield* setUp("--request", id("a"), "--request", id("b"))
      stream.frame("1", id("a"), "COMPLETED")
      stream.frame("2", id("b"), "FAILED")
      const { code, stderr } = yield* listening.ended
      assert.strictEqual(code, 0, stderr)
      assert.sameMembers(told(app.posts()), ["completed a", "completed b"])
    }).pipe(Effect.scoped)
  )

  it.live("resumes after the last frame when the connection ends, breaks, or is rejected for a while", () =>
    Effect.gen(function* () {
      const app = yield* App.make()
      const front = yield* StreamFront.make({
        refuse: (turn) =>
          turn === 3
            ? { status: 429, headers: { "retry-after": "0" }, body: { error: "Slowly.", request_id: "r" } }
            : turn === 4
              ? { status: 503, body: { error: "Stopping.", request_id: "r" } }
              : null
      })
      const listening = yield* Listening.start(front.url, app.url, ["--events", "start,completed"])
      const first = yield* front.next
      assert.isUndefined(first.headers["last-event-id"])
      first.frame("10", id("a"), "IN_QUEUE")
      first.frame("11", id("a"), "COMPLETED")
      yield* app.until(1)
      first.end()
      const second = yield* front.next
      assert.strictEqual(second.headers["last-event-id"], "11")
      // It continues where it was, so it brings what has happened meanwhile.
      second.frame("12", id("b"), "IN_PROGRESS")
      yield* app.until(2)
      // A frame that is cut off does not count, and a frame without data only reports the position.
      second.write(`id: 13\nevent: place\n\nid: 14\nevent: status\ndata: {"request_id`)
      yield* listening.until(({ stdout }) => stdout.includes(id("b")))
      second.cut()
      const third = yield* front.next
      assert.strictEqual(third.headers["last-event-id"], "13")
      third.frame("14", id("b"), "COMPLETED")
      assert.deepStrictEqual(told(yield* app.until(3)), ["completed a", "start b", "completed b"])
      const { stderr } = listening.written()
      assert.lengthOf(stderr.match(/reconnecting until/g) ?? [], 1, stderr)
      assert.lengthOf(stderr.match(/^Reconnected\.$/gm) ?? [], 1, stderr)
    }).pipe(Effect.scoped)
  )

  it.live("starts again on another log, and exits when nothing is left to follow", () =>
    Effect.gen(function* () {
      const app = yield* App.make()
      const front = yield* StreamFront.make({
        refuse: (turn) =>
          turn === 2
            ? { status: 400, body: { error: "No.", request_id: "r", details: { code: "UNKNOWN_EVENT_ID" } } }
            : turn === 4
              ? { status: 204 }
              : null
      })
      const listening = yield* Listening.start(front.url, app.url, ["--request", id("a")])
      const first = yield* front.next
      first.frame("9", id("a"), "IN_QUEUE")
      first.end()
      const third = yield* front.next
      assert.isUndefined(third.headers["last-event-id"])
      third.end()
      const { code, stderr } = yield* listening.ended
      assert.strictEqual(code, 0, stderr)
      assert.include(stderr, "log of the server was replaced")
    }).pipe(Effect.scoped)
  )

  it.live("exits at once when the key is rejected, or a scope is missing", () =>
    Effect.gen(function* () {
      const app = yield* App.make()
      const errorAnswers = [
        { status: 401, body: { error: "Missing or invalid credentials.", request_id: "r" } },
        {
          status: 403,
          body: {
            error: "The key lacks the scope requests:read.",
            request_id: "r",
            details: { code: "MISSING_SCOPE", scope: "requests:read" }
          }
        }
      ]
      for (const errorAnswer of errorAnswers) {
        const front = yield* StreamFront.make({ refuse: () => errorAnswer })
        const { code, stderr } = yield* Listening.run(front.url, ["--forward", app.url])
        assert.strictEqual(code, 1)
        assert.include(stderr, `inferlog: Refused with ${errorAnswer.status}`)
        assert.include(stderr, errorAnswer.body.error)
      }
    }).pipe(Effect.scoped)
  )

  it.live("exits at once when the server is unreachable or not an inferlog server", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.scoped(Receiver.tcp(() => {}))
      const gone = `http://127.0.0.1:${port}`
      const own = ["--forward", "http://localhost:1/"]
      const away = yield* Listening.run(gone, own)
      assert.deepStrictEqual([away.code, away.stdout], [1, ""])
      assert.match(away.stderr, /^inferlog: http:\/\/127\.0\.0\.1:\d+ does not answer: connect ECONNREFUSED/)
      const signed = yield* Listening.run(gone, [...own, "--secret", StreamFront.secret])
      assert.include(signed.stderr, "inferlog: http://127.0.0.1")
      const app = yield* App.make(App.status(200, { "content-type": "text/html" }))
      const other = yield* Listening.run(app.url, [...own, "--secret", StreamFront.secret])
      assert.match(other.stderr, /The answer is not an event stream/)
    }).pipe(Effect.scoped)
  )

  it.effect("exits with 2 for contradictory flags, and prints no password", () =>
    Effect.gen(function* () {
      const app = "http://localhost:3000/hook"
      for (const args of [
        [],
        ["--forward", "localhost:3000"],
        ["--forward", "ftp://localhost/"],
        ["--forward", "http://me:hunter2@localhost/"],
        ["--forward", app, "--events", "start,progress"],
        ["--forward", app, "--model", "echo"],
        ["--forward", app, "--request", "short"],
        ["--forward", app, "--secret", "hunter2"]
      ]) {
        const { code, stderr } = yield* Listening.run("http://127.0.0.1:1", args)
        assert.strictEqual(code, 2, `${args.join(" ")}: ${stderr}`)
        assert.notInclude(stderr, "hunter2")
      }
    })
  )
})
