/** Accepts submits: validates, quotes and holds, seals the input, appends, and answers after the fsync. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import * as Ids from "../Ids.ts"
import type { Funds } from "./Funds.ts"
import type { Log } from "./Log.ts"
import type { Run } from "./Runs.ts"
import { canonical, seal } from "./Sealing.ts"

export interface Caller {
  readonly accountId: string
  readonly keyId: string
}

export interface Answer {
  readonly status: number
  readonly body: unknown
}

const base = "http://127.0.0.1:65535"
const hold = 1_000_000n
const amount = String(hold)
const quote = JSON.stringify({
  hold: amount,
  maxQuantity: amount,
  minimumCharge: "0",
  quantity: amount,
  unit: "request",
  unitPrice: amount
})

const ajv = new Ajv2020({ allErrors: true })

/** The input schemas of the models that the rows submit to. */
const models = new Map<string, ValidateFunction>([
  [
    "/bench/queued",
    ajv.compile({
      type: "object",
      additionalProperties: false,
      required: ["prompt"],
      properties: {
        prompt: { type: "string", minLength: 1, maxLength: 4_000 },
        steps: { type: "integer", minimum: 1, maximum: 100 },
        seed: { type: "integer", minimum: 0 },
        size: { enum: ["square", "portrait", "landscape"] }
      }
    })
  ],
  [
    "/sandbox/echo",
    ajv.compile({
      type: "object",
      additionalProperties: false,
      required: ["value"],
      properties: { value: {}, delayMs: { type: "integer", minimum: 0 } }
    })
  ]
])

const createdAt = (path: string, id: string) => {
  const url = `${base}${path}/requests/${id}`
  return {
    status: "IN_QUEUE",
    request_id: id,
    response_url: url,
    status_url: `${url}/status`,
    cancel_url: `${url}/cancel`,
    logs: "",
    queue_position: 0
  }
}

/** @param accepted called after the answer. */
export const make =
  (log: Log, funds: Funds, accepted: (run: Run) => void) =>
  (caller: Caller, path: string, text: string, answer: (answer: Answer) => void): void => {
    const validate = models.get(path)
    if (validate === undefined) return answer({ status: 404, body: {} })
    const input: unknown = JSON.parse(text)
    if (!validate(input)) return answer({ status: 400, body: validate.errors })
    const id = Ids.next()
    if (!funds.hold(id, hold)) return answer({ status: 402, body: {} })
    const payload = seal("input", canonical(input))
    const payloads = `{"input":{"hash":"${payload.hash}","size":${payload.text.length}}}`
    const { accountId, keyId } = caller
    const model = JSON.stringify(path.slice(1))
    const data = `{"accountId":"${accountId}","expectedMs":1000,"keyId":"${keyId}","metadata":{},"model":${model},"modelVersion":"kBw8ulX586Kqap6ypyVDvM","payloads":${payloads},"quote":${quote},"retry":{"initialDelayMs":250,"retries":5}}`
    const stream = `InferenceRequest-${id}`
    log.append({
      stream,
      events: [{ id: Ids.next(), type: "RequestSubmitted", time: Date.now(), data }],
      payload,
      isLast: false,
      durable: () => {
        answer({ status: 200, body: createdAt(path, id) })
        accepted({ id, stream, input: payload.text })
      }
    })
  }
