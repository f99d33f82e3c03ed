/** Calls that tests of the routes share. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { RequestId } from "#domain/Ids.ts"
import { type Probe, type Reply, send } from "#test/support/HttpProbe.ts"
import { TestServer } from "#test/support/TestServer.ts"

/** Calls with the first account's key. */
export const call = (probe: Probe): Effect.Effect<Reply, never, TestServer> =>
  Effect.flatMap(TestServer, ({ key, port }) =>
    send(port, { ...probe, headers: { authorization: key, ...probe.headers } })
  )

export const jsonHeaders = { "content-type": "application/json" }

export const submit = (
  input: unknown,
  headers: Readonly<Record<string, string>> = {},
  model = "sandbox/echo"
) =>
  call({
    method: "POST",
    path: `/${model}`,
    headers: { ...jsonHeaders, ...headers },
    body: JSON.stringify(input)
  })

const Accepted = Schema.decodeUnknownSync(Schema.Struct({ request_id: RequestId }))

/** The id of the request that has been submitted. */
export const idOf = ({ json }: Reply) => Accepted(json).request_id

/** Submits a request for the model and returns its id. */
export const accepted = (model = "sandbox/echo", input: unknown = { value: 1 }) =>
  Effect.map(submit(input, {}, model), idOf)

/** Expects an error envelope with this status. */
export const assertEnvelope = (reply: Reply, status: number): void => {
  assert.strictEqual(reply.status, status, reply.text)
  assert.strictEqual(reply.headers["content-type"], "application/json")
  const { json } = reply
  assert.isObject(json)
  assert.match(String(Reflect.get(json ?? {}, "request_id")), /^call_[\w-]{21}$/)
  const error: unknown = Reflect.get(json ?? {}, "error")
  assert.isTrue(typeof error === "string" || Array.isArray(error))
}

/** `path` and `code` of each issue. */
export const issuesOf = (reply: Reply): ReadonlyArray<readonly [string, string]> => {
  const error: unknown = Reflect.get(Object(reply.json), "error")
  return Array.isArray(error) ? error.map(({ code, path }) => [path.join("."), code] as const) : []
}
