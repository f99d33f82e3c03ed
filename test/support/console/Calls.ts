/** Calls of the public API and of administration, as clients send them. Any other answer than 2xx is an error. */
import * as http from "node:http"
import * as path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { Effect, Schema } from "effect"
import * as Until from "#test/support/Until.ts"

/** One caller. `path` begins with a slash. */
export type Call = (method: string, path: string, body?: unknown, headers?: Headers) => Promise<unknown>

type Headers = Readonly<Record<string, string>>

/** Ids that are made within the same millisecond have no order, and lists would differ from run to run. */
const inOrder = async <A>(method: string, answer: A): Promise<A> => {
  if (method !== "GET") await delay(2)
  return answer
}

export const caller =
  (origin: string, key: string): Call =>
  async (method, path, body, headers = {}) => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Key ${key}`, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return inOrder(method, text === "" ? null : JSON.parse(text))
  }

/** The owner of `DATA_DIR`, who needs no key. */
export const ownerOf =
  (dataDirectory: string): Call =>
  (method, at, body) =>
    new Promise((resolve, reject) => {
      const sent = http.request(
        {
          socketPath: path.join(dataDirectory, "admin.sock"),
          method,
          path: `/admin/v1${at}`,
          headers: { "content-type": "application/json" }
        },
        async (response) => {
          let text = ""
          for await (const chunk of response) text += String(chunk)
          if ((response.statusCode ?? 0) < 300)
            resolve(inOrder(method, text === "" ? null : JSON.parse(text)))
          else reject(new Error(`${method} ${at}: ${response.statusCode} ${text}`))
        }
      )
      sent.on("error", reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })

export const decode =
  <A>(schema: Schema.Decoder<A>) =>
  (answer: unknown): A =>
    Schema.decodeUnknownSync(schema)(answer)

const Submitted = decode(Schema.Struct({ request_id: Schema.String }))
const Status = decode(Schema.Struct({ status: Schema.String }))

/** Submits, and returns the request's id. */
export const submit = async (call: Call, model: string, input: unknown, headers?: Headers): Promise<string> =>
  Submitted(await call("POST", `/${model}`, input, headers)).request_id

/** Waits until the request has one of these statuses. */
export const until = async (call: Call, id: string, ...statuses: ReadonlyArray<string>): Promise<string> => {
  const asked = Effect.promise(() => call("GET", `/requests/${id}`))
  const look = Effect.map(asked, (answer) => Status(answer).status)
  const what = `${statuses.join(" or ")} of ${id}`
  await Effect.runPromise(Until.polled(what, look, (status) => statuses.includes(status), Until.processes))
  return id
}
