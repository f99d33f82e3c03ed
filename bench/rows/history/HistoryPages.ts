/** Pages of twenty requests from an account with a million, for each kind of query. */
import * as path from "node:path"
import { Effect } from "effect"
import type { Row } from "../../harness/Subject.ts"
import * as Cached from "../log/Cached.ts"
import * as Child from "../log/Child.ts"

export type Kind = "first" | "numbered" | "continued" | "filtered" | "bounded" | "metadata"

const requests = 1_000_000

const directory = Cached.directoryOf(`history-${requests}`, [
  "bench/rows/history/HistoryEvents.ts",
  "projections/history/HistoryChanges.ts",
  "projections/history/HistoryCounters.ts",
  "projections/history/HistoryMetadata.ts",
  "projections/history/HistoryProjection.ts",
  "projections/history/HistoryRows.ts"
])
const name = "projections.sqlite"
const filename = path.join(directory, name)

const prepare = Effect.asVoid(
  Cached.filled(directory, (filling) =>
    Child.run(new URL("./FillHistory.ts", import.meta.url), [path.join(filling, name), String(requests)])
  )
)

const floor = Child.subject({
  name: "rows by key",
  role: "floor",
  entry: new URL("../../floors/history/RowsByKey.ts", import.meta.url),
  args: [filename, String(requests)],
  prepare
})

const rowOf = (kind: Kind, what: string): Row => ({
  id: "T15",
  title: `Page of 1 M requests: ${what}`,
  unit: "pages",
  subjects: [
    Child.subject({
      name: "history",
      role: "ours",
      entry: new URL("./Pages.ts", import.meta.url),
      args: [filename, String(requests), kind],
      prepare
    }),
    floor
  ],
  targets: {}
})

export const rows: ReadonlyArray<Row> = [
  rowOf("first", "the first"),
  rowOf("numbered", "any, by its number"),
  rowOf("continued", "any, by a cursor"),
  rowOf("filtered", "of a status and a model"),
  rowOf("bounded", "between two times"),
  rowOf("metadata", "of a customer in the metadata")
]
