/** The package's client of a test server, and what its calls are refused with. */
import { Effect } from "effect"
import Replicate, { type ApiError } from "replicate"
import * as TestServer from "#test/support/TestServer.ts"

type Account = "key" | "otherKey" | "poorKey"

/** With the text of a key, and headers for each of its calls. */
export const clientWith = (auth: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    TestServer.TestServer,
    ({ urls }) =>
      new Replicate({
        baseUrl: `${urls.baseUrl}/compat/replicate/v1`,
        auth,
        fetch: (url, init) => fetch(url, { ...init, headers: { ...(init?.headers as object), ...headers } })
      })
  )

/** With a key of the test server. */
export const client = (account: Account = "key", headers: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(TestServer.TestServer, (server) => clientWith(server[account].slice("Key ".length), headers))

const bodyOf = async (error: unknown) => {
  const { message } = error as ApiError
  const text = /^Request to \S+ failed with status (\d+) .*?: (\{.*\})\.$/.exec(message)
  return { status: Number(text?.[1]), ...JSON.parse(text?.[2] ?? `{"message":${JSON.stringify(message)}}`) }
}

/** The body of the error that the call ends in. */
export const refusal = (call: () => Promise<unknown>) =>
  Effect.promise(() => call().then(() => Promise.reject(new Error("was not refused")), bodyOf))

export const echo = { model: "sandbox/echo", input: { value: "hello" } }

export const create = (
  replicate: Replicate,
  options: Parameters<Replicate["predictions"]["create"]>[0] = echo
) => Effect.promise(() => replicate.predictions.create(options))

/** `field` and `type` of each invalid field. */
export const fieldsOf = (json: unknown) =>
  Object(json).invalid_fields?.map(({ field, type }: { field: string; type: string }) => `${field} ${type}`)
