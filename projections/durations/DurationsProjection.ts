/** The durations of the successful runs of each model, by day for two weeks. */
import type { DatabaseSync } from "node:sqlite"
import { endings } from "#domain/inference-request/Ending.ts"
import {
  OutputReceived,
  RequestCompleted,
  RequestRequeued,
  RequestStarted,
  RequestSubmitted,
  SweepRetried
} from "#domain/inference-request/Event.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as RowInserts from "#streams/sqlite/thread/RowInserts.ts"
import { idOf } from "#streams/StreamName.ts"
import { type Columns, integerOrNull, text as textOf } from "../batch/Columns.ts"
import * as CompositeKey from "../batch/CompositeKey.ts"
import * as CounterTable from "../batch/CounterTable.ts"
import * as Rows from "../batch/Rows.ts"
import { object, text } from "../EventFields.ts"
import { type BatchBuffer, on, onType, type Projection } from "../Projection.ts"
import * as Histogram from "./Histogram.ts"
import { steadyOf } from "#domain/inference-request/WallTime.ts"

/** The number of days that are stored. */
const days = 14
const dayMs = 24 * 60 * 60 * 1_000

/** The day since 1970 of a Unix time in ms. */
export const dayOf = (at: number): number => Math.floor(at / dayMs)

/** `durations_open` has the requests that have not ended, with the times of their current run. */
const tables = `
  CREATE TABLE durations_open (
    request_id TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    started_at INTEGER,
    took_ms INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE durations_counts (
    day INTEGER NOT NULL,
    model TEXT NOT NULL,
    bucket INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    PRIMARY KEY (day, model, bucket)
  ) STRICT, WITHOUT ROWID;
`

interface Open {
  readonly model: string
  /** Unix time in ms. `null` before a run has started. */
  startedAt: number | null
  /** Duration of the run that returned the output, ms. `null` before there is one. */
  tookMs: number | null
}

const openRows = (db: DatabaseSync): Rows.Rows<Open> => {
  const find = db.prepare("SELECT * FROM durations_open WHERE request_id = ?")
  const inserts = RowInserts.make(db, "durations_open", 4)
  const update = db.prepare("UPDATE durations_open SET started_at = ?, took_ms = ? WHERE request_id = ?")
  const remove = db.prepare("DELETE FROM durations_open WHERE request_id = ?")
  const rowOf = (columns: Columns): Open => ({
    model: textOf(columns["model"]),
    startedAt: integerOrNull(columns["started_at"]),
    tookMs: integerOrNull(columns["took_ms"])
  })
  return Rows.make({
    keeps: true,
    inserts,
    load: (stream) => {
      const columns = find.get(idOf(stream))
      return columns && rowOf(columns)
    },
    insert: (stream, row) => inserts.add(idOf(stream), row.model, row.startedAt, row.tookMs),
    update: (stream, row) => update.run(row.startedAt, row.tookMs, idOf(stream)),
    remove: (stream) => remove.run(idOf(stream))
  })
}

/** The newest counted day. Days older than two weeks before it are not counted, and are removed. */
const newestDay = (db: DatabaseSync) => {
  const find = db.prepare("SELECT max(day) AS day FROM durations_counts")
  const prune = db.prepare("DELETE FROM durations_counts WHERE day <= ?")
  let newest: number | undefined
  const buffer: BatchBuffer = {
    write: () => {
      if (newest !== undefined) prune.run(newest - days)
      newest = undefined
    },
    forget: () => (newest = undefined)
  }
  /** Whether the day is recent enough to be stored. */
  const include = (day: number): boolean => {
    newest ??= integerOrNull(find.get()?.["day"]) ?? day
    newest = Math.max(newest, day)
    return day > newest - days
  }
  return { buffer, include }
}

export const projection: Projection = {
  name: "durations",
  version: 1,
  tables,
  open: (db) => {
    const open = openRows(db)
    const newest = newestDay(db)
    const counts = CounterTable.make(db, {
      table: "durations_counts",
      columns: ["day", "model", "bucket"],
      count: "runs"
    })

    const count = ({ model, tookMs }: Open, at: number) => {
      const day = dayOf(at)
      if (tookMs === null || !newest.include(day)) return
      counts.add(CompositeKey.of(String(day), model, String(Histogram.bucketOf(tookMs))), 1)
    }

    /** Forgets the start, because another run follows. */
    const resetStart = ({ stream }: RecordedEvent) => {
      if (open.look(stream)?.startedAt === null) return
      const row = open.edit(stream)
      if (row !== undefined && row.tookMs === null) row.startedAt = null
    }

    const end = ({ stream }: RecordedEvent) => void open.remove(stream)

    const rules = [
      on(RequestSubmitted, (data, { stream }) =>
        open.add(stream, { model: text(data, "model"), startedAt: null, tookMs: null })
      ),
      onType(RequestStarted, (event) => {
        const row = open.edit(event.stream)
        if (row !== undefined) row.startedAt = steadyOf(event)
      }),
      onType(RequestRequeued, resetStart),
      onType(SweepRetried, resetStart),
      onType(OutputReceived, (event) => {
        const row = open.edit(event.stream)
        const time = steadyOf(event)
        // Ignores an end before the start: clocks of two nodes disagree.
        if (row !== undefined && row.startedAt !== null && time >= row.startedAt)
          row.tookMs = time - row.startedAt
      }),
      on(RequestCompleted, (data, { stream, time }) => {
        const status = text(object(data, "billing"), "status")
        const row = open.remove(stream)
        if (row !== undefined && (status === "charged" || status === "partial")) count(row, time)
      }),
      ...endings.filter((ending) => ending !== RequestCompleted).map((ending) => onType(ending, end))
    ]
    return { rules, buffers: [open, counts, newest.buffer] }
  }
}
