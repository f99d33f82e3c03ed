/** The lease on NATS: a renewed entry with the holder's name. The holder gives it up before the servers drop it. */
import { Effect, Layer, PubSub, Stream } from "effect"
import { Nats } from "#streams/nats/Nats.ts"
import * as NatsFailure from "#streams/nats/NatsFailure.ts"
import { names } from "#streams/nats/NatsOptions.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { Lease } from "./Lease.ts"
import * as NatsBucket from "./NatsBucket.ts"
import { Nodes } from "./Nodes.ts"

/** All in ms. */
export interface NatsLeaseOptions {
  /** Interval of attempts to get or renew the lease. */
  readonly renewMs: number
  /** How long the lease counts as held after the last renewal was sent. */
  readonly heldMs: number
  /** When the servers drop the entry, later than `heldMs`. The same on all nodes of a log. */
  readonly ttlMs: number
}

const defaults: NatsLeaseOptions = { renewMs: 3_000, heldMs: 8_000, ttlMs: 10_000 }

const key = "sweeper"

/** The longest time to return the lease at a stop. The servers drop it anyway. */
const farewell = "1 second"

interface Renewal {
  readonly revision: number
  /** When the last renewal was sent, ms of the monotonic clock. The servers count from a later time. */
  readonly since: number
}

const make = Effect.fnUntraced(function* (options: Partial<NatsLeaseOptions>) {
  const { heldMs, renewMs, ttlMs } = { ...defaults, ...options }
  const nats = yield* Nats
  const { self } = yield* Nodes
  const { storage } = nats.options
  const name = names(nats.options).leases
  const bucket = yield* NatsBucket.open({ name, ttlMs, storage, patienceMs: renewMs / 2 })
  const { kv } = bucket
  let renewal: Renewal | null = null
  const gains = yield* PubSub.sliding<void>(1)

  const isHeldAt = (now: number) => renewal !== null && now - renewal.since < heldMs

  /** Fails when the entry does not have that revision. */
  const put = Effect.fnUntraced(function* (previousSeq: number) {
    const since = yield* MonotonicTime.millis
    const revision = yield* Effect.tryPromise(() => kv.put(key, self, { previousSeq }))
    const wasHeld = isHeldAt(since)
    renewal = { revision, since }
    if (!wasHeld) PubSub.publishUnsafe(gains, undefined)
  })

  const current = Effect.map(
    Effect.tryPromise(() => kv.get(key)),
    (entry) => ({
      revision: entry?.revision ?? 0,
      holder: entry?.operation === "PUT" ? entry.string() : null
    })
  )

  /** Also accepts an entry of this node: an attempt that was given up may still have reached the servers. */
  const acquire = Effect.gen(function* () {
    const { holder, revision } = yield* current
    if (holder === null || holder === self) yield* put(revision)
    else renewal = null
  })

  const renew = Effect.suspend(() =>
    renewal === null ? acquire : Effect.catch(put(renewal.revision), () => acquire)
  )

  const lose = Effect.sync(() => {
    renewal = null
  })

  const turn = renew.pipe(
    Effect.catchIf(
      ({ cause }) => NatsFailure.classify(cause) === "conflict",
      () => lose
    ),
    Effect.tapError(() => bucket.restore),
    Effect.timeout(renewMs),
    Effect.ignore({ log: "Debug" }),
    // Messages sent without a connection would pile up.
    (turn) => Effect.suspend(() => (nats.isUp() ? turn : Effect.void))
  )

  const giveBack = Effect.gen(function* () {
    const { holder, revision } = yield* current
    if (holder === self) yield* Effect.tryPromise(() => kv.delete(key, { previousSeq: revision }))
  })

  // Runs after the fiber below has ended, so that no renewal follows.
  yield* Effect.addFinalizer(() =>
    Effect.andThen(lose, nats.isUp() ? giveBack.pipe(Effect.timeout(farewell), Effect.ignore) : Effect.void)
  )
  yield* Effect.all([turn, Effect.sleep(renewMs)], { concurrency: "unbounded" }).pipe(
    Effect.forever,
    (loop) => supervise("The lease", loop),
    Effect.forkScoped
  )

  return Lease.of({
    isHeld: Effect.map(MonotonicTime.millis, isHeldAt),
    gains: Stream.fromPubSub(gains)
  })
})

export const layerWith = (options: Partial<NatsLeaseOptions>) => Layer.effect(Lease, make(options))

export const layer = layerWith({})
