/** fal's client, as the guide sets it up in Node. */
import { assert } from "@effect/vitest"
import { ApiError, createFalClient, type FalClient } from "@fal-ai/client"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

/** The client of an application, with the URL and the key of this service. No retries, so that each test sees each answer. */
export const connect = (base: string, credentials: string, through: typeof fetch = fetch): FalClient =>
  createFalClient({
    credentials,
    fetch: through,
    retry: { maxRetries: 0 },
    requestMiddleware: async (request) => ({
      ...request,
      url: `${base}/compat/fal`,
      headers: { ...request.headers, "x-fal-target-url": request.url }
    })
  })

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

/** The id of the newest request of the model in this status, as soon as there is one. */
export const newest = async (
  url: string,
  {
    authorization,
    model,
    status
  }: { readonly authorization: string; readonly model: string; readonly status: string }
): Promise<string> => {
  const query = new URLSearchParams({ modelEndpoint: model, status, limit: "1" })
  while (true) {
    const listed = await fetch(`${url}/requests?${query}`, { headers: { authorization } })
    if (!listed.ok) throw new Error(`the list answered ${listed.status}`)
    const page: unknown = await listed.json()
    const id: unknown = Reflect.get(Object(Reflect.get(Object(page), "data")?.[0]), "id")
    if (typeof id === "string") return id
  }
}

/** The id of a running request of the model, at a server that is a process. */
export const running = (url: string, model: string): Promise<string> =>
  newest(url, { ...ServerProcess.authorization, model, status: "IN_PROGRESS" })
