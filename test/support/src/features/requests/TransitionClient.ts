/** What a client sees of a request through the routes, and what the ledger says that it paid. */
import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { RequestId } from "#domain/Ids.ts"
import * as Money from "#domain/Money.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { Ledger } from "#projections/ledger/Ledger.ts"
import { projection } from "#projections/ledger/LedgerProjection.ts"
import { Projections } from "#projections/Projections.ts"
import type { Answer } from "#src/edges/http/Answer.ts"
import { RequestHandlers } from "#src/edges/api/requests/RequestHandlers.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as MediaModel from "#test/support/src/features/dispatch/finalize/MediaModel.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { exactly } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import { plenty, usd } from "#test/support/TestAccounts.ts"
import { single, testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

const { gallery } = MediaModel
export const patient = testModel("test/patient", { timeoutSeconds: 100_000, concurrency: 10 })
export const counted = testModel("test/counted", {
  price: { unit: "image", unitPrice: Money.NanoUsd.make(2_000_000n), minimumCharge: Money.zero },
  quantities: () => exactly(Money.units(4)),
  concurrency: 10
})
export const invalid = testModel("test/strict", {
  outputSchema: {
    type: "object",
    properties: { label: { type: "string" }, score: { type: "number", maximum: 1 } },
    required: ["label", "score"]
  }
})

export const nodeOf = (sweeps: boolean) =>
  RequestHandlers.layer.pipe(
    Layer.provideMerge(TestNode.layer({ models: [single, invalid, gallery, patient, counted], sweeps }))
  )
const node = nodeOf(false)

export const row = (text: string, test: Effect.Effect<void, unknown, Layer.Success<typeof node>>) =>
  it.effect(text, () => Effect.provide(test, node))

export const params = (id: RequestId, { model } = single) => {
  const [ownerName = "", modelName = ""] = model.endpoint.split("/")
  return { caller: Facts.caller(), params: { ownerName, modelName, requestId: id } }
}

interface Told {
  readonly status: number
  readonly body: { readonly [name: string]: Json | undefined }
}

export const read = ({ status, body }: Answer): Told => ({
  status,
  body: JSON.parse(typeof body === "string" ? body : "{}")
})

/** After everything on the log by now. */
const upToDate = (id: RequestId) => Effect.flatMap(RequestActors, ({ refresh }) => refresh(id))

export const statusOf = Effect.fnUntraced(function* (id: RequestId, model = single) {
  const { status } = yield* RequestHandlers
  yield* upToDate(id)
  return read(yield* status({ ...params(id, model), headers: {}, wait: undefined }))
})

/** The answer of `response_url`, including refusals. */
export const resultOf = Effect.fnUntraced(function* (id: RequestId, model = single) {
  const { result } = yield* RequestHandlers
  yield* upToDate(id)
  return yield* result(params(id, model)).pipe(
    Effect.map(read),
    Effect.catchTag("ErrorAnswer", (errorAnswer) => Effect.succeed(read(errorAnswer.toAnswer("correlation"))))
  )
})

/** The result object in any state. */
export const retrieved = Effect.fnUntraced(function* (id: RequestId) {
  const { retrieve } = yield* RequestHandlers
  yield* upToDate(id)
  const { body } = read(yield* retrieve({ caller: Facts.caller(), params: { requestId: id } }))
  return body
})

/** The paid and the reserved amount of the account, in USD. */
export const spent = Effect.gen(function* () {
  const head = yield* (yield* EventReader).head
  yield* (yield* Projections).waitFor(head, { projection: projection.name })
  const { balance, reserved } = yield* (yield* Ledger).balance(Facts.caller().accountId)
  return {
    charged: Money.format(Money.NanoUsd.make(usd(plenty) - balance)),
    reserved: Money.format(reserved)
  }
})

export const nothing = { charged: "0", reserved: "0" }

export const ended = Effect.fnUntraced(function* (outcome: ProviderOutcome, model = single) {
  const id = yield* Facts.submit({ model })
  const run = yield* (yield* TestProvider).next
  yield* run.does(({ started }) => started)
  yield* run.ends(outcome)
  yield* Facts.untilEnd(id)
  return id
})
