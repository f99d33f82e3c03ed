import { type AccountEvent, accountEvents, type AccountStreamFilter } from "./AccountStream.ts"
import { segment, type Timed } from "./Addresses.ts"
import type { Http } from "./Http.ts"
import { iterate, type Paged, paged } from "./Iterating.ts"
import { retrieve } from "./RequestRef.ts"
import type { CallOptions } from "./Scope.ts"
import type * as Wire from "./Wire.ts"

export interface RequestsFilter extends Timed<
  Omit<Wire.ListRequestsQuery, "expand">,
  "createdAfter" | "createdBefore"
> {
  /** Requests with these values under these keys; at most four. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly expand?: ReadonlyArray<"payloads" | "billing"> | undefined
}

export interface TimelineOptions extends CallOptions, Omit<Wire.ListRequestEventsQuery, "expand"> {
  readonly expand?: ReadonlyArray<"hashes" | "states"> | undefined
}

/** All requests of the account (docs/apps/history.md). */
export class Requests {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  /** Newest first. */
  list(filter: RequestsFilter = {}, options?: CallOptions): Paged<Wire.Requests> {
    const { expand, metadata = {}, ...rest } = filter
    const entries = Object.entries(metadata).map(([name, value]) => [`metadata.${name}`, value])
    const query = { ...rest, expand: expand?.join(), ...Object.fromEntries(entries) }
    return paged(this.#http, "/requests", query, options)
  }

  /** The request in any state. */
  get(id: string, options?: CallOptions): Promise<Wire.RetrievedRequest> {
    return this.#http.call(options, (scope) => retrieve(this.#http, id, scope))
  }

  /** What happened to a request and its deliveries, oldest first (docs/apps/timeline.md). */
  events(id: string, options: TimelineOptions = {}): Paged<Wire.Timeline> {
    const { expand, signal, timeout, ...filter } = options
    const query = { ...filter, expand: expand?.join() }
    return paged(this.#http, `/requests/${segment(id)}/events`, query, { signal, timeout })
  }

  /** Erases input, output and files of an ended request. */
  erase(id: string, options?: CallOptions): Promise<void> {
    return this.#http.ask({ method: "DELETE", path: `/requests/${segment(id)}/payloads` }, options)
  }

  /**
   * Changes of requests as they happen, over as many connections as it takes, without gaps or repeats. Ends when the named requests
   * have ended; without `requestIds` never. Keep the `id` of what you have processed, and pass it as `lastEventId` after a crash.
   */
  stream(
    filter: AccountStreamFilter = {},
    options: CallOptions = {}
  ): AsyncIterableIterator<AccountEvent, undefined> {
    return iterate(this.#http, options, (scope) => accountEvents(this.#http, filter, scope))
  }
}
