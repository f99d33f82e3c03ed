import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { AccountId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as FreshWork from "#src/features/dispatch/FreshWork.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { trustedVersion } from "#streams/ExpectedVersion.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"

const echo = ModelEndpoint.make("test/echo")
const other = ModelEndpoint.make("test/other")

const alice = AccountId.make("alice")

const at = (position: number) => GlobalPosition.GlobalPosition.make(String(position))

const idAt = (position: number) => `r${position}`.padEnd(21, "_")

const event = (position: number, type: string, data: { readonly [name: string]: string } = {}) =>
  new RecordedEvent({
    position: at(position),
    stream: StreamName.make("InferenceRequest", idAt(position)),
    ordinal: 0,
    version: trustedVersion(String(position)),
    id: `e${position}`,
    type,
    time: position,
    text: JSON.stringify(data),
    hash: ""
  })

const submitted = (position: number, model: string = echo) =>
  event(position, "RequestSubmitted", { accountId: alice, model })

const make = (capacity: FreshWork.Capacity = { perModel: 10, total: 20 }) => FreshWork.make(at(0), capacity)

/** A complete look at the position that leaves rows of some models behind. */
const look = (fresh: FreshWork.FreshWork, position: number, ...withRows: ReadonlyArray<ModelEndpoint>) => {
  fresh.beginLook(at(position))
  fresh.endLook(withRows)
}

const idsOf = (fresh: FreshWork.FreshWork, model = echo) => fresh.of(model).map(({ requestId }) => requestId)

describe("Fresh work", () => {
  it("is left to the projection until a look has found nothing that is older", () => {
    const fresh = make()
    assert.isFalse(fresh.note([submitted(1)]))
    assert.deepStrictEqual(fresh.models(), [])
    look(fresh, 0, echo)
    assert.deepStrictEqual(fresh.models(), [])
    assert.isFalse(fresh.note([submitted(2)]))
    look(fresh, 1)
    assert.deepStrictEqual(idsOf(fresh), [idAt(2)])
    assert.isTrue(fresh.note([submitted(3), submitted(4, other)]))
    assert.deepStrictEqual(idsOf(fresh), [idAt(2), idAt(3)])
    assert.deepStrictEqual(fresh.models(), [echo, other])
    assert.deepInclude(fresh.of(other)[0], { accountId: alice, dueAt: 4, attempt: 0, crashes: 0 })
  })

  it("of a model with older rows is left to the projection, and that of others is not", () => {
    const fresh = make()
    look(fresh, 0, echo)
    assert.isFalse(fresh.note([submitted(1)]))
    assert.isTrue(fresh.note([submitted(2, other)]))
    assert.deepStrictEqual(fresh.models(), [other])
    assert.deepStrictEqual([...fresh.left()], [echo])
    fresh.leave(other)
    assert.deepStrictEqual(fresh.models(), [])
  })

  it("cannot be taken during a look", () => {
    const fresh = make()
    look(fresh, 0)
    fresh.note([submitted(1), submitted(2)])
    fresh.beginLook(at(1))
    assert.deepStrictEqual(fresh.models(), [])
    fresh.note([submitted(3)])
    fresh.endLook([])
    assert.deepStrictEqual(idsOf(fresh), [idAt(2), idAt(3)])
  })

  it("of a model with too many requests is left until the projection shows the last one that was dropped", () => {
    const fresh = make({ perModel: 2, total: 3 })
    look(fresh, 0)
    fresh.note([submitted(1), submitted(2), submitted(3), submitted(4)])
    assert.deepStrictEqual(fresh.models(), [])
    look(fresh, 2)
    assert.deepStrictEqual(fresh.models(), [])
    look(fresh, 3)
    assert.deepStrictEqual(idsOf(fresh), [idAt(4)])
    fresh.note([submitted(5, other), submitted(6), submitted(7, other)])
    assert.deepStrictEqual(fresh.models(), [echo])
  })

  it("is left to the projection after an event that cannot be read, and when the caller asks", () => {
    const fresh = make()
    look(fresh, 0)
    fresh.note([submitted(1), event(2, "RequestSubmitted", { accountId: "alice" }), submitted(3)])
    assert.isTrue(fresh.isBehind())
    look(fresh, 2)
    assert.deepStrictEqual(idsOf(fresh), [idAt(3)])
    fresh.leaveAll()
    assert.deepStrictEqual(fresh.models(), [])
  })

  it("is not all that there is to do after a cancellation or a requeue, until a look that sees it", () => {
    for (const type of ["CancelRequested", "RequestRequeued", "SweepRetried", "RunTakenOver"]) {
      const fresh = make()
      look(fresh, 0)
      assert.isFalse(fresh.isBehind())
      fresh.note([submitted(1), event(2, type)])
      assert.isTrue(fresh.isBehind())
      look(fresh, 1)
      assert.isTrue(fresh.isBehind())
      look(fresh, 2)
      assert.isFalse(fresh.isBehind())
    }
  })

  it("and the rows of the projection are together all requests, in any order of looks and submits", () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant("submit" as const), isEcho: fc.boolean() }),
      fc.record({ type: fc.constant("apply" as const), count: fc.nat(3) }),
      fc.record({ type: fc.constant("look" as const), limit: fc.nat(4) }),
      fc.record({ type: fc.constant("take" as const), count: fc.nat(3) })
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const fresh = make({ perModel: 3, total: 5 })
        const all: Array<{ readonly position: number; readonly model: ModelEndpoint }> = []
        const taken = new Set<number>()
        let shown = 0
        const waiting = (model: ModelEndpoint, upTo: number) =>
          all.filter((row) => row.model === model && row.position <= upTo && !taken.has(row.position))
        for (const next of steps) {
          if (next.type === "submit") {
            const model = next.isEcho ? echo : other
            all.push({ position: all.length + 1, model })
            fresh.note([submitted(all.length, model)])
          } else if (next.type === "apply") shown = Math.min(shown + next.count, all.length)
          else if (next.type === "look") {
            fresh.beginLook(at(shown))
            const left = [echo, other].filter((model) => {
              const rows = waiting(model, shown)
              for (const { position } of rows.slice(0, next.limit)) taken.add(position)
              return rows.length > next.limit
            })
            fresh.endLook(left)
          } else {
            for (const model of fresh.models()) {
              for (const row of fresh.of(model).slice(0, next.count)) {
                taken.add(row.dueAt)
                fresh.remove(row)
              }
            }
          }
          for (const model of fresh.models()) {
            const here = fresh.of(model).map(({ dueAt }) => dueAt)
            assert.deepStrictEqual(
              here,
              waiting(model, all.length).map(({ position }) => position)
            )
          }
        }
      })
    )
  })
})
