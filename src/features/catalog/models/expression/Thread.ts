/** Entry of the evaluating thread: one expression after the other, each answered by one message. */
import jsonata from "jsonata"
import { parentPort } from "node:worker_threads"
import type { Answer, Evaluation } from "./Evaluation.ts"
import * as Limits from "./Limits.ts"
import type { Json } from "#domain/CanonicalJson.ts"

/** Converts a JSONata result to JSON: it may contain functions, other numbers, and special objects and arrays. */
const notJson = Symbol("no JSON")

/** Levels; request bodies have at most 128. */
const deepest = 256

/** Functions of JSONata are objects, and expose everything in their scope. */
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

/** Compiled expressions that are cached: those of some hundred models. */
const capacity = 1_000
const compiled = new Map<string, jsonata.Expression>()

const compile = (text: string): jsonata.Expression => {
  const known = compiled.get(text)
  if (known !== undefined) return known
  if (compiled.size >= capacity) compiled.clear()
  const expression = jsonata(text, Limits.ofJsonata)
  // Expressions never come from a client.
  expression.registerFunction("eval", () => {
    throw { code: "D3137", message: "$eval is not available" }
  })
  compiled.set(text, expression)
  return expression
}

/** Codes of limits, and of `$error` and `$assert`, whose texts come from the manifest. Other messages quote values. */
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
