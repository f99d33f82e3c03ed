import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Sink, Stdio } from "effect"
import { TestClock } from "effect/testing"
import * as FieldTypes from "#src/cli/run/FieldTypes.ts"
import * as InputPart from "#src/cli/run/InputPart.ts"
import * as LiveOutput from "#src/cli/run/LiveOutput.ts"
import * as RunProgress from "#src/cli/run/RunProgress.ts"

const field = (text: string): InputPart.Field => {
  const part = Option.getOrThrow(InputPart.parse(text))
  return part._tag === "Field" ? part : assert.fail(text)
}

describe("InputPart", () => {
  it("reads fields, objects and files", () => {
    assert.deepInclude(field("a.b=c=d\ne"), { path: ["a", "b"], isItem: false, value: "c=d\ne" })
    assert.deepInclude(field("a[]="), { path: ["a"], isItem: true, value: "" })
    assert.deepStrictEqual(InputPart.parse("@-"), Option.some({ _tag: "JsonFile", file: "-" }))
    for (const text of ["", "a", "=a", "a..b=1", ".a=1", "a[0]=1", "@", "a b=1"]) {
      assert.isTrue(Option.isNone(InputPart.parse(text)), text)
    }
  })

  it("sets fields of objects and lists, and never a prototype", () => {
    let input: InputPart.JsonObject = { a: 1, b: { c: 1 } }
    for (const text of ["a.x=1", "b.d=2", "l[]=3", "l[]=4", "__proto__.polluted=5"]) {
      input = InputPart.set(input, field(text), field(text).value)
    }
    assert.strictEqual(
      JSON.stringify(input),
      '{"a":{"x":"1"},"b":{"c":1,"d":"2"},"l":["3","4"],"__proto__":{"polluted":"5"}}'
    )
    assert.notProperty({}, "polluted")
  })
})

describe("FieldTypes", () => {
  const schema = {
    $defs: { name: { type: "string" }, loop: { $ref: "#/$defs/loop" } },
    properties: {
      text: { type: "string" },
      either: { type: ["string", "integer"] },
      choice: { enum: ["1", "2"] },
      name: { $ref: "#/$defs/name" },
      loop: { $ref: "#/$defs/loop" },
      maybe: { anyOf: [{ $ref: "#/$defs/name" }, { type: "null" }] },
      wrapped: { allOf: [{ $ref: "#/$defs/name" }] },
      list: { type: "array", items: { type: "string" } },
      inner: { type: "object", properties: { text: { type: "string" } } },
      any: {}
    }
  }
  it.each([
    ["text=5", true],
    ["either=5", false],
    ["either=true", true],
    ["choice=1", true],
    ["name=5", true],
    ["loop=5", false],
    ["maybe=5", true],
    ["maybe=null", false],
    ["wrapped=5", true],
    ["list[]=5", true],
    ["inner.text=5", true],
    ["any=5", false],
    ["unknown=5", false],
    ["constructor=5", false]
  ])("%s is a text: %s", (text, expected) => {
    const one = field(text)
    assert.strictEqual(FieldTypes.isTextInstead(schema, one, JSON.parse(one.value)), expected)
  })
})

const written = () => {
  const texts: Array<string> = []
  const sink = () => Sink.forEach((text: string | Uint8Array) => Effect.sync(() => texts.push(String(text))))
  return { texts, sink }
}

describe("LiveOutput", () => {
  const live = (kind: Parameters<typeof LiveOutput.make>[0], chunks: ReadonlyArray<unknown>) =>
    Effect.gen(function* () {
      const { sink, texts } = written()
      const output = LiveOutput.make(kind)
      const isWritten = yield* Effect.gen(function* () {
        for (const chunk of chunks) {
          yield* chunk === "restart" ? output.restart : output.chunk(chunk, Effect.void)
        }
        return yield* output.end
      }).pipe(Effect.provide(Stdio.layerTest({ stdout: sink })))
      return [texts.join(""), isWritten]
    })

  it.effect("prints each kind of chunk, and begins a new line after a lost run", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* live("text", ["a", " b"]), ["a b\n", true])
      assert.deepStrictEqual(yield* live("text", ["a", "restart", "a\n"]), ["a\na\n", true])
      assert.deepStrictEqual(yield* live("text", ["a", "restart"]), ["a\n", false])
      assert.deepStrictEqual(yield* live("items", [1, { a: "\u009b" }]), ['1\n{"a":"\\u009b"}\n', true])
      const delta = (content: unknown) => ({ choices: [{ delta: { content } }] })
      const chunks = [delta("a"), delta(null), { choices: [] }, { choices: [{ text: "\u001b" }] }]
      assert.deepStrictEqual(yield* live("openai", chunks), ["a\ufffd\n", true])
      assert.deepStrictEqual(yield* live("last", ["a"]), ["", false])
      assert.deepStrictEqual(yield* live(null, [{ a: 1 }]), ["", false])
    })
  )
})

describe("RunProgress", () => {
  it("is one line of status, share, time and reason", () => {
    const seen = { status: "IN_QUEUE", progress: null, waitingReason: "No worker\u001b[2J" }
    assert.strictEqual(RunProgress.format(seen, 61_000), "In the queue  1 min 1 s  No worker\ufffd[2J")
    const running = { status: "IN_PROGRESS", progress: 0.456, waitingReason: null }
    assert.strictEqual(RunProgress.format(running, 2_000), "Running  46 %  2 s")
  })

  it.effect("is drawn on a terminal only, until the output takes its place", () =>
    Effect.gen(function* () {
      const drawn = (isTerminal: boolean, isSilent: boolean) =>
        Effect.gen(function* () {
          const { sink, texts } = written()
          yield* Effect.gen(function* () {
            const progress = yield* RunProgress.make(isSilent, () => Effect.void)
            progress.see({ status: "IN_PROGRESS" })
            yield* TestClock.adjust("200 millis")
            progress.see({ progress: 0.5 })
            yield* TestClock.adjust("1 second")
            yield* progress.end
            yield* TestClock.adjust("1 second")
          }).pipe(
            Effect.scoped,
            Effect.provide(Stdio.layerTest({ stderrIsTerminal: Effect.succeed(isTerminal), stderr: sink }))
          )
          return texts.map((text) => text.replace("\r\u001b[K", ""))
        })
      const terminal = yield* drawn(true, false)
      assert.deepStrictEqual(
        [terminal[0], terminal[5], terminal[6]],
        ["Running  0 s", "Running  50 %  1 s", ""]
      )
      assert.lengthOf(terminal, 7)
      assert.deepStrictEqual(yield* drawn(false, false), [])
      assert.deepStrictEqual(yield* drawn(true, true), [])
    })
  )
})
