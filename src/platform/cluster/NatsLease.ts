/**
 * The lease on NATS: an entry with the holder's name, which the servers drop when it is not renewed. A holder stops
 * believing in it before they do.
 */
import { Effect, Layer } from "effect"
import { Nats } from "#streams/nats/Nats.ts"
import * as NatsFailure from "#streams/nats/NatsFailure.ts"
import { names } from "#streams/nats/NatsOptions.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { Lease } from "./Lease.ts"
import * as NatsBucket from "./NatsBucket.ts"
import { Nodes } from "./Nodes.ts"

/** ms, each. */
export interface NatsLeaseOptions {
  /** Between two tries to get it or to renew it. */
  readonly renewMs: number
  /** For how long it is held after the last renewal was sent. */
  readonly heldMs: number
  /** After which the servers drop it: longer than it is held. All nodes of a log must have the same. */
  readonly ttlMs: number
}

const defaults: NatsLeaseOptions = { renewMs: 3_000, heldMs: 8_000, ttlMs: 10_000 }

const key = "sweeper"

/** How long a stop takes to give it back; the servers drop it anyway. */
const farewell = "1 second"

interface Held {
  readonly revision: number
  /** When its last renewal was sent, ms of the monotonic clock: the servers count from later on. */
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
  let held: Held | null = null

  /** Fails when the entry is no longer, or not yet, at that revision. */
  const put = Effect.fnUntraced(function* (previousSeq: number) {
    const since = yield* MonotonicTime.millis
    const revision = yield* Effect.tryPromise(() => kv.put(key, self, { previousSeq }))
    held = { revision, since }
  })

  const current = Effect.map(
    Effect.tryPromise(() => kv.get(key)),
    (entry) => ({
      revision: entry?.revision ?? 0,
      holder: entry?.operation === "PUT" ? entry.string() : null
    })
  )

  /** Also takes what is its own already: a put that was given up may have come to the servers all the same. */
  const acquire = Effect.gen(function* () {
    const { holder, revision } = yield* current
    if (holder === null || holder === self) yield* put(revision)
    else held = null
  })

  const renew = Effect.suspend(() =>
    held === null ? acquire : Effect.catch(put(held.revision), () => acquire)
  )

  const lose = Effect.sync(() => {
    held = null
  })

  const turn = renew.pipe(
    Effect.catchIf(
      ({ cause }) => NatsFailure.classify(cause) === "conflict",
      () => lose
    ),
    Effect.tapError(() => bucket.restore),
    Effect.timeout(renewMs),
    Effect.ignore({ log: "Debug" }),
    // What is sent while there is no connection would pile up.
    (turn) => Effect.suspend(() => (nats.isUp() ? turn : Effect.void))
  )

  const giveBack = Effect.gen(function* () {
    const { holder, revision } = yield* current
    if (holder === self) yield* Effect.tryPromise(() => kv.delete(key, { previousSeq: revision }))
  })

  // Runs when the fiber below has ended: no renewal follows it.
  yield* Effect.addFinalizer(() =>
    Effect.andThen(lose, nats.isUp() ? giveBack.pipe(Effect.timeout(farewell), Effect.ignore) : Effect.void)
  )
  yield* Effect.all([turn, Effect.sleep(renewMs)], { concurrency: "unbounded" }).pipe(
    Effect.forever,
    (loop) => supervise("The lease", loop),
    Effect.forkScoped
  )

  return Lease.of({
    isHeld: Effect.map(MonotonicTime.millis, (now) => held !== null && now - held.since < heldMs)
  })
})

export const layerWith = (options: Partial<NatsLeaseOptions>) => Layer.effect(Lease, make(options))

export const layer = layerWith({})
