/** Our subject: reads pages of one account's history. Arguments: the read models' file, number of requests, kind of page. */
import process from "node:process"
import { Effect, Layer } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { History } from "#projections/history/History.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import * as SqliteClient from "#streams/SqliteClient.ts"
import * as Work from "../log/Work.ts"
import * as HistoryEvents from "./HistoryEvents.ts"
import type { Kind } from "./HistoryPages.ts"

const [, , filename = "", requests, kind] = process.argv

const total = Number(requests)
const limit = 20

/** Differs from page to page and is the same in each run. */
let turn = 0
const share = (): number => ((Math.imul(++turn, 0x9e3779b1) >>> 0) % 1_000) / 1_000

const first = { accountId: HistoryEvents.accountId, page: 1, after: null, limit }
const model = () => HistoryEvents.models[turn % HistoryEvents.models.length] ?? HistoryEvents.models[0]

const queries: Record<Kind, () => Parameters<History["Service"]["list"]>[0]> = {
  first: () => first,
  numbered: () => ({ ...first, page: 1 + Math.floor((share() * total) / limit) }),
  continued: () => {
    const createdAt = HistoryEvents.createdAt(Math.floor(share() * total))
    return { ...first, page: 2, after: { createdAt, requestId: "r" } }
  },
  filtered: () => ({ ...first, status: "COMPLETED", ...(model() === undefined ? {} : { model: model() }) }),
  bounded: () => {
    const from = HistoryEvents.createdAt(Math.floor(share() * 0.5 * total)) + 1_234_567
    return { ...first, createdAfter: from, createdBefore: from + 0.4 * total * 6_000 }
  },
  metadata: () => ({
    ...first,
    metadata: { customer: HistoryEvents.customerOf(Math.floor(share() * total)) }
  })
}

const readModels = Layer.effect(
  ReadModels,
  SqliteClient.make({ filename, readOnly: true, synchronous: "NORMAL" })
).pipe(Layer.provide(Reactivity.layer))

const page = (query: () => Parameters<History["Service"]["list"]>[0]) =>
  Effect.flatMap(History, ({ list }) => Effect.suspend(() => list(query())))

const run = Effect.gen(function* () {
  const context = yield* Effect.context<History>()
  const query = queries[kind as Kind]
  const one = () => Effect.runPromiseWith(context)(page(query))
  const { items } = yield* page(query)
  if (items.length !== limit) return yield* Effect.die(`expected ${limit} requests, got ${items.length}`)
  Work.serve((seconds) => Work.repeated({ inFlight: 1, seconds }, one))
  return yield* Effect.never
})

Effect.runFork(run.pipe(Effect.provide(History.layer.pipe(Layer.provide(readModels))), Effect.scoped))
