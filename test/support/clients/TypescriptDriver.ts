/** Makes the calls of the behaviour table with `@inferlog/client`, in this process. */
import { setImmediate } from "node:timers/promises"
import { Inferlog } from "#clients/typescript/Inferlog.ts"
import type { Driver, DriverCall, DriverClient, DriverError, Played } from "./Driver.ts"
import * as UploadBytes from "./UploadBytes.ts"

/** The arguments of each call, in their order. */
const parameters: Readonly<Record<string, ReadonlyArray<string>>> = {
  run: ["model", "input", "options"],
  submit: ["model", "input", "options"],
  stream: ["model", "input", "options"],
  wait: ["ref", "options"],
  subscribe: ["ref", "options"],
  output: ["ref", "options"],
  status: ["ref", "options"],
  result: ["ref", "options"],
  cancel: ["ref", "options"],
  "requests.list": ["filter", "options"],
  "requests.stream": ["filter", "options"],
  "requests.get": ["id", "options"],
  "requests.events": ["id", "filter", "options"],
  "requests.erase": ["id", "options"],
  "files.upload": ["data", "options"],
  "files.download": ["url", "options"],
  "files.list": ["filter", "options"],
  "files.get": ["id", "options"],
  "files.delete": ["id", "options"],
  "files.storage": ["options"],
  "webhooks.verify": ["delivery"],
  "webhooks.deliveries": ["filter", "options"],
  "webhooks.delivery": ["id", "options"],
  "webhooks.attempt": ["id", "n", "options"],
  "webhooks.replay": ["id", "options"],
  "webhooks.recover": ["body", "options"],
  "webhooks.secret": ["options"],
  "webhooks.rotateSecret": ["body", "options"],
  "webhooks.test": ["body", "options"],
  "catalog.models": ["filter", "options"],
  "catalog.model": ["name", "options"],
  "catalog.schema": ["name", "options"],
  "catalog.search": ["query", "options"],
  "catalog.pricing": ["filter", "options"],
  "catalog.estimate": ["model", "input", "options"],
  usage: ["query", "options"],
  balance: ["options"],
  billingEvents: ["filter", "options"],
  "keys.list": ["filter", "options"],
  "keys.create": ["body", "options"],
  "keys.revoke": ["id", "options"],
  "keys.rotate": ["id", "body", "options"],
  "keys.createToken": ["body", "options"],
  "batches.run": ["model", "inputs", "options"]
}

type Fields = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const fieldOf = (value: unknown, name: string): unknown =>
  (typeof value === "object" && value !== null) || typeof value === "function"
    ? Reflect.get(value, name)
    : undefined

/** `{ "$blob": size, "name", "type" }` stands for a file. */
const withFiles = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withFiles)
  if (!isRecord(value)) return value
  const { $blob, name, type = "" } = value
  if (typeof $blob === "number")
    return new File([new Uint8Array(UploadBytes.bytes(0, $blob))], String(name), { type: String(type) })
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withFiles(item)]))
}

/** `true` stands for a callback, which reports what it gets. */
const withCallbacks = (options: Fields, reports: Array<unknown>): Fields => ({
  ...options,
  ...(options["onStatus"] === true && { onStatus: (status: unknown) => reports.push({ status }) }),
  ...(options["onBegin"] === true && { onBegin: (begin: unknown) => reports.push({ begin }) }),
  ...(options["onProgress"] === true && {
    onProgress: (sent: number, total: number) => reports.push({ progress: [sent, total] })
  })
})

const delivery = ({ body, bodyBase64, ...args }: Fields) => ({
  ...args,
  body: new Uint8Array(
    typeof bodyBase64 === "string" ? Buffer.from(bodyBase64, "base64") : Buffer.from(String(body))
  )
})

const argumentsOf = (
  call: DriverCall,
  signal: AbortSignal,
  reports: Array<unknown>
): ReadonlyArray<unknown> => {
  const names = parameters[call.do]
  if (names === undefined) throw new Error(`the driver does not know the call ${call.do}`)
  const { bytes, ...args } = call.args
  if (call.do === "webhooks.verify") return [delivery(args)]
  const known =
    bytes === undefined ? args : { ...args, data: new Uint8Array(UploadBytes.bytes(0, Number(bytes))) }
  const unknown = Object.keys(known).filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`${call.do} has no ${unknown.join(", ")}`)
  const options = isRecord(args["options"]) ? args["options"] : {}
  return names.map((name) => {
    if (name === "options") return { ...withCallbacks(options, reports), signal }
    const value = fieldOf(known, name)
    return name === "input" || name === "inputs" ? withFiles(value) : value
  })
}

/** As JSON, as drivers in other languages report. */
const plain = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)))

const classesOf = (error: Error): ReadonlyArray<string> => {
  const classes = [error.name]
  for (
    let above: unknown = Object.getPrototypeOf(fieldOf(error, "constructor"));
    typeof above === "function" && above !== Error && above.name !== "";
    above = Object.getPrototypeOf(above)
  )
    classes.push(above.name)
  return classes
}

const errorFields = ["code", "status", "retryAfter", "requestId", "issues", "details", "request", "reason"]

const errorOf = (error: unknown): DriverError => {
  if (!(error instanceof Error)) return { classes: [typeof error], message: String(error) }
  const fields = errorFields.map((name) => [name, plain(fieldOf(error, name))] as const)
  const requestId = fieldOf(error, "request_id")
  return {
    classes: classesOf(error),
    message: error.message,
    ...Object.fromEntries(fields),
    ...(requestId !== undefined && { requestId })
  }
}

const itemOf = (item: unknown): unknown => {
  const error = fieldOf(item, "error")
  return error instanceof Error ? { ...(item as object), error: errorOf(error) } : plain(item)
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value

const hooksOf = (hooks: DriverClient["hooks"]) => {
  const fail = () => {
    throw new Error("of a hook")
  }
  if (hooks === undefined) return {}
  return {
    hooks:
      hooks === "throw" ? { request: fail, response: fail, retry: fail } : { request: () => hooks.headers }
  }
}

const keyOf = (key: DriverClient["key"]) => {
  if (key === undefined || typeof key === "string") return key
  let turn = 0
  return () => key[Math.min(turn++, key.length - 1)]
}

const clientOf = ({ hooks, key, now, ...options }: DriverClient, pauses: Array<number>) => {
  let time = now
  const clock = {
    now: () => time,
    sleep: async (ms: number) => {
      pauses.push(ms)
      time += ms
      await setImmediate()
    }
  }
  return new Inferlog({ ...options, ...hooksOf(hooks), key: keyOf(key), clock })
}

const methodOf = (client: unknown, name: string): ((...args: ReadonlyArray<unknown>) => unknown) => {
  const path = name.split(".")
  const owner = path.slice(0, -1).reduce(fieldOf, client)
  const method = fieldOf(owner, path.at(-1) ?? "")
  if (typeof method !== "function") throw new Error(`the client has no ${name}`)
  return (...args) => Reflect.apply(method, owner, args) as unknown
}

const play = async (options: DriverClient, call: DriverCall, signal: AbortSignal): Promise<Played> => {
  const pauses: Array<number> = []
  const reports: Array<unknown> = []
  const items: Array<unknown> = []
  const method = methodOf(clientOf(options, pauses), call.do)
  const args = argumentsOf(call, signal, reports)
  const ended = (fields: Partial<Played>): Played => ({
    pauses,
    reports,
    ...(items.length > 0 && { items }),
    ...fields
  })
  try {
    const given = method(...args)
    if (!isIterable(given)) {
      const value = await given
      return ended({ value: value instanceof Response ? await value.text() : plain(value) })
    }
    if (call.take === 0) return ended({ items })
    for await (const item of given) {
      items.push(itemOf(item))
      if (items.length === call.take) break
    }
    return ended({ items })
  } catch (error) {
    return signal.aborted && error === signal.reason
      ? ended({ aborted: true })
      : ended({ error: errorOf(error) })
  }
}

export const driver: Driver = { name: "TypeScript", aborts: true, play }
