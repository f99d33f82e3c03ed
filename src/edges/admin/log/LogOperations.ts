/** The size of the log and its anchor: part of `Administration`. */
import { Schema } from "effect"
import { ArchivingRefused } from "#src/features/archive/ArchivingRefused.ts"
import { CheckpointKind } from "#src/platform/checkpoints/CheckpointKind.ts"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import * as Operation from "../Operation.ts"
import * as Wire from "../Wire.ts"

const LogSize = Schema.Struct({
  /** `null` for a log on NATS. */
  events: Schema.NullOr(Schema.Int),
  /** Of a log on NATS. */
  commits: Schema.optionalKey(Schema.Int),
  /** With `digest` the anchor of the end, as `log.head` of the node has it. */
  position: Schema.NullOr(GlobalPosition),
  digest: Schema.NullOr(Schema.String),
  firstEventAt: Wire.TimeOrNull,
  lastEventAt: Wire.TimeOrNull,
  bytes: Schema.NullOr(Schema.Struct({ log: Schema.Int, wal: Schema.Int })),
  /** The position of the last event. */
  head: GlobalPosition
})

const Proof = Schema.Struct({
  kind: CheckpointKind,
  /** When it ended, as far as its checkpoint says. */
  madeAt: Wire.Time,
  release: Schema.String,
  /** With `digest` the anchor of what was proved. */
  position: GlobalPosition,
  digest: Schema.String,
  events: Schema.Int,
  /** The last proof from the first event on. */
  whole: Schema.Struct({ position: GlobalPosition, at: Wire.Time })
})

export const logOperations = [
  Operation.make("measureLog", {
    route: "GET /log",
    role: "auditor",
    summary: "The size of the log and its anchor",
    description:
      "As `inferlog log stats`, of the node that answers. Store the anchor elsewhere: a verify with it proves that nothing before it was changed.",
    success: LogSize
  }),
  Operation.make("listProofs", {
    route: "GET /log/proofs",
    role: "auditor",
    summary: "List the last proofs",
    description:
      "Of the log and of the books, by their signed checkpoints on the node that answers, newest first. Proofs that found a break leave none.",
    success: Schema.Struct({ data: Schema.Array(Proof), publicKey: Schema.NullOr(Schema.String) })
  }),
  Operation.make("archiveEvents", {
    route: "POST /log/archive",
    role: "owner",
    summary: "Move old events out of the database",
    description:
      "As `inferlog log archive`, to the place that the setting `ARCHIVE` of the server names. A call writes at most one segment, slowly, so that other work goes on. Repeat it with `next` as `after` until that is `null`.",
    payload: {
      olderThanDays: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99_999 })),
      after: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
    },
    success: Schema.Struct({
      segments: Schema.Int,
      events: Schema.Int,
      bytes: Schema.Int,
      next: Schema.NullOr(Schema.Int)
    }),
    errors: [ArchivingRefused]
  })
] as const
