/** Who may open the stream of a prediction, and what it sends. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Prediction } from "replicate"
import * as OutputEvents from "#src/edges/replicate/predictions/OutputEvents.ts"
import * as StreamUrls from "#src/edges/replicate/predictions/StreamUrls.ts"
import { presentedBy } from "#src/features/accounts/Authentication.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import type { Reply } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { call } from "#test/support/src/edges/http/Calls.ts"
import * as KeyCalls from "#test/support/src/edges/http/KeyCalls.ts"
import { client, clientWith, create } from "#test/support/src/edges/replicate/Clients.ts"

const page = "https://app.acme.dev"

/** The path with the token. */
const pathOf = ({ urls }: Prediction) => {
  const { pathname, search } = new URL(urls.stream ?? "")
  return pathname + search
}

const tokenOf = (url: string) => new URL(url).searchParams.get("token") ?? ""

const refusalOf = ({ json, status }: Reply) => [status, Object(json).code]

layer(TestServer.layer(), { excludeTestServices: true })("Replicate's API", (it) => {
  it.effect("opens streams for their prediction and their key only", () =>
    Effect.gen(function* () {
      const replicate = yield* client()
      const one = yield* create(replicate)
      const two = yield* create(replicate)
      // Their streams end at once, should they open.
      for (const { id } of [one, two]) yield* Effect.promise(() => replicate.predictions.cancel(id))
      const pathWith = (id: string, token: string) =>
        `/compat/replicate/v1/predictions/${id}/stream?token=${token}`
      const streams = yield* StreamUrls.make
      const { now } = yield* SteadyTime
      const presented = presentedBy((yield* TestServer.TestServer).key)
      if (presented === null) return assert.fail("no key")
      const late = tokenOf(streams.url(one.id, presented, (yield* now) - 3_600_000))
      const inTime = tokenOf(streams.url(one.id, presented, (yield* now) - 3_500_000))
      assert.strictEqual((yield* call({ path: pathWith(one.id, inTime) })).status, 200)
      const url = one.urls.stream ?? ""
      const token = tokenOf(url)
      const changed = `${token.slice(0, -4)}AAAA`
      for (const [id, bad] of [
        [two.id, token],
        [one.id, changed],
        [one.id, "v1"],
        [one.id, late]
      ] as const) {
        const reply = yield* call({ path: pathWith(id, bad) })
        assert.deepStrictEqual(refusalOf(reply), [401, "STREAM_URL_INVALID"], bad)
      }
      assert.strictEqual((yield* call({ path: new URL(url).pathname })).status, 422)

      const { id, key } = yield* KeyCalls.created({}, { scopes: ["requests:write"] })
      const path = pathOf(yield* create(yield* clientWith(key)))
      assert.deepStrictEqual(refusalOf(yield* call({ path })), [403, "MISSING_SCOPE"])
      yield* KeyCalls.revoke({}, id)
      assert.deepStrictEqual(refusalOf(yield* call({ path })), [401, "STREAM_URL_INVALID"])
    })
  )

  it.effect("lets pages read streams if the key names their origin, also with credentials", () =>
    Effect.gen(function* () {
      const readWith = Effect.fnUntraced(function* (key: string) {
        const replicate = yield* clientWith(key)
        const prediction = yield* create(replicate)
        yield* Effect.promise(() => replicate.predictions.cancel(prediction.id))
        return yield* call({ path: pathOf(prediction), headers: { origin: page } })
      })
      const open = yield* KeyCalls.created({}, { origins: [page] })
      const read = yield* readWith(open.key)
      assert.strictEqual(read.status, 200)
      assert.strictEqual(read.text, 'event: done\ndata: {"reason":"canceled"}\n\n')
      assert.deepInclude(read.headers, {
        "access-control-allow-origin": page,
        "access-control-allow-credentials": "true"
      })
      const closed = yield* KeyCalls.created({})
      assert.deepStrictEqual(refusalOf(yield* readWith(closed.key)), [403, "ORIGIN_NOT_ALLOWED"])
    })
  )
})

describe("the stream of a key that is revoked", () => {
  it.effect("ends, and says so, so that the client throws", () =>
    Effect.gen(function* () {
      const { id, key } = yield* KeyCalls.created({})
      const { urls } = yield* create(yield* clientWith(key))
      const response = yield* Effect.promise(() => fetch(urls.stream ?? ""))
      yield* KeyCalls.revoke({}, id)
      yield* TestClock.adjust("5 seconds")
      assert.match(
        yield* Effect.promise(() => response.text()),
        /^event: error\ndata: \{"detail":"The stream was cut off[^"]+"\}\n\n$/
      )
    }).pipe(Effect.provide(TestServer.layer()))
  )
})

describe("the stream of a prediction", () => {
  const written = () => {
    const frames: Array<string> = []
    const stream = { write: (text: string | Uint8Array) => frames.push(String(text)) > 0, ready: Effect.void }
    return { frames, stream }
  }

  it("has a line of data for each line of the text", () => {
    const { frames, stream } = written()
    const { reader } = OutputEvents.make(stream, { isResumed: false, kind: "text" })
    reader.chunk({ id: "1", text: JSON.stringify("a\nb\r\n c") })
    assert.deepStrictEqual(frames, ["id: 1\nevent: output\ndata: a\ndata: b\ndata:  c\n\n"])
  })

  it("has an event for each item of a whole list", () => {
    const { frames, stream } = written()
    const { reader } = OutputEvents.make(stream, { isResumed: false, kind: null })
    reader.chunk({ id: "1", text: '["a",{"b":1}]' })
    assert.deepStrictEqual(frames, ['event: output\ndata: a\n\nid: 1\nevent: output\ndata: {"b":1}\n\n'])
  })

  it.effect("ends in an error when output that was sent does not count any more", () =>
    Effect.gen(function* () {
      const { frames, stream } = written()
      const { lost, reader } = OutputEvents.make(stream, { isResumed: false, kind: "text" })
      reader.restart()
      assert.deepStrictEqual(frames, [])
      reader.chunk({ id: "1", text: '"a"' })
      reader.restart()
      reader.chunk({ id: "2", text: '"b"' })
      yield* lost
      assert.match(
        frames.join(""),
        /^id: 1\nevent: output\ndata: a\n\nevent: error\ndata: \{"detail":"[^"]+"\}\n\n$/
      )
    })
  )

  it("tells a client that resumes at an unknown place", () => {
    const { frames, stream } = written()
    OutputEvents.make(stream, { isResumed: true, kind: "text" }).reader.restart()
    assert.match(frames.join(""), /^event: error\n/)
  })
})
