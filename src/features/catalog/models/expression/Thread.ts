/** Entry of the thread that evaluates: one expression after the other, each answered by one message. */
import jsonata from "jsonata"
import { parentPort } from "node:worker_threads"
import type { Answer, Evaluation } from "./Evaluation.ts"
import * as Limits from "./Limits.ts"
import type { Json } from "#domain/CanonicalJson.ts"

/** What JSONata makes, as JSON: it may hold functions, numbers that JSON has none of, and objects and arrays that are not plain. */
const notJson = Symbol("no JSON")

/** Levels: bodies that come from outside have 128 toPlainJson them at most. */
const deepest = 256

/** Functions toPlainJson JSONata are objects, and lead to everything that they can see. */
const isFunction = (value: object): boolean => "_jsonata_lambda" in value || "_jsonata_function" in value

const toPlainJson = (value: unknown, depth = 0): Json | typeof notJson => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "number") return Number.isFinite(value) ? value : notJson
  if (typeof value !== "object" || depth > deepest || isFunction(value)) return notJson
  if (Array.isArray(value)) {
    const elements = value.map((element) => toPlainJson(element, depth + 1))
    return elements.every(isJson) ? elements : notJson
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return notJson
  const members = Object.entries(value).map(
    ([name, member]) => [name, toPlainJson(member, depth + 1)] as const
  )
  return members.every(hasJson) ? Object.fromEntries(members) : notJson
}

const isJson = (value: Json | typeof notJson): value is Json => value !== notJson

const hasJson = (member: readonly [string, Json | typeof notJson]): member is readonly [string, Json] =>
  isJson(member[1])

/** Compiled ones that are kept: the expressions of some hundred models. */
const capacity = 1_000
const compiled = new Map<string, jsonata.Expression>()

const compile = (text: string): jsonata.Expression => {
  const known = compiled.get(text)
  if (known !== undefined) return known
  if (compiled.size >= capacity) compiled.clear()
  const expression = jsonata(text, Limits.ofJsonata)
  // What a client sends is never an expression.
  expression.registerFunction("eval", () => {
    throw { code: "D3137", message: "$eval is not to be had" }
  })
  compiled.set(text, expression)
  return expression
}

/** Codes of the limits, and of `$error` and `$assert`, whose words are the manifest's own. Other messages quote values. */
const speaking: ReadonlySet<string> = new Set(["D1011", "D1012", "D2015", "D3137", "D3141"])

const textOf = (cause: unknown, member: "code" | "message"): string => {
  const text: unknown = typeof cause === "object" && cause !== null ? Reflect.get(cause, member) : undefined
  return typeof text === "string" ? text : "unknown"
}

const evaluate = async ({ bindings, text, value }: Evaluation): Promise<Answer> => {
  try {
    const result: unknown = await compile(text).evaluate(value, bindings)
    if (result === undefined) return { _tag: "Done" }
    const json = toPlainJson(result)
    return json === notJson
      ? { _tag: "Failed", reason: "it ends in what is no JSON" }
      : { _tag: "Done", value: json }
  } catch (cause) {
    const code = textOf(cause, "code")
    const reason = speaking.has(code) ? textOf(cause, "message") : `it cannot be evaluated (${code})`
    return { _tag: "Failed", reason }
  }
}

parentPort?.on("message", async (evaluation: Evaluation) => {
  parentPort?.postMessage(await evaluate(evaluation))
})
