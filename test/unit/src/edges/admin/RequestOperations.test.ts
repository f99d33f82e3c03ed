import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { AccountId, RequestId } from "#domain/Ids.ts"
import { codec } from "#domain/inference-request/Event.ts"
import * as Money from "#domain/Money.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import type { ListRequests } from "#src/edges/admin/requests/RequestOperations.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as Payload from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import { layers, quiet } from "#test/support/src/edges/admin/AdministrationLayers.ts"

const openAccount = Effect.flatMap(Administration, ({ openAccount }) =>
  openAccount({ name: "acme", balance: Money.zero })
)

/** Pages of `limit`, each after the previous one. */
const pages = Effect.fnUntraced(function* (
  options: Omit<typeof ListRequests.Type, "after" | "limit">,
  limit: number
) {
  const { listRequests } = yield* Administration
  const found: Array<ReadonlyArray<RequestId>> = []
  let after: RequestId | null = null
  while (true) {
    const page: Effect.Success<ReturnType<typeof listRequests>> = yield* listRequests({
      ...options,
      after,
      limit
    })
    found.push(page.data.map(({ requestId }) => requestId))
    after = page.next
    if (after === null) return found
  }
})

/** Nine requests of two accounts alternately, three per ms; 0, 3 and 6 are `slow`, 4 is completed. */
const submitNine = Effect.fnUntraced(function* (accounts: ReadonlyArray<AccountId>) {
  for (let number = 0; number < 9; number++) {
    const account = accounts[number % accounts.length] ?? Log.alice
    const at = Log.t0 + Math.floor(number / 3)
    yield* Log.append(number, Log.submitted(account, number % 3 === 0 ? Log.slow : Log.echo, at))
  }
  yield* Log.append(4, Log.dispatched(1), Log.started(1), Log.completed(1, Log.t0 + 1_000))
})

const ids = (...numbers: ReadonlyArray<number>) => numbers.map(Log.requestId)

for (const [name, layer] of Object.entries(layers)) {
  describe(`Administration of requests, ${name}`, () => {
    it.live("lists requests of all accounts, newest first, each on one page", () =>
      Effect.gen(function* () {
        const a = yield* openAccount
        const b = yield* openAccount
        yield* submitNine([a.accountId, b.accountId])
        const all = ids(8, 7, 6, 5, 4, 3, 2, 1, 0)
        assert.deepStrictEqual(yield* pages({}, 9), [all])
        for (const limit of [1, 2, 4]) {
          const found = yield* pages({}, limit)
          assert.deepStrictEqual(found.flat(), all)
          assert.isTrue(found.slice(0, -1).every((page) => page.length === limit))
        }
        assert.deepStrictEqual(yield* pages({ accountId: b.accountId }, 3), [ids(7, 5, 3), ids(1)])
        assert.deepStrictEqual(yield* pages({ model: Log.slow }, 2), [ids(6, 3), ids(0)])
        assert.deepStrictEqual(yield* pages({ status: "COMPLETED" }, 5), [ids(4)])
        assert.deepStrictEqual(
          yield* pages({ accountId: a.accountId, model: Log.slow, status: "IN_QUEUE" }, 5),
          [ids(6, 0)]
        )
      }).pipe(Effect.provide(Layer.provide(layer, quiet)))
    )

    it.live("pages through many requests of the same millisecond", () =>
      Effect.gen(function* () {
        const { accountId } = yield* openAccount
        for (let number = 0; number < 12; number++) {
          yield* Log.append(number, Log.submitted(accountId, Log.echo))
        }
        const found = yield* pages({}, 1)
        assert.deepStrictEqual(found.flat(), ids(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))
      }).pipe(Effect.provide(Layer.provide(layer, quiet)))
    )

    it.live("shows the events of a request, and its payloads only on demand", () =>
      Effect.gen(function* () {
        const { showRequest } = yield* Administration
        const store = yield* EventStore
        const stream = StreamName.make("InferenceRequest", Log.requestId(1))
        const sealed = yield* (yield* Payload.Payloads).seal({
          owner: Log.alice,
          stream,
          name: "input",
          text: JSON.stringify({ value: "secret" })
        })
        const submitted = {
          ...Log.submitted(Log.alice, Log.echo, Log.t0, { job: "a" }),
          payloads: { input: Payload.refOf(sealed) }
        }
        yield* store.append({
          stream,
          expected: ExpectedVersion.NoStream,
          events: [{ id: "submitted", ...codec.encode(submitted) }],
          payloads: [sealed]
        })
        yield* Log.append(1, Log.dispatched(1, Log.t0 + 5), Log.started(1, Log.t0 + 10))
        yield* Log.append(1, Log.requeued(1, Log.t0 + 500, Log.t0 + 20), Log.dispatched(2, Log.t0 + 500))
        yield* Log.append(1, Log.started(2, Log.t0 + 510), Log.completed(2, Log.t0 + 1_510))

        const requestId = Log.requestId(1)
        const shown = yield* showRequest({ requestId, withPayloads: false })
        assert.deepInclude(shown, {
          requestId,
          accountId: Log.alice,
          model: Log.echo,
          status: "COMPLETED",
          outcome: "succeeded",
          runs: 2,
          createdAt: Log.t0,
          startedAt: Log.t0 + 10,
          endedAt: Log.t0 + 1_510,
          inferenceMs: 1_000,
          metadata: { job: "a" },
          payloads: null
        })
        assert.strictEqual(
          shown.urls.status_url,
          `https://queue.test/sandbox/echo/requests/${requestId}/status`
        )
        assert.deepStrictEqual(
          shown.timeline.map(({ facts, position, time, type }) => [position, time - Log.t0, type, facts]),
          [
            ["1", 0, "RequestSubmitted", {}],
            ["2", 5, "DispatchStarted", { attempt: 1, provider: "builtin", node: "node-1" }],
            ["3", 10, "RequestStarted", { attempt: 1 }],
            ["4", 20, "RequestRequeued", { attempt: 1, reason: "rate_limited", dueAt: Log.t0 + 500 }],
            ["5", 500, "DispatchStarted", { attempt: 2, provider: "builtin", node: "node-1" }],
            ["6", 510, "RequestStarted", { attempt: 2 }],
            ["7", 1_510, "RequestCompleted", { attempt: 2 }]
          ]
        )
        const { payloads } = yield* showRequest({ requestId, withPayloads: true })
        assert.deepStrictEqual(payloads, {
          input: { state: "stored", text: '{"value":"secret"}' },
          output: { state: "none", text: null },
          logs: []
        })

        yield* Log.append(2, Log.submitted(Log.alice, Log.echo))
        const erased = yield* showRequest({ requestId: Log.requestId(2), withPayloads: true })
        assert.deepStrictEqual(erased.payloads?.input, { state: "erased", text: null })
      }).pipe(Effect.provide(Layer.provide(layer, quiet)))
    )

    it.live("rejects unknown requests and unreadable ones", () =>
      Effect.gen(function* () {
        const { listRequests, showRequest } = yield* Administration
        const requestId = Log.requestId(1)
        const unknown = yield* Effect.flip(showRequest({ requestId, withPayloads: false }))
        assert.strictEqual(unknown._tag, "UnknownRequest")
        const after = yield* Effect.flip(listRequests({ after: requestId, limit: 1 }))
        assert.strictEqual(after._tag, "UnknownRequest")

        yield* Log.appendCorrupt(1, "RequestSubmitted")
        const corrupt = yield* Effect.flip(showRequest({ requestId, withPayloads: false }))
        assert.strictEqual(corrupt._tag, "AdministrationFailed")
        assert.include(corrupt.message, "cannot be read")
      }).pipe(Effect.provide(Layer.provide(layer, quiet)))
    )
  })
}
