import { assert, describe, it } from "@effect/vitest"
import * as IdempotencyKey from "#domain/idempotency-key/IdempotencyKey.ts"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { given } from "#test/support/Scenario.ts"

const { aggregate, retentionMs } = IdempotencyKey

const first = RequestId.make("rq0000000000000000001")
const second = RequestId.make("rq0000000000000000002")

const reserve = (at: number, requestId: RequestId, requestHash = "hash"): IdempotencyKey.Command => ({
  _tag: "Reserve",
  at,
  requestId,
  requestHash
})

const reserved = (at: number, requestId: RequestId, requestHash = "hash"): IdempotencyKey.Event => ({
  _tag: "KeyReserved",
  at,
  requestId,
  requestHash,
  expiresAt: at + retentionMs
})

const reservedFor = (state: IdempotencyKey.State) => (state._tag === "Reserved" ? state.requestId : null)

describe("An idempotency key", () => {
  it("is reserved for the first request, for 24 hours", () => {
    assert.strictEqual(retentionMs, 86_400_000)
    given(aggregate)
      .when(reserve(1_000, first))
      .expectEvents(reserved(1_000, first))
      .expectView(reservedFor, first)
  })

  it("keeps the first request's id when the request is repeated", () => {
    given(aggregate, [reserved(1_000, first)])
      .when(reserve(2_000, second))
      .expectNothing()
      .expectView(reservedFor, first)
  })

  it("rejects another request", () => {
    given(aggregate, [reserved(1_000, first)])
      .when(reserve(2_000, second, "another"))
      .expectRejection("KeyReused")
      .expectView(reservedFor, first)
  })

  it("is valid to its last millisecond, then free for any request", () => {
    const events = [reserved(1_000, first)]
    given(aggregate, events)
      .when(reserve(1_000 + retentionMs - 1, second, "another"))
      .expectRejection("KeyReused")
    for (const hash of ["hash", "another"]) {
      given(aggregate, events)
        .when(reserve(1_000 + retentionMs, second, hash))
        .expectEvents(reserved(1_000 + retentionMs, second, hash))
        .expectView(reservedFor, second)
    }
  })

  it("belongs to one account", () => {
    assert.notStrictEqual(
      IdempotencyKey.streamId(AccountId.make("acc_a"), "hash"),
      IdempotencyKey.streamId(AccountId.make("acc_b"), "hash")
    )
  })
})
