/** A log of many events on its own NATS server, shared by all subjects of a row. */
import { Context, Effect, Layer, type Scope } from "effect"
import * as ScratchDirectory from "../../harness/ScratchDirectory.ts"
import type { BenchFailed, Unavailable } from "../../harness/Subject.ts"
import * as Broker from "../../subjects/nats/Broker.ts"
import * as NatsNodes from "../../subjects/nats/NatsNodes.ts"
import * as Cached from "../log/Cached.ts"
import * as Child from "../log/Child.ts"
import * as RequestLives from "../log/RequestLives.ts"

/** Sources of the events and of their messages. */
const sources = [
  "bench/rows/log/RequestLives.ts",
  "domain/inference-request/Event.ts",
  "streams/EventChain.ts",
  "streams/nats/AppendMessage.ts",
  "streams/nats/PayloadRecords.ts",
  "streams/nats/NatsStreams.ts",
  "streams/nats/Writer.ts"
]

export interface Options {
  /** Each has about five events. */
  readonly requests: number
  /** Whether the log is reused by the next run. */
  readonly isReused: boolean
}

export interface Prepared {
  readonly broker: Broker.Broker
  /** The log's address, as in `EVENT_STORE`. */
  readonly address: string
  readonly requests: number
  readonly events: number
}

class PreparedNats extends Context.Service<PreparedNats, Prepared>()("inferlog/bench/PreparedNats") {}

const fill = (requests: number) =>
  Effect.fnUntraced(function* (directory: string) {
    const broker = yield* Broker.start({ directory, sync: "default" })
    yield* Child.run(new URL("./FillNats.ts", import.meta.url), [NatsNodes.logAt(broker), String(requests)])
  }, Effect.scoped)

const directoryOf = ({ isReused, requests }: Options) =>
  isReused
    ? Cached.filled(Cached.directoryOf(`nats-${requests}`, sources), fill(requests))
    : Effect.tap(ScratchDirectory.make, fill(requests))

const serve = Effect.fnUntraced(function* (options: Options) {
  const { requests } = options
  const directory = yield* directoryOf(options)
  const broker = yield* Broker.start({ directory, sync: "default" })
  let events = 0
  for (const append of RequestLives.appends(requests)) events += append.events.length
  return PreparedNats.of({ broker, address: NatsNodes.logAt(broker), requests, events })
})

/** A shared NATS server: the first user starts it, and it stops with the last one. */
const shared = Layer.makeMemoMapUnsafe()

export const make = (options: Options): Effect.Effect<Prepared, BenchFailed | Unavailable, Scope.Scope> => {
  const layer = Layer.effect(PreparedNats, serve(options))
  return Effect.gen(function* () {
    return Context.get(yield* Layer.buildWithMemoMap(layer, shared, yield* Effect.scope), PreparedNats)
  })
}
