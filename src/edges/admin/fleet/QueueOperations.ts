/** The queues of models, what holds them up, and what requests did in the last hour: part of `Administration`. */
import { Schema } from "effect"
import * as Operation from "../Operation.ts"
import * as Wire from "../Wire.ts"
import { Overview, ListedQueue } from "./QueueViews.ts"

export const queueOperations = [
  Operation.make("showOverview", {
    route: "GET /overview",
    role: "viewer",
    summary: "What requests do now, and what holds them up",
    description:
      "Of all nodes and of the one that answers: the last minute, and each minute of the last hour. `holdUps` are the causes for which queues wait, the one with the most requests first.",
    success: Overview
  }),
  Operation.make("listQueues", {
    route: "GET /queues",
    role: "viewer",
    summary: "List the queues of models",
    description:
      "Models with requests that wait or run, the longest queue first: concurrency, likely wait, and `reasons`, why the requests wait. With `all`, also the other models of the catalog. `omitted` models did not fit.",
    payload: { all: Wire.orElse(Schema.Boolean, false) },
    success: Schema.Struct({ data: Schema.Array(ListedQueue), omitted: Schema.Int })
  })
] as const
