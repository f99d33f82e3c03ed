/**
 * T8: the webhook sender, from due deliveries on the log until all are delivered: read, claimed, signed, posted and recorded.
 * Straight code records, signs and posts as many; the bare pool only posts the same bytes.
 */
import { Array, Effect } from "effect"
import { defaultWarmUpSeconds } from "../harness/HttpSubject.ts"
import * as Metering from "../harness/Metering.ts"
import type { Measurement, Row, Subject } from "../harness/Subject.ts"
import * as Receiving from "../subjects/webhooks/Receiving.ts"
import * as Sender from "../subjects/webhooks/Sender.ts"
import * as Straight from "../subjects/Straight.ts"
import * as Child from "./log/Child.ts"

/** Concurrent posts to one receiver: the sender's default limit. */
const inFlight = 64
const dead = 1_000
/** Deliveries that wait for each dead receiver: more than are tried during the measurement. */
const waitingForEachDead = 20
/** Unix time in ms. */
const longAgo = 1_700_000_000_000

export interface Options {
  readonly scheme: Receiving.Scheme
  readonly dead?: number
  /** Deliveries that fall due per second, one by one. If absent, all fall due at once. */
  readonly perSecond?: number
  /** Deliveries that are sent before the measurement. */
  readonly warmUp?: number
  /** Time for the sender to detect the dead receivers, s. By default until each has timed out once. */
  readonly detectionSeconds?: number
}

const seconds = (ms: number) => ms / 1_000

export const ours = (
  { dead = 0, detectionSeconds = 60, perSecond, scheme, warmUp = 10_000 }: Options,
  { name, role }: Pick<Subject, "name" | "role"> = { name: "inferlog", role: "ours" }
): Subject => ({
  name,
  role,
  start: Effect.gen(function* () {
    const receiver = yield* Receiving.start(scheme, dead)
    const sender = yield* Sender.serve
    // A sender that keeps trying dead receivers never becomes idle.
    const settled = dead === 0 ? undefined : Effect.void

    /** All deliveries are recorded before the first is due. Recording is not measured. */
    const deliver = Effect.fnUntraced(function* (deliveries: number, spreadMs: number) {
      const received = yield* receiver.expect(deliveries)
      yield* sender.schedule({ deliveries, urls: [receiver.url], dueAt: null, spreadMs })
      return yield* Metering.meter(sender.pids, received, settled)
    })

    /** Returns the longest wait of a delivery to a live receiver meanwhile, s. One falls due each second. */
    const detectDead = Effect.fnUntraced(function* (urls: Array.NonEmptyReadonlyArray<string>) {
      const deliveries = urls.length * waitingForEachDead
      yield* sender.schedule({ deliveries, urls, dueAt: longAgo, spreadMs: 0 })
      const { latencyMs } = yield* deliver(detectionSeconds, 1_000 * detectionSeconds)
      return seconds(latencyMs?.p99 ?? 0)
    })

    const notes = Array.isReadonlyArrayNonEmpty(receiver.deadUrls)
      ? { "longest wait while dead receivers were detected, s": yield* detectDead(receiver.deadUrls) }
      : {}
    let last = yield* deliver(warmUp, 0)

    /** The time from due to received is meaningful only if deliveries do not fall due all at once. */
    const burst = Effect.fnUntraced(function* (wantedSeconds: number) {
      const count = Math.ceil((wantedSeconds * last.operations) / seconds(last.elapsedMs))
      const { latencyMs: _, ...measured } = yield* deliver(count, 0)
      last = measured
      return { ...measured, notes } satisfies Measurement
    })

    const paced = (rate: number) => (wantedSeconds: number) =>
      Effect.map(
        deliver(Math.ceil(rate * wantedSeconds), 1_000 * wantedSeconds),
        (measured): Measurement => ({ ...measured, notes })
      )

    return { measure: perSecond === undefined ? burst : paced(perSecond) }
  })
})

export const posts = { name: "undici pool", program: "UndiciPool.ts" } as const
export const straight = { name: Straight.name, program: "RecordedPosts.ts" } as const

export const raw = (
  scheme: Receiving.Scheme,
  { name, program }: typeof posts | typeof straight,
  warmUpSeconds = defaultWarmUpSeconds
): Subject => ({
  name,
  role: "floor",
  start: Effect.gen(function* () {
    const { url } = yield* Receiving.start(scheme)
    const entry = new URL(`../floors/webhooks/${program}`, import.meta.url)
    const pool = yield* Child.start(entry, [url, String(inFlight)])
    yield* pool.measure(warmUpSeconds)
    return pool
  })
})

const alive = { name: "inferlog, none dead", role: "floor" } as const
const deliveries = { id: "T8", unit: "deliveries" } as const

const rowOf = (scheme: Receiving.Scheme): Row => ({
  ...deliveries,
  title: `Webhooks over ${scheme}, ${inFlight} in flight`,
  subjects: [ours({ scheme }), raw(scheme, posts), raw(scheme, straight)],
  targets: { [straight.name]: 0.6 }
})

const perSecond = 200

export const rows: ReadonlyArray<Row> = [
  rowOf("http"),
  rowOf("https"),
  {
    ...deliveries,
    title: `Webhooks over https with ${dead} dead receivers`,
    subjects: [ours({ scheme: "https", dead }), ours({ scheme: "https" }, alive), raw("https", posts)],
    targets: {}
  },
  {
    ...deliveries,
    title: `Webhooks on time, ${perSecond} a second, with ${dead} dead receivers`,
    subjects: [ours({ scheme: "https", dead, perSecond }), ours({ scheme: "https", perSecond }, alive)],
    targets: {},
    p99Targets: { [alive.name]: 1.5 }
  }
]
