/**
 * Announces to one receiver of the operator that a model's queue is no longer empty, or empty again, so that machines can
 * start and stop. The node with the lease sends. After a start, and when the lease moves, it sends the state of every model.
 */
import * as crypto from "node:crypto"
import {
  Clock,
  DateTime,
  Duration,
  Effect,
  Exit,
  FiberMap,
  Layer,
  Metric,
  Option,
  Queue,
  Schedule
} from "effect"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"
import * as Memoize from "#src/kernel/async/Memoize.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { Lease } from "#src/platform/cluster/Lease.ts"
import { Demand } from "../Demand.ts"
import * as Families from "../Families.ts"
import * as Announcements from "./Announcements.ts"
import { DemandSecretMissing, receiver, type Receiver } from "./DemandSettings.ts"

const interval = "500 millis"

/** Attempts under way; one while the receiver fails. */
const mostAtOnce = 8

const timeout = Duration.seconds(15)

/** The pause after a failed attempt, doubled each time, ms. */
const firstPauseMs = 1_000
const longestPauseMs = 60_000

const pauseMs = (failures: number) => Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs)

/** A change as it is sent, in all its attempts. */
interface Message {
  readonly state: Announcements.Change["state"]
  readonly id: string
  readonly body: Uint8Array
}

/** Models of this program itself need no machines. */
const builtinOf = Memoize.memoize(
  (entries: ReadonlyArray<CatalogEntry>) =>
    new Set(
      entries.flatMap(({ model, runs }): ReadonlyArray<string> =>
        model.providers.every(({ adapter }) => adapter === "builtin") ? [runs] : []
      )
    )
)

const messageOf = ({ model, queued, running, state }: Announcements.Change, at: number): Message => {
  const body = {
    type: `model.${state}`,
    model,
    queued,
    running,
    at: DateTime.formatIso(DateTime.makeUnsafe(at))
  }
  return {
    state,
    id: `msg_${crypto.randomBytes(16).toString("base64url")}`,
    body: new TextEncoder().encode(JSON.stringify(body))
  }
}

const headersOf = ({ body, id }: Message, keys: Receiver["keys"], timestamp: number) => ({
  "content-type": "application/json",
  "user-agent": `inferlog/${version}`,
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": keys.map((key) => StandardWebhooks.signature(key, { id, timestamp, body })).join(" ")
})

const make = Effect.fnUntraced(function* ({ idleAfterMs, keys, url }: Receiver) {
  const catalog = yield* Catalog
  const demand = yield* Demand
  const lease = yield* Lease
  const outbound = yield* Outbound
  const announcements = Announcements.make({ idleAfterMs })
  const messages = new Map<string, Message>()
  const fibers = yield* FiberMap.make<string>()
  const signal = yield* Queue.sliding<void>(1)
  const wake = Effect.asVoid(Queue.offer(signal, undefined))
  const tell = RateLimitedLog.make()
  let failures = 0
  let pausedUntil = -Infinity
  let isSender = false

  const messageFor = Effect.fnUntraced(function* (change: Announcements.Change) {
    const known = messages.get(change.model)
    if (known?.state === change.state) return known
    const made = messageOf(change, yield* Clock.currentTimeMillis)
    messages.set(change.model, made)
    return made
  })

  const post = Effect.fnUntraced(function* (change: Announcements.Change) {
    const message = yield* messageFor(change)
    const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
    const { status } = yield* outbound.post({
      url,
      headers: headersOf(message, keys, timestamp),
      body: message.body,
      timeout
    })
    return status >= 200 && status <= 299 ? "delivered" : `http_${status}`
  })

  const send = (change: Announcements.Change) =>
    post(change).pipe(
      Effect.catchTag(["OutboundError", "OutboundRefused"], ({ reason }) => Effect.succeed(reason)),
      Effect.tap((result) => Metric.update(Families.demandWebhooks.of(result), 1)),
      Effect.flatMap(
        Effect.fnUntraced(function* (result) {
          if (result === "delivered") {
            failures = 0
            messages.delete(change.model)
            return true
          }
          failures++
          pausedUntil = (yield* MonotonicTime.millis) + pauseMs(failures)
          const line = Effect.logWarning("The demand of a model cannot be announced; it is tried again")
          yield* tell(Effect.annotateLogs(line, { model: change.model, state: change.state, reason: result }))
          return false
        })
      ),
      Effect.onExit((exit) =>
        Effect.sync(() => announcements.end(change, Exit.isSuccess(exit) && exit.value))
      ),
      Effect.andThen(wake)
    )

  const stopSending = Effect.gen(function* () {
    isSender = false
    yield* FiberMap.clear(fibers)
    announcements.forget()
    messages.clear()
  })

  const look = Effect.gen(function* () {
    if (!(yield* lease.isHeld)) {
      if (isSender) yield* stopSending
      return
    }
    isSender = true
    const now = yield* MonotonicTime.millis
    const builtin = builtinOf(yield* catalog.all)
    const served = new Map([...(yield* demand.all)].filter(([model]) => !builtin.has(model)))
    const changes = announcements.look(served, now)
    if (now < pausedUntil) return
    const room = (failures === 0 ? mostAtOnce : 1) - (yield* FiberMap.size(fibers))
    for (const change of changes.slice(0, Math.max(room, 0))) {
      announcements.begin(change)
      yield* FiberMap.run(fibers, change.model, send(change))
    }
  })

  const ticking = Effect.repeat(wake, Schedule.spaced(interval))
  const looking = Effect.forever(Effect.andThen(Queue.take(signal), look))
  yield* Effect.forkScoped(ticking)
  yield* Effect.forkScoped(supervise("The announcer of demand", looking))
})

/** Does nothing without a receiver. `Outbound` must allow private addresses, because the operator chose the receiver. */
const layerNoDeps = Layer.effectDiscard(
  Effect.gen(function* () {
    const found = yield* receiver
    if (Option.isNone(found)) return
    if (found.value.keys.length === 0) return yield* new DemandSecretMissing()
    yield* make(found.value)
  })
)

export const layer = layerNoDeps.pipe(Layer.provide(Outbound.layerOfOperator))
