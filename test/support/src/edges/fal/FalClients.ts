/** fal's client, as the guide sets it up in Node. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert } from "@effect/vitest"
import { ApiError, createFalClient, type FalClient } from "@fal-ai/client"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

interface Options {
  /** None by default, so that each test sees each answer. */
  readonly retries?: number
  readonly through?: typeof fetch
}

/** The client of an application, with the URL and the key of this service. */
export const connect = (base: string, credentials: string, options: Options = {}): FalClient => {
  const { retries = 0, through = fetch } = options
  return createFalClient({
    credentials,
    fetch: through,
    retry: { maxRetries: retries },
    requestMiddleware: async ({ headers, url, ...request }) => ({
      ...request,
      url: `${base}/compat/fal`,
      headers: { ...headers, "x-fal-target-url": url }
    })
  })
}

/** The client as the guide makes it, with another address and key. */
export const ofGuide = (base: string, credentials: string): FalClient => {
  const guide = fs.readFileSync(path.join(ServerProcess.root, "docs/apps/from-fal.md"), "utf8")
  const [, code = ""] = /```js\nimport [^\n]*\n(.*?)```/s.exec(guide) ?? []
  const text = code.replace("https://queue.example.com", base)
  return new Function("createFalClient", "process", `${text}; return fal`)(createFalClient, {
    env: { INFERLOG_API_KEY: credentials }
  })
}

/** A server as users run it, and a client of its first account. */
export const server = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  const { url } = yield* Effect.acquireRelease(
    Effect.promise(async () =>
      ServerProcess.start({ dataDirectory: directory, port: await ServerProcess.freePort() })
    ),
    ({ kill }) => Effect.promise(() => kill("SIGTERM"))
  )
  return { url, fal: connect(url, ServerProcess.apiKey) }
})

/** Expects the status of a request that was cancelled. */
export const assertCancelled = (status: object): void => {
  assert.propertyVal(status, "status", "COMPLETED")
  assert.propertyVal(status, "error_type", "client_cancelled")
}

/** The error that the client throws. */
export const thrown = async (call: Promise<unknown>): Promise<ApiError<unknown>> => {
  try {
    await call
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error("expected the client to throw")
}

interface Asked {
  readonly authorization: string
  readonly model: string
  readonly status?: string
}

const list = async (url: string, { authorization, model, status }: Asked): Promise<object> => {
  const query = new URLSearchParams({ modelEndpoint: model, limit: "1", ...(status && { status }) })
  const listed = await fetch(`${url}/requests?${query}`, { headers: { authorization } })
  if (!listed.ok) throw new Error(`the list answered ${listed.status}`)
  return Object(await listed.json())
}

/** The id of the newest request of the model in this status, as soon as there is one. */
export const newest = async (url: string, asked: Asked): Promise<string> => {
  while (true) {
    const id: unknown = Reflect.get(Object(Reflect.get(await list(url, asked), "data")?.[0]), "id")
    if (typeof id === "string") return id
  }
}

/** The number of requests of the model. */
export const count = async (url: string, authorization: string, model: string): Promise<number> =>
  Number(Reflect.get(await list(url, { authorization, model }), "total"))

/** The id of a running request of the model, at a server that is a process. */
export const running = (url: string, model: string): Promise<string> =>
  newest(url, { ...ServerProcess.authorization, model, status: "IN_PROGRESS" })
