import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Fiber, Queue, Schema } from "effect"
import { TestClock } from "effect/testing"
import { unlimited } from "#domain/account/Grant.ts"
import type { RequestId } from "#domain/Ids.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { clientOf, given, newClient, ran, refused } from "#test/support/src/edges/mcp/tools/RequestCalls.ts"
import { server } from "#test/support/src/edges/mcp/tools/RequestModels.ts"

/** A clock that reports its sleepers, and a client whose calls use it. */
const scene = Effect.fnUntraced(function* (options?: Parameters<typeof newClient>[0]) {
  // Only the calls use its time, and only the test moves it.
  const clock = yield* TestClock.make({ warningDelay: "1 hour" })
  const sleeps = yield* Queue.unbounded<number>()
  const observed: Clock.Clock = {
    ...clock,
    sleep: (duration) =>
      Effect.andThen(Queue.offer(sleeps, Duration.toMillis(duration)), clock.sleep(duration))
  }
  const called = yield* Effect.provideService(newClient(options), Clock.Clock, observed)
  /** Waits until a call sleeps for this long. */
  const asleep = (millis: number) => Effect.repeat(Queue.take(sleeps), { until: (slept) => slept === millis })
  return { ...called, clock, sleeps, asleep }
})

const wait = (requestId: RequestId, args: object = {}) =>
  ["wait_for_request", { requestId, ...args }] as const

const deliver = Effect.fnUntraced(function* (id: RequestId) {
  yield* Lifecycle.start(id)
  yield* Lifecycle.deliver(id, { value: "out" })
})

/** Starts a run, and moves the clock of the calls to the time of the start. */
const startNow = Effect.fnUntraced(function* (id: RequestId, clock: TestClock.TestClock) {
  const steady = yield* SteadyTime
  yield* Lifecycle.start(id, 0)
  yield* clock.adjust((yield* Lifecycle.submittedAt(id)) - steady.nowOf(clock))
})

const Progress = Schema.decodeUnknownSync(
  Schema.Struct({
    payload: Schema.Struct({
      progressToken: Schema.String,
      progress: Schema.Finite,
      total: Schema.Finite,
      message: Schema.String
    })
  })
)

layer(server, { excludeTestServices: true })("wait_for_request", (it) => {
  it.effect("answers like get_request as soon as the request has ended", () =>
    Effect.gen(function* () {
      const { asleep, client, sleeps } = yield* scene()
      const requestId = yield* ran(client)
      const waiting = yield* Effect.forkChild(given(client, ...wait(requestId)))
      yield* asleep(120_000)
      yield* deliver(requestId)
      const told = yield* Fiber.join(waiting)
      assert.deepInclude(told, { outcome: "succeeded", output: { value: "out" }, stillRunning: false })
      assert.deepStrictEqual(told, yield* given(client, "get_request", { requestId }))
      yield* Queue.clear(sleeps)
      assert.deepStrictEqual(yield* given(client, ...wait(requestId)), told)
      assert.strictEqual(yield* Queue.size(sleeps), 0)
    }).pipe(Effect.scoped)
  )

  it.effect("reports at the time limit that the request is still running, without an error", () =>
    Effect.gen(function* () {
      const { asleep, client, clock } = yield* scene()
      const requestId = yield* ran(client)
      const waiting = yield* Effect.forkChild(given(client, ...wait(requestId, { timeoutSeconds: 30 })))
      yield* asleep(30_000)
      yield* clock.adjust("30 seconds")
      const told = yield* Fiber.join(waiting)
      assert.deepInclude(told, { status: "IN_QUEUE", outcome: "pending", stillRunning: true, output: null })
      assert.match(
        String(told["message"]),
        /^Still running after 30 s of waiting \(IN_QUEUE.*call wait_for_request again/
      )
    }).pipe(Effect.scoped)
  )

  it.effect("omits the usual duration of a run that reports progress", () =>
    Effect.gen(function* () {
      const { client, clock } = yield* scene()
      const requestId = yield* ran(client)
      yield* startNow(requestId, clock)
      const where = Effect.map(
        given(client, ...wait(requestId, { timeoutSeconds: 0 })),
        ({ message }) => /\((.*?)\)/.exec(String(message))?.[1]
      )
      assert.strictEqual(yield* where, "IN_PROGRESS, usually 1 s more")
      const report = { at: 0, attempt: 1, fraction: 0, logs: [] }
      yield* (yield* RequestActors).execute(requestId, { _tag: "RecordProgress", ...report })
      assert.strictEqual(yield* where, "IN_PROGRESS, 0 % done")
      yield* clock.adjust("2 seconds")
      assert.strictEqual(yield* where, "IN_PROGRESS, 0 % done")
    }).pipe(Effect.scoped)
  )

  it.effect("checks once when the wait is zero", () =>
    Effect.gen(function* () {
      const { client, sleeps } = yield* scene()
      const requestId = yield* ran(client)
      yield* Queue.clear(sleeps)
      const args = { timeoutSeconds: 0, pollIntervalSeconds: 0.1 }
      const told = yield* given(client, ...wait(requestId, args))
      assert.deepInclude(told, { status: "IN_QUEUE", stillRunning: true })
      assert.match(String(told["message"]), /^Still running \(IN_QUEUE.*call wait_for_request again/)
      assert.strictEqual(yield* Queue.size(sleeps), 0)
    }).pipe(Effect.scoped)
  )

  it.effect("ends when the server stops, with the known state", () =>
    Effect.gen(function* () {
      const stop = yield* Deferred.make<void>()
      const { asleep, client } = yield* scene({ stopping: Deferred.await(stop) })
      const requestId = yield* ran(client)
      yield* Lifecycle.start(requestId)
      const waiting = yield* Effect.forkChild(given(client, ...wait(requestId, { timeoutSeconds: 600 })))
      yield* asleep(600_000)
      yield* Lifecycle.log(requestId, "a line")
      // Woken by that, it sleeps again.
      yield* asleep(600_000)
      yield* Deferred.succeed(stop, undefined)
      assert.deepInclude(yield* Fiber.join(waiting), { stillRunning: true, logs: ["a line"] })
    }).pipe(Effect.scoped)
  )

  it.effect("sends progress on demand, at each interval and never after the end", () =>
    Effect.gen(function* () {
      const { asleep, client, clock } = yield* scene()
      const requestId = yield* ran(client)
      yield* startNow(requestId, clock)
      const args = { timeoutSeconds: 10, pollIntervalSeconds: 2 }
      const next = Effect.map(Queue.take(client.client.notifications), (sent) => Progress(sent).payload)
      const waiting = yield* Effect.forkChild(
        client.client.callTool({
          name: "wait_for_request",
          arguments: { requestId, ...args },
          _meta: { progressToken: "a token" }
        })
      )
      const told = { progressToken: "a token", total: 10 }
      assert.deepStrictEqual(yield* next, { ...told, progress: 0, message: "IN_PROGRESS, usually 1 s more" })
      yield* asleep(2_000)
      const report = { at: 30, attempt: 1, fraction: 0.4, logs: ["first line", "second line"] }
      yield* (yield* RequestActors).execute(requestId, { _tag: "RecordProgress", ...report })
      // Woken by that, it sleeps again.
      yield* asleep(10_000)
      yield* clock.adjust("2 seconds")
      assert.deepStrictEqual(yield* next, {
        ...told,
        progress: 2,
        message: "IN_PROGRESS, 40 % done: second line"
      })
      yield* asleep(2_000)
      yield* clock.adjust("2 seconds")
      assert.strictEqual((yield* next).progress, 4)
      yield* asleep(2_000)
      yield* Lifecycle.deliver(requestId, { value: "out" })
      const { structuredContent } = yield* Fiber.join(waiting)
      assert.deepInclude(Object(structuredContent), { outcome: "succeeded" })
      yield* clock.adjust("10 seconds")
      yield* client.client.ping
      assert.strictEqual(yield* Queue.size(client.client.notifications), 0)
    }).pipe(Effect.scoped)
  )

  it.effect("sends no progress to a client that has not requested it", () =>
    Effect.gen(function* () {
      const { asleep, client, clock } = yield* scene()
      const requestId = yield* ran(client)
      const waiting = yield* Effect.forkChild(given(client, ...wait(requestId, { timeoutSeconds: 5 })))
      yield* asleep(5_000)
      yield* clock.adjust("5 seconds")
      assert.deepInclude(yield* Fiber.join(waiting), { stillRunning: true })
      assert.strictEqual(yield* Queue.size(client.client.notifications), 0)
    }).pipe(Effect.scoped)
  )

  it.effect("returns nothing to a key that was revoked meanwhile", () =>
    Effect.gen(function* () {
      const { asleep, caller, client } = yield* scene()
      const requestId = yield* ran(client)
      const waiting = yield* Effect.forkChild(refused(client, ...wait(requestId)))
      yield* asleep(120_000)
      yield* (yield* Accounts).revokeKey(caller.keyId)
      yield* deliver(requestId)
      assert.match(yield* Fiber.join(waiting), /was revoked or has expired.*ask the user to sign in again/)
    }).pipe(Effect.scoped)
  )

  it.effect("returns nothing to a key that has expired meanwhile", () =>
    Effect.gen(function* () {
      const known = yield* newClient()
      const { accountId } = known.caller
      const expiresAt = (yield* Clock.currentTimeMillis) + 3_600_000
      const grant = { ...unlimited, expiresAt }
      const accounts = yield* Accounts
      const key = yield* accounts.issueKey({ accountId, name: "for an hour", grant })
      const caller = { ...known.caller, keyId: key.keyId }
      const later = yield* TestClock.make({ warningDelay: "1 hour" })
      yield* later.setTime(expiresAt)
      const client = yield* Effect.provideService(clientOf(caller), Clock.Clock, later)
      const requestId = yield* ran(known.client)
      assert.match(
        yield* refused(client, ...wait(requestId, { timeoutSeconds: 0 })),
        /was revoked or has expired.*ask the user to sign in again/
      )
    }).pipe(Effect.scoped)
  )

  it.effect("wakes a thousand callers that wait for one request, each with one timer", () =>
    Effect.gen(function* () {
      const { client, sleeps } = yield* scene()
      const requestId = yield* ran(client)
      const all = Array.from({ length: 1_000 }, () => client.call(...wait(requestId)))
      const waiting = yield* Effect.forkChild(Effect.all(all, { concurrency: "unbounded" }))
      const slept = yield* Queue.takeN(sleeps, all.length)
      assert.deepStrictEqual(new Set(slept), new Set([120_000]))
      yield* deliver(requestId)
      const told = yield* Fiber.join(waiting)
      assert.isTrue(
        told.every(
          ({ structuredContent }) => Reflect.get(Object(structuredContent), "outcome") === "succeeded"
        )
      )
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    ["timeoutSeconds", -1, "0 to 600"],
    ["timeoutSeconds", 601, "0 to 600"],
    ["pollIntervalSeconds", 0.05, "0.1 to 60"],
    ["pollIntervalSeconds", 61, "0.1 to 60"]
  ] as const)("rejects %s of %d", ([name, value, range]) =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const text = yield* refused(client, "wait_for_request", { requestId: "x", [name]: value })
      assert.strictEqual(text, `\`${name}\` must be a number from ${range}.\nCorrect it and call again.`)
    }).pipe(Effect.scoped)
  )
})
