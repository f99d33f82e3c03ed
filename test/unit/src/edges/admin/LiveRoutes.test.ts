/** What operators watch: the overview, queues, the live stream, and the log of the server. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { allows, Role } from "#domain/operator/Role.ts"
import * as ServerLog from "#src/platform/telemetry/logs/ServerLog.ts"
import { AdminUrl, call, layer as served, operator } from "#test/support/src/edges/admin/AdminHttp.ts"
import * as ShortSleeps from "#test/support/ShortSleeps.ts"
import { quiet } from "#test/support/src/edges/admin/AdministrationLayers.ts"

const known = ServerLog.make()

const lines = Layer.succeed(ServerLog.ServerLog, known.service)

const written = (message: string, level: "info" | "warn" = "info", facts: Record<string, string> = {}) =>
  Effect.sync(() => {
    const date = new Date(0)
    known.add({
      annotations: facts,
      cause: undefined,
      level: level.toUpperCase(),
      message,
      timestamp: date.toISOString()
    })
  })

/** The first `count` events of a stream, without what keeps it open. */
const events = Effect.fnUntraced(function* (
  path: string,
  key: string,
  count: number,
  headers: Record<string, string> = {}
) {
  const url = `${yield* AdminUrl}${path}`
  const leaving = new AbortController()
  const response = yield* Effect.promise(() =>
    fetch(url, { headers: { authorization: `Key ${key}`, ...headers }, signal: leaving.signal })
  )
  const body = response.body
  if (body === null || response.status !== 200) return assert.fail(`${response.status}`)
  assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
  const found = yield* Stream.fromReadableStream({
    evaluate: () => body,
    onError: (cause) => new Error("broken off", { cause })
  }).pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.filter((line) => line.startsWith("event: ") || line.startsWith("data: ")),
    Stream.map((line) => line.slice(line.indexOf(" ") + 1)),
    Stream.take(2 * count),
    Stream.runCollect
  )
  leaving.abort()
  return Array.from({ length: count }, (_, index) => ({
    event: found[2 * index],
    data: JSON.parse(found[2 * index + 1] ?? "null")
  }))
})

/** A stream whose text is waited for. */
const opened = Effect.fnUntraced(function* (path: string, key: string) {
  const url = `${yield* AdminUrl}${path}`
  const response = yield* Effect.promise(() => fetch(url, { headers: { authorization: `Key ${key}` } }))
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  const readWhile = async (isShort: () => boolean) => {
    while (isShort()) {
      const next = await reader?.read()
      if (next?.value === undefined) break
      text += next.value
    }
    return text
  }
  return {
    until: (part: string) => Effect.promise(() => readWhile(() => !text.includes(part))),
    end: Effect.promise(() => readWhile(() => true))
  }
})

// How often topics, the keys of readers, and lines are looked at.
const often = ShortSleeps.layer("2 seconds", "250 millis")

const serving = Layer.provide(served, [quiet, lines, often])

layer(serving, { excludeTestServices: true })("What operators watch", (it) => {
  it.effect("is an overview, queues and topics for every role", () =>
    Effect.gen(function* () {
      for (const role of Role.literals) {
        const { key } = yield* operator(role)
        const overview = yield* call("/admin/v1/overview", { key })
        assert.deepInclude(overview.json, { queued: 0, running: 0, holdUps: [] })
        assert.strictEqual(overview.json.allNodes.minutes.length, 60)
        assert.deepInclude(overview.json.allNodes.lastMinute, { accepted: 0, p50WaitMs: null })
        assert.deepStrictEqual((yield* call("/admin/v1/queues?all=true", { key })).json, {
          data: [],
          omitted: 0
        })
        const [first, second] = yield* events("/admin/v1/live?topic=overview&topic=projections", key, 2)
        assert.deepStrictEqual([first?.event, second?.event], ["overview", "projections"])
        assert.deepStrictEqual(first?.data.allNodes.lastMinute, overview.json.allNodes.lastMinute)
        assert.isNotEmpty(second?.data.projections)
      }
      assert.strictEqual((yield* call("/admin/v1/live?topic=overview")).status, 401)
    })
  )

  it.effect("names a topic that there is not", () =>
    Effect.gen(function* () {
      const { key } = yield* operator("viewer")
      for (const query of ["", "?topic=money", "?topic=nodes&topic=money"]) {
        assert.strictEqual((yield* call(`/admin/v1/live${query}`, { key })).status, 400, query)
      }
    })
  )

  it.effect("sends a topic again when it has changed", () =>
    Effect.gen(function* () {
      const { key } = yield* operator("viewer")
      // The position of the log is in it, and an operator is created after the first event.
      const [, next] = yield* Effect.all(
        [events("/admin/v1/live?topic=projections", key, 2), operator("viewer")],
        { concurrency: 2 }
      ).pipe(Effect.map(([found]) => found))
      assert.strictEqual(next?.event, "projections")
    })
  )

  it.effect("ends for an operator whose key is revoked, and says how far it has read", () =>
    Effect.gen(function* () {
      const { key, operatorId } = yield* operator("operator")
      const owner = yield* operator("owner")
      const { last } = (yield* call("/admin/v1/server-log", { key })).json
      const live = yield* opened("/admin/v1/live?topic=nodes", key)
      const log = yield* opened("/admin/v1/server-log/follow?level=error", key)
      yield* live.until("event: nodes")
      yield* written("not an error")
      yield* log.until("id: ")
      yield* call(`/admin/v1/operators/${operatorId}`, { method: "DELETE", key: owner.key })
      yield* live.end
      // Browsers go on from there, so that a line that was not chosen is not missed.
      assert.strictEqual(yield* log.end, `retry: 500\n\nid: ${last + 1}\n\n`)
    })
  )

  it.effect("is read by sixty-four at a time", () =>
    Effect.gen(function* () {
      const { key } = yield* operator("viewer")
      const url = `${yield* AdminUrl}/admin/v1/live?topic=nodes`
      const leaving = new AbortController()
      yield* Effect.promise(() =>
        Promise.all(
          Array.from({ length: 64 }, async () => {
            const { body } = await fetch(url, {
              headers: { authorization: `Key ${key}` },
              signal: leaving.signal
            })
            await body?.getReader().read()
          })
        )
      )
      const { headers, status } = yield* call("/admin/v1/live?topic=nodes", { key })
      assert.deepStrictEqual([status, headers.get("retry-after")], [503, "5"])
      leaving.abort()
    })
  )

  it.effect("includes the log of the server for operators and owners", () =>
    Effect.gen(function* () {
      yield* written("one")
      for (const role of Role.literals) {
        const { key } = yield* operator(role)
        const statuses = [(yield* call("/admin/v1/server-log", { key })).status]
        if (!allows(role, "operator")) {
          statuses.push((yield* call("/admin/v1/server-log/follow", { key })).status)
        }
        assert.deepStrictEqual([...new Set(statuses)], [allows(role, "operator") ? 200 : 403], role)
      }
    })
  )

  it.effect("finds lines of the log by level and text, newest last", () =>
    Effect.gen(function* () {
      const { key } = yield* operator("operator")
      const { last } = (yield* call("/admin/v1/server-log", { key })).json
      yield* written("a model waits", "warn", { model: "acme/Flux" })
      yield* written("listening")
      const read = (query: string) =>
        Effect.map(call(`/admin/v1/server-log?after=${last}${query}`, { key }), ({ json }) =>
          json.data.map(({ message }: { message: string }) => message)
        )
      assert.deepStrictEqual(yield* read(""), ["a model waits", "listening"])
      assert.deepStrictEqual(yield* read("&level=warn"), ["a model waits"])
      assert.deepStrictEqual(yield* read("&text=model%3Dacme/flux"), ["a model waits"])
      assert.deepStrictEqual(yield* read("&limit=1"), ["listening"])
      for (const query of ["level=loud", "after=-1", "limit=0", `text=${"x".repeat(201)}`]) {
        assert.strictEqual((yield* call(`/admin/v1/server-log?${query}`, { key })).status, 400, query)
      }
      for (const query of ["level=loud", "after=x", "last_event_id=x", `text=${"x".repeat(201)}`]) {
        assert.strictEqual((yield* call(`/admin/v1/server-log/follow?${query}`, { key })).status, 400, query)
      }
    })
  )

  it.effect("follows the log from a line on, and tells what was missed", () =>
    Effect.gen(function* () {
      const { key } = yield* operator("operator")
      const path = "/admin/v1/server-log/follow"
      const { last } = (yield* call("/admin/v1/server-log", { key })).json
      yield* written("first")
      yield* written("second", "warn")
      const [line] = yield* events(`${path}?after=${last}&level=warn`, key, 1)
      assert.deepInclude(line?.data, { seq: last + 2, message: "second", at: "1970-01-01T00:00:00.000Z" })
      for (let index = 0; index < 2_010; index++) yield* written("flood")
      const [missed, next] = yield* events(path, key, 2, { "last-event-id": String(last + 2) })
      assert.deepStrictEqual([missed?.event, missed?.data], ["missed", { count: 10 }])
      assert.deepInclude(next?.data, { seq: last + 13, message: "flood" })
      const [again] = yield* events(`${path}?last_event_id=${last + 2_011}`, key, 1)
      assert.deepInclude(again?.data, { seq: last + 2_012 })
      const { json } = yield* call(`/admin/v1/server-log?after=${last + 2}&limit=1`, { key })
      assert.deepInclude(json, { missed: 10, last: last + 2_012 })
      // A line of the process before a restart.
      const [restarted] = yield* events(`${path}?after=9999999`, key, 1)
      assert.strictEqual(restarted?.event, "missed")
    })
  )
})
