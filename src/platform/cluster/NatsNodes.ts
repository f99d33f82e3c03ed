/** The live nodes of a log on NATS: each node writes heartbeats into a KV bucket and watches all of them. */
import * as crypto from "node:crypto"
import type { KvWatchEntry } from "@nats-io/kv"
import { Clock, Context, Deferred, Effect, Layer, PubSub, Queue, Stream } from "effect"
import { Nats } from "#streams/nats/Nats.ts"
import { names } from "#streams/nats/NatsOptions.ts"
import { NatsStreamUnavailable } from "#streams/nats/NatsStreams.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import * as Heartbeats from "./Heartbeats.ts"
import * as NatsBucket from "./NatsBucket.ts"
import { makeOwnParts, NodeReports } from "./NodeReports.ts"
import { makeName, Nodes } from "./Nodes.ts"
import * as ReportBoard from "./ReportBoard.ts"

/** All in ms. */
export interface NatsNodesOptions {
  /** Interval of heartbeats. */
  readonly beatMs: number
  /** A node without a heartbeat for this long is dead. It is detected at the next heartbeat. */
  readonly deadMs: number
  /** When the servers drop a heartbeat. The same on all nodes of a log. */
  readonly ttlMs: number
}

const defaults: NatsNodesOptions = { beatMs: 2_000, deadMs: 8_000, ttlMs: 10_000 }

/** ms until a failed watch starts again. */
const retryMs = 250

/** How long a start waits for the node's own heartbeat. */
const patience = "30 seconds"

/** The longest time to announce the end at a stop. The other nodes notice it anyway. */
const farewell = "1 second"

const make = Effect.fnUntraced(function* (options: Partial<NatsNodesOptions>) {
  const { beatMs, deadMs, ttlMs } = { ...defaults, ...options }
  const nats = yield* Nats
  const clock = yield* Clock.Clock
  const now = () => MonotonicTime.millisOf(clock)
  const name = names(nats.options).nodes
  const bucket = yield* NatsBucket.open({ name, ttlMs, storage: "memory", patienceMs: beatMs })
  const { kv } = bucket

  const self = makeName()
  const own = makeOwnParts()
  const board = ReportBoard.make(self, yield* Clock.currentTimeMillis)
  const wallClock = () => clock.currentTimeMillisUnsafe()
  const signals = yield* PubSub.sliding<string>(256)
  /** Makes the next heartbeat come at once. */
  const urgent = yield* Queue.sliding<void>(1)
  const heartbeats = Heartbeats.make({ self, deadMs, lateMs: 2 * beatMs })
  const changes = yield* PubSub.sliding<void>({ capacity: 1, replay: 1 })
  const listed = yield* Deferred.make<void>()

  let failure: unknown = new Error("no heartbeat came back")
  const attempt = <A>(call: () => Promise<A>) =>
    Effect.tryPromise({ try: call, catch: (cause) => (failure = cause) })

  const put = attempt(() => kv.put(self, board.compose(own.read(), wallClock())))
  let sentAt = now()
  let isWarned = false
  const beat = Effect.gen(function* () {
    const at = now()
    if (at - sentAt > deadMs && !isWarned) {
      isWarned = true
      const seconds = Math.round((at - sentAt) / 1_000)
      yield* Effect.logWarning(
        `The other nodes had no heartbeat of this node for ${seconds} s, so they run its claimed requests again`
      )
    }
    // Messages sent without a connection would pile up.
    if (!nats.isUp()) return
    yield* put.pipe(
      Effect.catch(() => Effect.andThen(bucket.restore, put)),
      Effect.timeout(beatMs)
    )
    sentAt = at
    isWarned = false
  }).pipe(Effect.ignore({ log: "Debug" }))

  const reconnected = Stream.runHead(nats.reconnects)
  const pause = Effect.raceAllFirst([Effect.sleep(beatMs), reconnected, Queue.take(urgent)])

  let entryAt = now()
  /** Returns whether the set of live nodes may have changed. */
  const hear = (entry: KvWatchEntry): boolean => {
    const { key, operation } = entry
    if (operation === "PUT")
      for (const text of board.heard(key, entry.string(), wallClock())) PubSub.publishUnsafe(signals, text)
    if (key === self) return heartbeats.echoed(entryAt)
    return operation === "PUT" ? heartbeats.heard(key, entryAt) : heartbeats.left(key)
  }
  const listen = async (entries: AsyncIterable<KvWatchEntry>) => {
    let isListed = false
    let isHeard = false
    for await (const entry of entries) {
      entryAt = now()
      let isNews = hear(entry)
      isHeard ||= entry.key === self
      // The node's own heartbeat in the list proves that the list is not from a server that lags.
      if (!isListed && isHeard && entry.delta === 0) {
        isListed = true
        isNews = heartbeats.listed(entryAt) || isNews
        Deferred.doneUnsafe(listed, Effect.void)
      }
      if (isNews) PubSub.publishUnsafe(changes, undefined)
    }
  }

  // At least the own heartbeats must arrive: a silent watch is broken without reporting it.
  const silence = Effect.sleep(beatMs).pipe(Effect.repeat({ until: () => now() - entryAt > 3 * beatMs }))
  const watch = Effect.acquireUseRelease(
    attempt(() => kv.watch()),
    (entries) => {
      entryAt = now()
      return Effect.raceFirst(
        Effect.tryPromise(() => listen(entries)),
        silence
      )
    },
    (entries) =>
      Effect.sync(() => {
        heartbeats.deafened()
        entries.stop()
      })
  ).pipe(
    // A bucket that was created again counts from one, and the watch would wait for its old position.
    Effect.raceFirst(reconnected),
    Effect.ignore({ log: "Debug" })
  )

  // Runs after the fibers below have ended, so that no heartbeat follows.
  yield* Effect.addFinalizer(() =>
    nats.isUp()
      ? Effect.tryPromise(() => kv.delete(self)).pipe(Effect.timeout(farewell), Effect.ignore)
      : Effect.void
  )
  yield* Effect.all([beat, pause], { concurrency: "unbounded" }).pipe(
    Effect.forever,
    (loop) => supervise("The heartbeat of this node", loop),
    Effect.forkScoped
  )
  yield* Effect.andThen(watch, Effect.sleep(retryMs)).pipe(
    Effect.forever,
    (loop) => supervise("The watch of the live nodes", loop),
    Effect.forkScoped
  )
  yield* Deferred.await(listed).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => new NatsStreamUnavailable({ stream: `KV_${name}`, cause: failure })
    })
  )

  const nodes = Nodes.of({
    self,
    isAlive: (node) => heartbeats.isAlive(node, now()),
    live: heartbeats.live,
    changes: Stream.fromPubSub(changes)
  })
  return Context.make(Nodes, nodes).pipe(
    Context.add(NodeReports, {
      contribute: own.contribute,
      heard: () => {
        // What this node reports is in its memory, and newer than its last heartbeat.
        const all = board.list(heartbeats.live(), wallClock())
        return all.map((node) => (node.isSelf ? { ...node, parts: own.read() } : node))
      },
      signal: (text) => {
        board.signal(crypto.randomUUID(), text, wallClock())
        Queue.offerUnsafe(urgent, undefined)
      },
      signals: Stream.fromPubSub(signals)
    })
  )
})

/** Ready when the live nodes are known. */
export const layerWith = (options: Partial<NatsNodesOptions>) => Layer.effectContext(make(options))

export const layer = layerWith({})
