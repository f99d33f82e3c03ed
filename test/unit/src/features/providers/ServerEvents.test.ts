import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as ServerEvents from "#src/features/providers/ServerEvents.ts"
import type { Take } from "#src/features/providers/ProviderStream.ts"

/** An answer in these parts. Counts the parts that are taken. */
const answer = (parts: ReadonlyArray<Uint8Array>) => {
  let taken = 0
  const each = (take: Take) =>
    Effect.sync(() => {
      parts.every((part) => {
        taken++
        return take(part)
      })
    })
  return { each, taken: () => taken }
}

const bytes = (text: string) => Buffer.from(text)

/** All events of the parts, until one has the data `end`. */
const eventsOf = Effect.fnUntraced(function* (parts: ReadonlyArray<Uint8Array>, maxEventSize?: number) {
  const events: Array<readonly [string, string]> = []
  const take = ({ data, event }: ServerEvents.ServerEvent) => {
    events.push([event, data])
    return data !== "end"
  }
  const { each, taken } = answer(parts)
  const read = yield* Effect.result(ServerEvents.read({ each }, take, maxEventSize))
  return { events, read, taken: taken() }
})

describe("ServerEvents.read", () => {
  it.effect("finds events wherever the parts are cut, also within a character", () =>
    Effect.gen(function* () {
      const whole = bytes(
        'event: a\ndata: {"text":"größer 🙂"}\r\n\r\n: a comment\ndata: 1\ndata: 2\n\ndata: cut'
      )
      const expected = [
        ["a", '{"text":"größer 🙂"}'],
        ["message", "1\n2"]
      ] as const
      for (let size = 1; size <= whole.length; size++) {
        const parts: Array<Uint8Array> = []
        for (let at = 0; at < whole.length; at += size) parts.push(whole.subarray(at, at + size))
        assert.deepStrictEqual((yield* eventsOf(parts)).events, [...expected], `parts of ${size} bytes`)
      }
    })
  )

  it.effect("stops at the event after which no more is wanted", () =>
    Effect.gen(function* () {
      const { events, taken } = yield* eventsOf([bytes("data: end\n\ndata: 2\n\n"), bytes("data: 3\n\n")])
      assert.deepStrictEqual(events, [["message", "end"]])
      assert.strictEqual(taken, 1)
    })
  )

  it.effect("fails with an event that is too large, whether its end has arrived or not", () =>
    Effect.gen(function* () {
      const large = `data: 1\n\ndata: ${"x".repeat(65)}`
      for (const text of [large, `${large}\n\ndata: 2\n\n`]) {
        for (const size of [text.length, 32]) {
          const parts = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []
          const { events, read } = yield* eventsOf(parts.map(bytes), 64)
          assert.deepStrictEqual(events, [["message", "1"]])
          assert.strictEqual(Result.getOrThrow(Result.flip(read)).reason, "too_large")
        }
      }
      const { events } = yield* eventsOf([bytes(`data: ${"x".repeat(64)}\n\n`)], 64)
      assert.lengthOf(events, 1)
    })
  )

  it("parses data as JSON within limits", () => {
    assert.deepStrictEqual(ServerEvents.jsonOf({ data: '{"a":[1]}' }), { a: [1] })
    assert.isUndefined(ServerEvents.jsonOf({ data: "{" }))
    assert.isUndefined(ServerEvents.jsonOf({ data: "[".repeat(200) + "]".repeat(200) }))
  })
})
