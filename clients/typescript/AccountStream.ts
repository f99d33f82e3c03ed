/** Status changes of an account's requests as they happen (docs/apps/streams.md). */
import { eventsOf, parsed, reconnecting } from "./EventStream.ts"
import { type CurrentStatus, isTerminal } from "./Following.ts"
import type { Http } from "./Http.ts"
import type { CallScope } from "./Scope.ts"

export interface AccountStreamFilter {
  /** At most 100. The stream ends when all of them have ended. */
  readonly requestIds?: ReadonlyArray<string> | undefined
  readonly modelEndpoint?: string | undefined
  /** Whether the event that ends a request has its log lines. */
  readonly logs?: boolean | undefined
  /** Goes on behind this event, without the snapshot that a new stream begins with. */
  readonly lastEventId?: string | undefined
}

export type AccountEvent =
  | {
      readonly type: "status"
      /** The place to go on from. */
      readonly id: string
      readonly data: CurrentStatus & { readonly modelEndpoint: string }
    }
  | {
      readonly type: "progress"
      readonly id?: undefined
      readonly data: {
        readonly request_id: string
        readonly modelEndpoint: string
        readonly progress: number
      }
    }

export async function* accountEvents(
  http: Http,
  { lastEventId, logs, modelEndpoint, requestIds }: AccountStreamFilter,
  scope: CallScope
): AsyncGenerator<AccountEvent> {
  // Without this the server would send the changes of all requests.
  if (requestIds?.length === 0) return
  const attempts = http.attempts(scope)
  const left = new Set(requestIds)
  const query = { request_id: requestIds, modelEndpoint, logs: logs ? "1" : undefined }
  let last = lastEventId
  const connect = () => {
    const headers = { accept: "text/event-stream", "last-event-id": last }
    return http.connect({ path: "/requests/stream", query, headers }, scope, attempts)
  }
  yield* reconnecting(attempts, connect, async function* (opened) {
    if (opened.response.status === 204) {
      opened.close()
      return true
    }
    for await (const { data, event, id } of eventsOf(opened, attempts)) {
      const isRepeated = id !== undefined && id === last
      last = id ?? last
      if (isRepeated || data === undefined || (event !== "status" && event !== "progress")) continue
      const item = { type: event, id, data: parsed(data) } as AccountEvent
      yield item
      if (item.type !== "status" || !isTerminal(item.data)) continue
      if (left.delete(item.data.request_id) && left.size === 0) return true
    }
    return false
  })
}
