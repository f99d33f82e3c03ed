/** Requests with webhooks, and the events of their deliveries on the log. */
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { RequestId } from "#domain/Ids.ts"
import type { WebhookEventName } from "#domain/inference-request/Event.ts"
import * as DeliverySchedule from "#domain/webhook-delivery/DeliverySchedule.ts"
import type { Event } from "#domain/webhook-delivery/Event.ts"
import type { Delivery } from "#domain/webhook-delivery/State.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import * as DeliveryIds from "#src/features/requests/DeliveryIds.ts"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as Replay from "#test/support/Replay.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded, testModel } from "#test/support/TestModels.ts"
import { TestProvider, type TestRun } from "#test/support/TestProvider.ts"
import * as Until from "#test/support/Until.ts"

const { category, codec, decider } = WebhookDelivery.aggregate

export const streamOf = (id: string) => StreamName.make(category, id)

/** Any number of runs at once. */
export const model = testModel("test/hooked", { concurrency: 10_000, timeoutSeconds: 100_000 })

export const webhook = (url: string, events: ReadonlyArray<WebhookEventName> = ["completed"]) => ({
  url,
  events,
  filtered: true
})

/** Submits a request that succeeds, and returns the id of its `completed`. */
export const ended = Effect.fnUntraced(function* (
  url: string,
  options: Omit<NonNullable<Parameters<typeof Facts.submission>[0]>, "webhook"> = {}
) {
  ;(yield* TestProvider).answerWith(() => Effect.succeed(succeeded()))
  const requestId = yield* Facts.submit({ model, ...options, webhook: webhook(url) })
  yield* Facts.untilEnd(requestId)
  return { requestId, id: DeliveryIds.of(requestId, "completed") }
})

export const idOf = (requestId: RequestId, event: WebhookEventName = "completed") =>
  DeliveryIds.of(requestId, event)

/** The delivery's events so far; none while it is not scheduled. */
export const events = Effect.fnUntraced(function* (id: string) {
  const reader = yield* EventReader
  return (yield* reader.read(streamOf(id))).map(codec.decode)
})

export const types = (id: string) => Effect.map(events(id), (all) => all.map(({ _tag }) => _tag))

export const delivery = (id: string) =>
  Effect.flatMap(events(id), (all) => {
    const state = Replay.replay(decider, all)
    return state._tag === "Delivery" ? Effect.succeed(state) : Effect.die(`${id} is not scheduled`)
  })

/** Waits until the delivery satisfies the condition, and returns it. */
export const until = Effect.fnUntraced(function* (
  id: string,
  isSo: (delivery: Delivery, events: ReadonlyArray<Event>) => boolean
) {
  const reader = yield* EventReader
  const states = Stream.mapEffect(reader.changes, () =>
    Effect.map(events(id), (all) => ({ state: Replay.replay(decider, all), all }))
  )
  const { state } = yield* Until.first(
    `delivery ${id}`,
    states,
    ({ all, state }) => state._tag === "Delivery" && isSo(state, all)
  )
  return state._tag === "Delivery" ? state : yield* Effect.die("No delivery")
})

export const untilPhase = (id: string, phase: Delivery["phase"]["_tag"]) =>
  until(id, (state) => state.phase._tag === phase)

const ends: ReadonlySet<string> = new Set(["AttemptSucceeded", "AttemptFailed", "AttemptLost"])

export const endsOf = (all: ReadonlyArray<Event>) => all.filter(({ _tag }) => ends.has(_tag))

/** Waits until the ends of this many attempts are recorded. */
export const untilAttempts = (id: string, count: number) => until(id, (_, all) => endsOf(all).length >= count)

/** When each attempt was claimed, Unix time in ms. */
export const startsOf = (all: ReadonlyArray<Event>) =>
  all.flatMap((event) => (event._tag === "AttemptStarted" ? [event.at] : []))

/** The delay after the `failed`th failure of a schedule, ms. */
export const delayAfter = (failed: number) => DeliverySchedule.delays[failed - 1] ?? 0

/** Lets everything happen that needs no time, including network input. */
export const rest = Effect.gen(function* () {
  for (let turn = 0; turn < 20; turn++) {
    yield* Effect.replicateEffect(Effect.yieldNow, 50, { discard: true })
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
})

/** Passes more than the longest delay, 60 minutes: an attempt that may still follow is made. */
export const passEveryDelay = Effect.andThen(TestClock.adjust("61 minutes"), rest)

/** Waits until the run's start is on the log. */
export const begin = ({ does }: TestRun) =>
  Effect.andThen(
    does(({ started }) => started),
    TestClock.adjust("20 millis")
  )

/** Its client replays it. */
export const replay = (id: string) =>
  Effect.flatMap(Webhooks, (webhooks) => webhooks.replay({ caller: Facts.caller(), id })).pipe(
    Effect.provide(Webhooks.layer)
  )

/** Lets time pass second by second. */
export const pass = (seconds: number) =>
  Effect.replicateEffect(Effect.andThen(TestClock.adjust("1 second"), rest), seconds, { discard: true })

/** From now on the log rejects this node's events of the type. */
export const refuse = (type: string) =>
  Effect.map(AppendFaults, (faults) =>
    faults.decide(({ events }) => (events.some((event) => event.type === type) ? "refused" : "stored"))
  )

/** From now on it accepts all events. */
export const heal = Effect.map(AppendFaults, (faults) => faults.decide(() => "stored"))

/** Passes the wait after the `failed`th failure: nothing happens until its last ms. */
export const wait = Effect.fnUntraced(function* (failed: number, check: Effect.Effect<void>) {
  yield* TestClock.adjust(delayAfter(failed) - 1)
  yield* rest
  yield* check
  yield* TestClock.adjust(1)
})
