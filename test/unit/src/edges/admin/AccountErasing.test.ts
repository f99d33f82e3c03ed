import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AccountId } from "#domain/Ids.ts"
import * as Money from "#domain/Money.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import type { ErasingStep } from "#src/edges/admin/accounts/AccountOperations.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import { layers, quiet } from "#test/support/src/edges/admin/AdministrationLayers.ts"

const openAccount = Effect.flatMap(Administration, ({ openAccount }) =>
  openAccount({ name: "acme", balance: Money.zero })
)

/** Runs complete rounds until one erases nothing. Returns the count of each and the last round. */
const rounds = Effect.fnUntraced(function* (accountId: AccountId) {
  const { eraseAccount } = yield* Administration
  const erased: Array<number> = []
  let step: typeof ErasingStep.Type | undefined
  while (true) {
    step = yield* eraseAccount({ accountId, round: step?.round ?? null })
    if (step.round.place !== null) continue
    erased.push(step.round.erased)
    if (step.round.erased === 0) return { erased, last: step }
  }
})

const typesOf = (stream: string) =>
  Effect.gen(function* () {
    const events = yield* (yield* EventReader).read(StreamName.trusted(stream))
    return events.map(({ type }) => type)
  })

for (const [name, layer] of Object.entries(layers)) {
  describe(`Administration of erased accounts, ${name}`, () => {
    it.live("closes the account, erases ended and waiting requests, and reports completion", () =>
      Effect.gen(function* () {
        const administration = yield* Administration
        const { accountId } = yield* openAccount
        yield* openAccount
        for (let number = 1; number <= 230; number++) {
          yield* Log.append(number, Log.submitted(accountId, Log.echo, Log.t0 + number))
          if (number > 3) yield* Log.append(number, Log.dispatched(1), Log.completed(1))
        }
        const { erased, last } = yield* rounds(accountId)
        assert.deepStrictEqual(erased, [230, 0])
        assert.deepInclude(last, { goesOn: false })
        assert.deepStrictEqual(last.round, { place: null, erased: 0, open: 0, failed: 0 })
        assert.deepStrictEqual((yield* typesOf(`InferenceRequest-${Log.requestId(1)}`)).slice(-3), [
          "CancelRequested",
          "RequestCancelled",
          "PayloadsErased"
        ])
        assert.deepStrictEqual((yield* typesOf(`Account-${accountId}`)).slice(-2), [
          "AccountErased",
          "AccountErasureFinished"
        ])

        const issue = yield* Effect.flip(administration.issueKey({ accountId, name: "ci" }))
        assert.strictEqual(issue._tag, "AccountClosed")
        const { data: keys } = yield* administration.listKeys({ accountId, after: null })
        assert.isTrue(keys.length > 0 && keys.every(({ revokedAt }) => revokedAt !== null))
        const { data: all } = yield* administration.listKeys({ after: null })
        assert.isTrue(
          all.some(({ revokedAt }) => revokedAt === null),
          "the other account's key is in force"
        )
      }).pipe(Effect.provide(Layer.provide(layer, quiet)))
    )

    it.live("leaves a request that a dead node ran to the next server", () =>
      Effect.gen(function* () {
        const { accountId } = yield* openAccount
        yield* Log.append(1, Log.submitted(accountId, Log.echo), Log.dispatched(1), Log.started(1))
        const { last } = yield* rounds(accountId)
        assert.deepStrictEqual(last.round, { place: null, erased: 0, open: 1, failed: 0 })
        assert.strictEqual((yield* typesOf(`Account-${accountId}`)).at(-1), "AccountErased")
        assert.strictEqual((yield* typesOf(`InferenceRequest-${Log.requestId(1)}`)).at(-1), "CancelRequested")
      }).pipe(Effect.provide(Layer.provide(layer, quiet)))
    )

    it.live("rejects an unknown account", () =>
      Effect.gen(function* () {
        const { eraseAccount } = yield* Administration
        const accountId = AccountId.make("acc_0000000000000000")
        const error = yield* Effect.flip(eraseAccount({ accountId, round: null }))
        assert.strictEqual(error._tag, "AccountNotFound")
      }).pipe(Effect.provide(Layer.provide(layer, quiet)))
    )
  })
}
