import { assert, describe, it } from "@effect/vitest"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as Packing from "#streams/sqlite/thread/Packing.ts"
import type { AppendRows, FromThread, ToThread } from "#streams/sqlite/thread/Protocol.ts"
import { inlinePayload } from "#test/support/EventFixtures.ts"

const event = (id: string) => ({ id, type: "Happened", time: 1, text: `{"id":"${id}"}` })

const batch: ReadonlyArray<AppendRows> = [
  { stream: "A-1", expected: ExpectedVersion.NoStream, events: [event("a")], payloads: [], erases: [] },
  {
    stream: "A-2",
    expected: ExpectedVersion.exactly(ExpectedVersion.trustedVersion("7")),
    events: [event("b"), event("c")],
    payloads: [
      inlinePayload("input", ""),
      { ...inlinePayload("output", "x"), content: { _tag: "Blob", key: "k" } }
    ],
    erases: ["input", "output"]
  },
  { stream: "A-3", expected: ExpectedVersion.Any, events: [event("d")], payloads: [], erases: [] }
]

const through = (message: ToThread) => Packing.inThread(structuredClone(Packing.toThread(message)))
const back = (message: FromThread) => Packing.outOfThread(structuredClone(Packing.fromThread(message)))

describe("messages between the threads of the log", () => {
  it("arrive as they were sent", () => {
    for (const message of [{ _tag: "Append", batch }, { _tag: "Settle" }, { _tag: "Close" }] as const)
      assert.deepStrictEqual(through(message), message)
    const answer: FromThread = {
      _tag: "Appended",
      results: [
        { _tag: "Written", sequence: 4, ordinal: 0, hashes: ["x"] },
        { _tag: "Conflict" },
        { _tag: "Rejected", failure: "full" },
        { _tag: "Written", sequence: 5, ordinal: 8, hashes: ["y", "z"] }
      ],
      commits: [{ appends: 4, events: 3, durationMs: 1.5 }],
      head: { sequence: 6, digest: "d" }
    }
    assert.deepStrictEqual(back(answer), answer)
    assert.deepStrictEqual(back({ _tag: "Failed", reason: "r" }), { _tag: "Failed", reason: "r" })
  })
})
