/** The last lines of the server's log: part of `Administration`. */
import { Schema } from "effect"
import { Level } from "#src/platform/telemetry/logs/ServerLog.ts"
import * as Operation from "../Operation.ts"
import * as Wire from "../Wire.ts"

const ListedLine = Schema.Struct({
  /** Counts the lines of the process, from 1. */
  seq: Schema.Int,
  at: Wire.Time,
  level: Level,
  message: Schema.String,
  facts: Schema.Record(Schema.String, Schema.String),
  /** The failure behind the line; `null` without one. */
  cause: Schema.NullOr(Schema.String)
})

/** Lines of one answer. */
const most = 1_000

/** What operators choose of the lines. */
const choice = {
  /** The least severe level that is shown. */
  level: Wire.orElse(Level, "trace"),
  /** Only lines with this text in their message, facts or cause, in whatever case. */
  text: Wire.orElse(Schema.String.check(Schema.isMaxLength(200)), "")
}

export const serverLogOperations = [
  Operation.make("readServerLog", {
    route: "GET /server-log",
    role: "operator",
    summary: "The last lines of the server's log",
    description:
      "Of the node that answers, the newest that match, oldest first. It keeps at most 2,000 lines in memory, without secrets. `missed` lines after `after` are not kept any more. `last` is the `after` of a later call, and of `GET /admin/v1/server-log/follow`.",
    payload: {
      after: Wire.orElse(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)), 0),
      limit: Wire.orElse(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: most })), most),
      ...choice
    },
    success: Schema.Struct({
      nodeId: Schema.NullOr(Schema.String),
      data: Schema.Array(ListedLine),
      missed: Schema.Int,
      last: Schema.Int
    })
  })
] as const
