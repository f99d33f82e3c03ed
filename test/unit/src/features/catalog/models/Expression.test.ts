import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Expression from "#src/features/catalog/models/Expression.ts"
import * as ShortSleeps from "#test/support/ShortSleeps.ts"

const evaluate = (text: string, value: Json = {}, bindings?: Record<string, Json>) =>
  Result.getOrThrow(Expression.compile(text)).evaluate(value, bindings)

const failureOf = (text: string, value?: Json) =>
  Effect.map(Effect.flip(evaluate(text, value)), ({ message }) => message)

describe("Expression", () => {
  it.effect.each([
    ["width * height / 1000000", { width: 512, height: 1_024 }, 0.524288],
    ["n ? n : 1", {}, 1],
    ["$", { a: [1, { b: null }] }, { a: [1, { b: null }] }],
    ["data.url", { data: [{ url: "a" }, { url: "b" }] }, ["a", "b"]],
    ["nothing", {}, undefined]
  ] as const)("%s of %j is %j", ([text, value, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* evaluate(text, value), expected)
    })
  )

  it.effect("accepts bindings as variables", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* evaluate("$input.text & $", "!", { input: { text: "hi" } }), "hi!")
    })
  )

  it("is rejected with the position when it cannot be parsed", () => {
    const compiled = Expression.compile("a +")
    assert(Result.isFailure(compiled))
    assert.match(compiled.failure.reason, /at character 3$/)
  })

  it.effect.each([
    ["an endless recursion", "($f := function($x) { 1 + $f($x) }; $f(1))", /Stack overflow/],
    ["an endless loop", "($f := function($x) { $f($x) }; $f(1))", /timeout/],
    ["an endless sequence", "[1..1000000]", /sequence length/],
    ["an error of its own", `$error("no such size")`, /^no such size$/],
    ["a function", "function($x) { $x }", /no JSON/],
    ["an endless regular expression", "$match($, /^(a+)+$/)", /takes too long/],
    ["an endless step", "$sort([1..90000].$string($random()))", /takes too long|timeout/],
    ["an endless text", "$pad('x', 900000000)", /memory|takes too long|broke off|cannot be evaluated/],
    ["another expression in a text", "$eval('1')", /not available/],
    ["a result that is not a number", "1 / 0", /cannot be evaluated|no JSON/]
  ] as const)("fails for %s, and the next one does not", ([, text, reason]) =>
    Effect.gen(function* () {
      const failing = failureOf(text, `${"a".repeat(40)}!`)
      // A regular expression runs until its thread is ended.
      const isEnded = text.startsWith("$match")
      assert.match(
        yield* isEnded ? Effect.provide(failing, ShortSleeps.layer("500 millis")) : failing,
        reason
      )
      assert.strictEqual(yield* evaluate("1 + 1"), 2)
    }).pipe(TestClock.withLive)
  )

  it.effect("fails without quoting its input", () =>
    Effect.gen(function* () {
      const reason = yield* failureOf("$number(secret)", { secret: "hunter2" })
      assert.notInclude(reason, "hunter2")
    })
  )

  it.effect("has its own time limit, however many are evaluated at once", () =>
    Effect.gen(function* () {
      const work = evaluate("$sum([1..3000].($ * 2))")
      const all = yield* Effect.forEach(Array.range(1, 60), () => work, { concurrency: "unbounded" })
      assert.deepStrictEqual(all, Array.replicate(9_003_000, 60))
    })
  )

  it.effect("cannot change its input", () =>
    Effect.gen(function* () {
      const value = { a: { b: 1 } }
      yield* Effect.exit(evaluate("$ ~> |a|{'b': 2}|", value))
      assert.deepStrictEqual(value, { a: { b: 1 } })
    })
  )
})
