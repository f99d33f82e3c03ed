/**
 * An inference server of one model that speaks the Open Inference Protocol over HTTP. `README.md` lists its documentation.
 * The model repeats `text` as often as `times` says, and returns the sum of `numbers` and each of them twice.
 */
import { Effect } from "effect"
import type * as Http from "node:http"
import { isList, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { Upstream } from "#test/support/src/features/providers/contract/Upstream.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as JsonHttp from "./JsonHttp.ts"
import * as PlannedJobs from "./PlannedJobs.ts"

interface KserveUpstream extends Upstream {
  /** Bodies of inference calls, in order. */
  readonly received: Effect.Effect<ReadonlyArray<Json>>
  /** Completes when `count` callers have disconnected before their answer. */
  readonly abandoned: (count: number) => Effect.Effect<void>
}

const secret = "not-a-real-token-of-a-gateway"

interface Tensor {
  readonly datatype: string
  /** -1: any size. */
  readonly shape: ReadonlyArray<number>
  readonly isElement: (element: Json) => boolean
}

const tensors: Readonly<Record<string, Tensor>> = {
  text: { datatype: "BYTES", shape: [1], isElement: (element) => typeof element === "string" },
  times: { datatype: "INT32", shape: [1], isElement: Number.isSafeInteger },
  numbers: { datatype: "FP32", shape: [-1, 2], isElement: (element) => typeof element === "number" }
}

const flat = (data: Json): ReadonlyArray<Json> => (isList(data) ? data.flatMap(flat) : [data])

const isFit = (shape: ReadonlyArray<Json>, expected: ReadonlyArray<number>): boolean =>
  shape.length === expected.length &&
  expected.every((size, at) => Number.isSafeInteger(shape[at]) && (size === -1 || size === shape[at]))

/** The tensor's flat data, or the error in it. */
const elementsOf = (input: JsonObject): ReadonlyArray<Json> | string => {
  const { data, datatype, name, shape } = input
  const expected = tensors[String(name)]
  if (expected === undefined) return `unexpected inference input '${String(name)}'`
  if (datatype !== expected.datatype)
    return `input '${String(name)}' data-type is '${String(datatype)}', but model expects '${expected.datatype}'`
  if (!isList(shape) || !isFit(shape, expected.shape))
    return `unexpected shape for input '${String(name)}', expected [${expected.shape.join()}]`
  if (!isList(data)) return "Unable to parse 'data': attempt to access JSON non-array as array"
  const elements = flat(data)
  const count = shape.reduce<number>((product, size) => product * Number(size), 1)
  if (elements.length !== count)
    return `Unable to parse 'data': Shape does not match true shape of 'data' field`
  return elements.every(expected.isElement) ? elements : "Unable to parse 'data': wrong element"
}

type Given = Readonly<Record<string, ReadonlyArray<Json>>>

const givenBy = (body: Json): Given | string => {
  if (!JsonHttp.isObject(body) || !isList(body["inputs"])) return "Unable to parse 'inputs': no such key"
  const given: Record<string, ReadonlyArray<Json>> = {}
  for (const input of body["inputs"]) {
    if (!JsonHttp.isObject(input)) return "Unable to parse 'inputs': not an object"
    const elements = elementsOf(input)
    if (typeof elements === "string") return elements
    given[String(input["name"])] = elements
  }
  const missing = Object.keys(tensors).find((name) => given[name] === undefined)
  return missing === undefined
    ? given
    : `expected ${Object.keys(tensors).length} inputs, '${missing}' is missing`
}

const pairs = (flat: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  flat.flatMap((first, at) => (at % 2 === 0 ? [[first, flat[at + 1] ?? null]] : []))

/** The model's inputs, in the shapes of their tensors. */
const naturalOf = ({ numbers = [], text = [], times = [] }: Given): Json => ({
  text: text[0] ?? null,
  times: times[0] ?? null,
  numbers: pairs(numbers)
})

const outputsOf = ({ numbers = [], text = [], times = [] }: Given): ReadonlyArray<JsonObject> => {
  const values = numbers.map(Number)
  const count = Number(times[0])
  return [
    { name: "repeated", datatype: "BYTES", shape: [1], data: [String(text[0]).repeat(count)] },
    { name: "sum", datatype: "FP32", shape: [1], data: [values.reduce((sum, value) => sum + value, 0)] },
    {
      name: "doubled",
      datatype: "FP32",
      shape: [values.length / 2, 2],
      data: values.map((value) => value * 2)
    }
  ]
}

/** The requested outputs; all if none is named. */
const askedFor = (outputs: ReadonlyArray<JsonObject>, body: Json): ReadonlyArray<JsonObject> => {
  const asked = JsonHttp.isObject(body) ? body["outputs"] : undefined
  if (!isList(asked)) return outputs
  return outputs.filter(({ name }) => asked.some((one) => JsonHttp.isObject(one) && one["name"] === name))
}

const path = /^\/v2\/models\/([^/]+)(?:\/versions\/([^/]+))?\/infer$/

export const make = Effect.gen(function* () {
  const jobs = PlannedJobs.make()
  const received: Array<Json> = []
  let hungUp = 0
  const watchers = new Set<() => void>()

  const infer = (request: JsonHttp.JsonRequest, response: Http.ServerResponse) => {
    const { body, headers } = request
    const behaviour = jobs.next()
    if (behaviour._tag === "Resets") return void response.destroy()
    if (behaviour._tag === "Babbles") return JsonHttp.babble(response)
    if (behaviour._tag === "RateLimits") {
      const { retryAfterSeconds: seconds } = behaviour
      const header = seconds === undefined ? {} : { "retry-after": String(seconds) }
      return JsonHttp.answer(response, 429, { message: "Too many requests" }, header)
    }
    if (behaviour._tag === "Refuses") return refuse(response, behaviour.status)

    received.push(body)
    const given = givenBy(body)
    if (typeof given === "string") return JsonHttp.answer(response, 400, { error: given })
    const credential = JsonHttp.credentialOf(headers, "Bearer")
    const job = jobs.take({ id: null, input: naturalOf(given), credential, state: "running" })
    response.on("close", () => {
      if (PlannedJobs.isOver(job)) return
      job.state = "cancelled"
      hungUp += 1
      watchers.forEach((watch) => watch())
    })
    switch (behaviour._tag) {
      case "Fails":
        job.state = "failed"
        return JsonHttp.answer(response, 400, { error: behaviour.message })
      case "Forgets":
        job.state = "failed"
        return void response.destroy()
      case "Succeeds": {
        const succeed = () => {
          if (PlannedJobs.isOver(job)) return
          job.state = "succeeded"
          const id = JsonHttp.isObject(body) ? body["id"] : undefined
          const outputs = askedFor(outputsOf(given), body)
          JsonHttp.answer(response, 200, {
            model_name: "repeat",
            model_version: "3",
            ...(id !== undefined && { id }),
            outputs
          })
        }
        return behaviour.held === true ? jobs.onRelease(succeed) : succeed()
      }
    }
  }

  const handle = (request: JsonHttp.JsonRequest, response: Http.ServerResponse) => {
    if (JsonHttp.credentialOf(request.headers, "Bearer") !== secret) return refuse(response, 401)
    const [, model, version] = path.exec(request.path) ?? []
    if (request.method !== "POST" || model === undefined) return refuse(response, 404)
    if (model !== "repeat" || (version !== undefined && version !== "3"))
      return JsonHttp.answer(response, 404, { error: `Request for unknown model: '${model}' is not found` })
    return infer(request, response)
  }

  const { port } = yield* Receiver.http((request, response) => {
    void JsonHttp.read(request).then((read) => read !== null && handle(read, response))
  })

  const upstream: KserveUpstream = {
    ...jobs.upstream,
    binding: {
      adapter: "kserve",
      url: `http://127.0.0.1:${port}`,
      secretEnv: "KSERVE_TOKEN",
      options: {
        model: "repeat",
        version: "3",
        inputs: {
          text: { datatype: "BYTES" },
          times: { datatype: "INT32", default: 2 },
          numbers: { datatype: "FP32", shape: [-1, 2] }
        }
      }
    },
    secret,
    example: {
      input: {
        text: "ab",
        times: 3,
        numbers: [
          [1, 2],
          [3, 4],
          [5, 6]
        ]
      },
      output: {
        repeated: "ababab",
        sum: 21,
        doubled: [
          [2, 4],
          [6, 8],
          [10, 12]
        ]
      }
    },
    has: { jobIds: false, cancel: true, logs: false, retryAfter: true },
    received: Effect.sync(() => [...received]),
    abandoned: (count) =>
      Effect.callback<void>((resume) => {
        const watch = () => {
          if (hungUp < count) return
          watchers.delete(watch)
          resume(Effect.void)
        }
        watchers.add(watch)
        watch()
        return Effect.sync(() => watchers.delete(watch))
      })
  }
  return upstream
})

/** Triton's own errors have `error`; others come from a gateway. */
const refuse = (response: Http.ServerResponse, status: number) =>
  JsonHttp.answer(
    response,
    status,
    status >= 500 ? { error: "Server is not ready" } : { message: "The gateway refuses the call" }
  )
