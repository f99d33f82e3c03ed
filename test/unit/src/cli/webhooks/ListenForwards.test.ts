/** How `webhooks listen` handles an app that answers well, badly or not at all. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Webhook } from "standardwebhooks"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import * as Until from "#test/support/Until.ts"
import * as App from "#test/support/src/cli/webhooks/App.ts"
import * as Listening from "#test/support/src/cli/webhooks/Listening.ts"
import * as StreamFront from "#test/support/src/cli/webhooks/StreamFront.ts"

const id = (name: string) => name.padEnd(21, "-")

const listenTo = Effect.fnUntraced(function* (forward: string, ...args: ReadonlyArray<string>) {
  const front = yield* StreamFront.make()
  const listening = yield* Listening.start(front.url, forward, args)
  return { front, listening, stream: yield* front.next }
})

/** Its forwards once there are this many. */
const forwards = Effect.fnUntraced(function* (
  listening: Effect.Success<ReturnType<typeof Listening.start>>,
  count: number
) {
  const written = yield* listening.until((written) => Listening.lines(written).length >= count)
  return Listening.lines(written).map((line) => JSON.parse(line))
})

const isSigned = (secret: string, { headers, text }: App.Post): boolean => {
  try {
    new Webhook(secret).verify(text, {
      "webhook-id": String(headers["webhook-id"]),
      "webhook-timestamp": String(headers["webhook-timestamp"]),
      "webhook-signature": String(headers["webhook-signature"])
    })
    return true
  } catch {
    return false
  }
}

describe("webhooks listen", () => {
  it.live("retries when the app is reachable, with the same id and body, without delaying others", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(ServerProcess.freePort)
      const front = yield* StreamFront.make()
      const time = Layer.succeed(Clock.Clock, yield* Clock.Clock)
      const listening = yield* Listening.start(front.url, `http://127.0.0.1:${port}/hook`, ["--json"], {
        time
      })
      const stream = yield* front.next
      stream.frame("1", id("a"), "COMPLETED")
      const [away] = yield* forwards(listening, 1)
      assert.deepInclude(away, {
        requestId: id("a"),
        attempt: 1,
        status: null,
        error: "connection_failed",
        retryInMs: 1_000
      })
      assert.include(away.reason, "ECONNREFUSED")
      let isReady = false
      const app = yield* App.make((post, response) => App.status(isReady ? 200 : 500)(post, response), port)
      stream.frame("2", id("b"), "COMPLETED")
      yield* app.until(1)
      isReady = true
      const all = yield* SkippedTime.passing("100 millis")(forwards(listening, 4))
      assert.deepStrictEqual(
        all.map(({ attempt, error, requestId, status }) => [requestId, attempt, status, error]),
        [
          [id("a"), 1, null, "connection_failed"],
          [id("b"), 1, 500, "http_500"],
          [id("a"), 2, 200, null],
          [id("b"), 2, 200, null]
        ]
      )
      const [early, , late] = app.posts()
      assert.deepStrictEqual([early?.id, early?.text], [late?.id, late?.text])
    }).pipe(Effect.scoped, Effect.provide(SkippedTime.layer))
  )

  it.live("forwards once with --no-retry, and prints the result", () =>
    Effect.gen(function* () {
      const app = yield* App.make(App.status(500))
      const { listening, stream } = yield* listenTo(app.url, "--no-retry")
      stream.frame("1", id("a"), "COMPLETED", "sandbox/echo")
      const { stdout } = yield* listening.until(({ stdout }) => stdout.endsWith("\n"))
      assert.match(
        stdout,
        /^\d{4}-\d\d-\d\dT[\d:.]+Z {2}completed {2}a-{20} {2}sandbox\/echo -> 500 in \d+ ms\n$/
      )
      const { code, stderr } = yield* listening.stopped
      assert.strictEqual(code, 0)
      assert.match(stderr, /Your app accepted 0 events; did not accept 1\.\n$/)
      assert.lengthOf(app.posts(), 1)
    }).pipe(Effect.scoped)
  )

  it.live("follows no redirect, treats 410 as final, and stops reading an endless answer", () =>
    Effect.gen(function* () {
      const app = yield* App.make((post, response) => {
        const { id: name } = JSON.parse(post.text)
        if (name === id("redirect")) return App.status(307, { location: "/elsewhere" })(post, response)
        if (name === id("gone")) return App.status(410)(post, response)
        response.writeHead(200)
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536))) continue
        }
        response.on("drain", more)
        more()
      })
      const { listening, stream } = yield* listenTo(app.url, "--json")
      for (const name of ["redirect", "gone", "endless"]) stream.frame(name, id(name), "COMPLETED")
      const all = yield* forwards(listening, 3)
      assert.sameDeepMembers(
        all.map(({ error, retryInMs, status }) => [status, error, retryInMs]),
        [
          [307, "redirect_refused", 1_000],
          [410, "gone", null],
          [200, null, null]
        ]
      )
      assert.isTrue(app.posts().every(({ path }) => path === "/hook"))
    }).pipe(Effect.scoped)
  )

  it.live("forwards at most 8 at a time, and the others as those are answered", () =>
    Effect.gen(function* () {
      const held: Array<() => void> = []
      const app = yield* App.make((post, response) => void held.push(() => App.take(post, response)))
      const { front, listening, stream } = yield* listenTo(app.url, "--json")
      for (let turn = 0; turn < 100; turn += 1) stream.frame(String(turn), id(`r${turn}`), "COMPLETED")
      yield* app.until(8)
      // Everything that it reads ahead has been read by then; only the limit holds back a ninth.
      const reads = yield* Until.answers(async () => {
        const reads = front.paths().filter((path) => path.startsWith("/requests/r"))
        if (reads.length < 64) throw new Error(`${reads.length} have been read`)
        return reads
      })
      assert.lengthOf(reads, 64)
      assert.lengthOf(app.posts(), 8)
      for (let answered = 0; answered < 100; answered += 1) {
        yield* app.until(answered + 1)
        assert.isAtMost(app.posts().length - answered, 8)
        held.shift()?.()
      }
      const all = yield* forwards(listening, 100)
      assert.strictEqual(new Set(all.map(({ requestId }) => requestId)).size, 100)
    }).pipe(Effect.scoped)
  )

  it.live("--once exits after the first event: with 0 if the app accepted it, otherwise with 1", () =>
    Effect.gen(function* () {
      for (const [answer, code] of [
        [App.take, 0],
        [App.status(500), 1]
      ] as const) {
        const app = yield* App.make(answer)
        const { listening, stream } = yield* listenTo(app.url, "--once", "--no-retry", "--json")
        stream.frame("1", id("a"), "COMPLETED")
        stream.frame("2", id("b"), "COMPLETED")
        const ended = yield* listening.ended
        assert.strictEqual(ended.code, code, ended.stderr)
        assert.deepStrictEqual(
          Listening.lines(ended).map((line) => JSON.parse(line).requestId),
          [id("a")]
        )
        assert.lengthOf(app.posts(), 1)
      }
    }).pipe(Effect.scoped)
  )

  it.live("signs with the rotated secret if the app rejects the old one, or with the given one", () =>
    Effect.gen(function* () {
      const next = `whsec_${Buffer.alloc(32, 8).toString("base64")}`
      const app = yield* App.make((post, response) =>
        App.status(isSigned(next, post) ? 204 : 401)(post, response)
      )
      const { front, listening, stream } = yield* listenTo(app.url, "--json")
      front.rotate(next)
      stream.frame("1", id("a"), "COMPLETED")
      const all = yield* forwards(listening, 2)
      assert.deepStrictEqual(
        all.map(({ status }) => status),
        [401, 204]
      )
      assert.isTrue(isSigned(StreamFront.secret, app.posts()[0] ?? assert.fail()))

      const own = yield* listenTo(app.url, "--json", "--secret", next)
      own.stream.frame("1", id("b"), "COMPLETED")
      assert.deepInclude((yield* forwards(own.listening, 1))[0], { status: 204 })
      assert.notInclude(own.front.paths(), "/webhooks/default/secret")
    }).pipe(Effect.scoped)
  )
})
