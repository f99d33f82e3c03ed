/** T6: cold replay of a million events, by single projections and by all of them together as in the server. */
import { allProjections } from "#projections/AllProjections.ts"
import type { Row } from "../../harness/Subject.ts"
import * as Child from "./Child.ts"
import * as PreparedLog from "./PreparedLog.ts"

const requests = 200_000
const prepare = PreparedLog.fill(requests)
const filename = PreparedLog.filename(PreparedLog.directoryOf(requests))

const floor = Child.subject({
  name: "page scan + JSON.parse",
  role: "floor",
  entry: new URL("../../floors/log/PageScan.ts", import.meta.url),
  args: [filename],
  prepare
})

const rowOf = (names: ReadonlyArray<string>, target: number): Row => ({
  id: "T6",
  title: `Cold replay of 1 M events: ${names.join(" + ")}`,
  unit: "events",
  subjects: [
    Child.subject({
      name: "projections",
      role: "ours",
      entry: new URL("./Replay.ts", import.meta.url),
      args: [filename, ...names],
      prepare
    }),
    floor
  ],
  targets: { [floor.name]: target }
})

const names = allProjections.map(({ name }) => name)

export const rows: ReadonlyArray<Row> = [...names.map((name) => rowOf([name], 0.5)), rowOf(names, 0.35)]
