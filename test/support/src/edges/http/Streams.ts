/** Helpers for tests of the event streams. */
import { Effect } from "effect"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import * as HistoryProjection from "#projections/history/HistoryProjection.ts"
import * as EventClient from "#test/support/EventClient.ts"
import * as TestServer from "#test/support/TestServer.ts"

/** A server with the history, which streams follow. */
export const layer = (options: TestServer.TestServerOptions = {}) =>
  TestServer.layer({
    ...options,
    projections: [DueWorkProjection.projection, HistoryProjection.projection]
  })

/** An open stream of the first account. */
export const stream = Effect.fnUntraced(function* (
  path = "/requests/stream",
  headers: Readonly<Record<string, string>> = {},
  options: Pick<EventClient.EventClientOptions, "bytes" | "body"> = {}
) {
  const { key, port } = yield* TestServer.TestServer
  const client = yield* EventClient.open({
    port,
    path,
    headers: { authorization: key, ...headers },
    ...options
  })
  yield* client.until(({ status }) => status() !== 0)
  return client
})

/** `id` and status of each event. */
export const told = (client: EventClient.EventClient) =>
  client.events().map(({ data }) => [data["request_id"], data["status"]] as const)
