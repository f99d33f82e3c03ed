import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { accepted, call } from "#test/support/src/edges/http/Calls.ts"
import * as GrantedKeys from "#test/support/src/edges/http/GrantedKeys.ts"
import * as Streams from "#test/support/src/edges/http/Streams.ts"

const frame = (id: string, progress: number) =>
  `event: progress\ndata: {"request_id":"${id}","modelEndpoint":"sandbox/echo","progress":${progress}}\n\n`

layer(Streams.layer(), { excludeTestServices: true })("progress in GET /requests/stream", (it) => {
  it.effect("is sent while the stream is open, without an id, and appears in the status", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      yield* Lifecycle.start(id)
      const client = yield* Streams.stream(`/requests/stream?request_id=${id}`)
      yield* client.until(({ body }) => body().includes("IN_PROGRESS") && body().includes(": up to here"))
      yield* Lifecycle.progress(id, 0.25)
      yield* client.until(({ body }) => body().includes(frame(id, 0.25)))
      assert.deepInclude((yield* call({ path: `/sandbox/echo/requests/${id}/status` })).json, {
        progress: 0.25
      })
      yield* Lifecycle.deliver(id, { value: 1 })
      yield* client.closed
      const ended = client
        .body()
        .split("\n\n")
        .findIndex((text) => text.includes("COMPLETED"))
      assert.isAbove(ended, 0)
    })
  )

  it.effect("is not sent to streams of other requests, or of keys that may not see the model", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      const other = yield* accepted()
      yield* Lifecycle.start(id)
      yield* Lifecycle.start(other)
      const headers = yield* GrantedKeys.issue({ modelEndpoints: [] })
      const named = yield* Streams.stream(`/requests/stream?request_id=${other}`)
      const unseen = yield* Streams.stream("/requests/stream", headers)
      const all = yield* Streams.stream()
      for (const client of [named, unseen, all]) {
        yield* client.until(({ body }) => body().includes(": up to here"))
      }
      yield* Lifecycle.progress(id, 0.5)
      yield* all.until(({ body }) => body().includes(frame(id, 0.5)))
      // Later reports come later.
      yield* Lifecycle.progress(other, 0.75)
      yield* named.until(({ body }) => body().includes(frame(other, 0.75)))
      assert.notInclude(named.body(), frame(id, 0.5))
      assert.notInclude(unseen.body(), "progress")
    })
  )
})
