/** The common part of read rows: known requests, read in turn over kept-alive connections. */
import { Effect } from "effect"
import * as KnownRequests from "../floors/KnownRequests.ts"
import * as HttpSubject from "../harness/HttpSubject.ts"
import type { Subject } from "../harness/Subject.ts"
import * as CompletedRequests from "../subjects/CompletedRequests.ts"
import * as Inferlog from "../subjects/Inferlog.ts"
import * as Straight from "../subjects/Straight.ts"

export interface Read {
  /** The text of an HTTP request for one of the known requests. */
  readonly request: (known: CompletedRequests.CompletedRequest) => string
  readonly status: number
}

export const connections = 64

export const ours = ({ request, status }: Read): Subject =>
  HttpSubject.make({
    name: "inferlog",
    role: "ours",
    serve: Inferlog.serve(),
    load: (server) =>
      Effect.map(CompletedRequests.all(server, KnownRequests.all.length, KnownRequests.value), (known) => ({
        requests: known.map(request),
        status
      })),
    connections
  })

export const straight = ({ request, status }: Read): Subject =>
  HttpSubject.make({
    name: Straight.name,
    role: "floor",
    serve: Straight.serve("none"),
    load: () => Effect.succeed({ requests: KnownRequests.all.map(request), status }),
    connections
  })
