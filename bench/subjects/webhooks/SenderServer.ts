/**
 * Our server, which also takes orders on stdin to record waiting deliveries. It may call receivers on this machine and trusts
 * the authority of their certificates.
 */
import process from "node:process"
import * as readline from "node:readline"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer, Schema, Stream } from "effect"
import { KeyId } from "#domain/Ids.ts"
import * as Money from "#domain/Money.ts"
import * as DeliveriesProjection from "#projections/deliveries/DeliveriesProjection.ts"
import { Projections } from "#projections/Projections.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { AddressPolicy } from "#src/kernel/outbound/AddressPolicy.ts"
import { OutboundAuthorities } from "#src/kernel/outbound/Connection.ts"
import * as Server from "#src/composition/Server.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as Scales from "../Scales.ts"
import * as Backlog from "./Backlog.ts"
import * as Certificate from "./Certificate.ts"
import * as Order from "./Order.ts"

/** Appends per transaction. */
const atOnce = 1_000

/** Expected time from a delivery's append to its row, ms: this at first, then twice the last time. */
const firstGuessMs = 0.5
const marginMs = 500

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Order.Order))

const make = Effect.gen(function* () {
  const store = yield* EventStore
  const reader = yield* EventReader
  const projections = yield* Projections
  const steady = yield* SteadyTime
  const ids = yield* IdGenerator
  const accounts = yield* Accounts
  const key = { keyId: KeyId.make("webhooks"), secret: ApiKey.makeSecret() }
  const { accountId } = yield* accounts.open({ name: "webhooks", key, balance: Money.zero })
  let guessMs = firstGuessMs

  const schedule = Effect.fnUntraced(function* ({ deliveries, dueAt, spreadMs, urls }: Order.Schedule) {
    const began = yield* steady.now
    const from = dueAt ?? Math.ceil(began + marginMs + guessMs * deliveries)
    const owed = (index: number) => {
      const dueAt = from + Math.floor((spreadMs * index) / deliveries)
      return Backlog.appendOf(ids, { accountId, dueAt, url: `${urls[index % urls.length]}${dueAt}` })
    }
    yield* Stream.range(0, deliveries - 1, atOnce).pipe(
      Stream.chunks,
      Stream.runForEach(
        Effect.forEach((index) => store.append(owed(index)), { concurrency: "unbounded", discard: true })
      )
    )
    yield* projections.waitFor(yield* reader.head, {
      projection: DeliveriesProjection.projection.name,
      timeout: "10 minutes"
    })
    const now = yield* steady.now
    // The time of a few deliveries does not predict that of many.
    if (deliveries >= atOnce) guessMs = (2 * (now - began)) / deliveries
    return Order.Scheduled.make({ dueInMs: from - now })
  })

  const obey = Effect.fnUntraced(function* (line: string) {
    const order = yield* decode(line)
    const answer = order._tag === "Weigh" ? Scales.weigh() : yield* schedule(order)
    yield* Console.log(JSON.stringify(answer))
  })

  // Created when reading starts, because earlier lines would be lost.
  const lines = Stream.suspend(() =>
    Stream.fromAsyncIterable(readline.createInterface({ input: process.stdin }), String)
  )
  return Effect.orDie(Stream.runForEach(lines, obey))
})

const orders = Layer.effectDiscard(Effect.flatMap(make, Effect.forkScoped))

orders.pipe(
  Layer.provideMerge(Server.layerOf(BuiltinCatalog.layer)),
  Layer.provide(DataDirectory.layer),
  Layer.provide(NodeServices.layer),
  Layer.provide([
    Layer.succeed(AddressPolicy, () => true),
    Layer.succeed(OutboundAuthorities, [Certificate.authority()])
  ]),
  Layer.launch,
  NodeRuntime.runMain
)
