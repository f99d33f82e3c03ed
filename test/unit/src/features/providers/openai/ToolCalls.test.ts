import { assert, describe, it } from "@effect/vitest"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as ToolCalls from "#src/features/providers/openai/ToolCalls.ts"

const args = (city: string): string => JSON.stringify({ city })

/** A part of a call. */
const part = (members: JsonObject, name: string | null, given?: Json): JsonObject => ({
  ...members,
  ...(name !== null && { type: "function" }),
  function: { ...(name !== null && { name }), ...(given !== undefined && { arguments: given }) }
})

interface Called {
  readonly id: Json
  readonly name: Json
  readonly arguments: Json
}

const calledIn = ({ function: called, id }: JsonObject): Called => {
  const { arguments: given, name } = isObject(called) ? called : {}
  return { id: id ?? null, name: name ?? null, arguments: given ?? null }
}

/** The deltas of a stream: the calls of a message, and what a client makes of the parts that it is shown. */
const taken = (deltas: ReadonlyArray<ReadonlyArray<Json>>) => {
  const calls = ToolCalls.make()
  const shown = [
    ...deltas.flatMap((delta) => calls.take(delta) ?? assert.fail("no call")),
    ...calls.release()
  ]
  const joined = new Map<Json, Called>()
  for (const one of shown) {
    const more = calledIn(one)
    const known = joined.get(one["index"] ?? null)
    // Clients such as the AI SDK take the id and the name from the first part of a call, and refuse a call without.
    if (known === undefined) assert.isTrue(typeof more.id === "string" && typeof more.name === "string")
    joined.set(one["index"] ?? null, {
      id: known?.id ?? more.id,
      name: known?.name ?? more.name,
      arguments: `${known?.arguments ?? ""}${more.arguments ?? ""}`
    })
  }
  const whole = calls.whole().map(calledIn)
  assert.deepStrictEqual(
    [...joined].toSorted(([one], [other]) => Number(one) - Number(other)).map(([, call]) => call),
    whole
  )
  return whole
}

const two = [
  { id: "a", name: "weather", arguments: args("Paris") },
  { id: "b", name: "weather", arguments: args("Rome") }
]

describe("The tool calls of a stream", () => {
  const streams: Readonly<Record<string, ReadonlyArray<ReadonlyArray<Json>>>> = {
    "have an index each": [
      [part({ index: 0, id: "a" }, "weather", "")],
      [part({ index: 0 }, null, '{"city":'), part({ index: 1, id: "b" }, "weather", "")],
      [part({ index: 1 }, null, args("Rome")), part({ index: 0 }, null, '"Paris"}')]
    ],
    "count from another number": [
      [part({ index: 1, id: "a" }, "weather", args("Paris"))],
      [part({ index: 3, id: "b" }, "weather", args("Rome"))]
    ],
    "all have index 0, one after the other": [
      [part({ index: 0, id: "a" }, "weather", args("Paris"))],
      [part({ index: 0, id: "b" }, "weather", "")],
      [part({ index: 0 }, null, args("Rome"))]
    ],
    "all have index 0, in one delta": [
      [
        part({ index: 0, id: "a" }, "weather", args("Paris")),
        part({ index: 0, id: "b" }, "weather", args("Rome"))
      ]
    ],
    "have no index, in one delta": [
      [part({ id: "a" }, "weather", args("Paris")), part({ id: "b" }, "weather", args("Rome"))]
    ],
    "have no index, and parts": [
      [part({ id: "a" }, "weather", "")],
      [part({}, null, '{"city":')],
      [part({}, null, '"Paris"}')],
      [part({ id: "b" }, "weather", "")],
      [part({ id: "b" }, null, args("Rome"))]
    ],
    "have no index, and parts that come together": [
      [part({ id: "a" }, "weather", '{"city":'), part({ id: "b" }, "weather", '{"city":')],
      [part({}, null, '"Paris"}'), part({}, null, '"Rome"}')]
    ],
    "have arguments that are objects": [
      [part({ index: 0, id: "a" }, "weather", { city: "Paris" })],
      [part({ index: 1, id: "b" }, "weather", { city: "Rome" })]
    ],
    "have their names later": [
      [part({ index: 0, id: "a" }, null, "")],
      [part({ index: 0 }, "weather", args("Paris"))],
      [part({ index: 1, id: "b" }, null, args("Rome"))],
      [part({ index: 1 }, "weather")]
    ],
    "have their ids later": [
      [part({ index: 0 }, "weather", '{"city":')],
      [part({ index: 0, id: "a" }, null, '"Paris"}')],
      [part({ index: 1 }, "weather", "")],
      [part({ index: 1, id: "b" }, null, args("Rome"))]
    ],
    "repeat their ids and names, or make them empty": [
      [part({ index: 0, id: "a" }, "weather", '{"city":')],
      [part({ index: 0, id: "a" }, "weather", '"Paris"')],
      [part({ index: 0, id: "" }, "", "}")],
      [part({ index: 1, id: "b" }, "weather", args("Rome"))]
    ],
    "have a new id for every part": [
      [part({ index: 0, id: "a" }, "weather", '{"city":')],
      [part({ index: 0, id: "x" }, null, '"Paris"}')],
      [part({ index: 1, id: "b" }, "weather", '{"city":')],
      [part({ index: 1, id: "y" }, null, '"Rome"}')]
    ]
  }
  for (const [what, deltas] of Object.entries(streams)) {
    it(`are two if they ${what}`, () => assert.deepStrictEqual(taken(deltas), two))
  }

  it("get ids of their own if they have none, with an index or without", () => {
    for (const index of [[0, 1], [0, 0], []]) {
      const [first, second] = index
      const at = (place: number | undefined) => (place === undefined ? {} : { index: place })
      for (const deltas of [
        [[part(at(first), "weather", args("Paris"))], [part(at(second), "weather", args("Rome"))]],
        [[part(at(first), "weather", args("Paris")), part(at(second), "weather", args("Rome"))]]
      ]) {
        const calls = taken(deltas)
        assert.deepStrictEqual(
          calls.map((call) => call.arguments),
          two.map((call) => call.arguments)
        )
        for (const { id } of calls) assert.match(String(id), /^call_[0-9a-f]{32}$/)
        assert.notStrictEqual(calls[0]?.id, calls[1]?.id)
      }
    }
  })

  it("pass as they are if clients can join them, with members of any name", () => {
    const calls = ToolCalls.make()
    const first = {
      ...part({ index: 0, id: "a" }, "weather", ""),
      extra_content: { google: { signature: "s" } }
    }
    const later = part({ index: 0 }, null, args("Paris"))
    assert.strictEqual(calls.take([first])?.[0], first)
    assert.strictEqual(calls.take([later])?.[0], later)
    assert.deepStrictEqual(calls.whole(), [
      {
        id: "a",
        type: "function",
        function: { name: "weather", arguments: args("Paris") },
        extra_content: { google: { signature: "s" } }
      }
    ])
  })

  it("of custom tools have an input", () => {
    const calls = ToolCalls.make()
    calls.take([{ index: 0, id: "a", type: "custom", custom: { name: "shell", input: "ls" } }])
    calls.take([{ index: 0, custom: { input: " -l" } }])
    assert.deepStrictEqual(calls.whole(), [
      { id: "a", type: "custom", custom: { name: "shell", input: "ls -l" } }
    ])
  })

  it("are at most 128, and parts of nothing are refused", () => {
    const calls = ToolCalls.make()
    const some = (count: number) =>
      Array.from({ length: count }, (_, index) => part({ id: `c${index}` }, "f"))
    assert.lengthOf(calls.take(some(128)) ?? [], 128)
    assert.isNull(calls.take([part({ id: "more" }, "f")]))
    for (const hostile of [7, null, { index: -1 }, { index: 1e9 }, { index: 0.5 }])
      assert.isNull(ToolCalls.make().take([hostile]))
  })

  it("of a whole message pass as they are, or with the ids and texts that they lack", () => {
    const call = { id: "a", type: "function", function: { name: "weather", arguments: "{}" } }
    const good = [call]
    assert.strictEqual(ToolCalls.mended(good), good)
    const [first, second] = ToolCalls.mended([
      { ...call, id: null },
      { ...call, function: { name: "weather", arguments: { city: "Rome" } } }
    ])
    assert.match(isObject(first) ? String(first["id"]) : "", /^call_/)
    assert.deepStrictEqual(second, { ...call, function: { name: "weather", arguments: args("Rome") } })
  })
})
