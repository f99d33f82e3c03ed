/** The work queue: one row for each request that has not ended. */
import {
  CancelRequested,
  DispatchStarted,
  ProviderAccepted,
  RequestCancelled,
  RequestCompleted,
  RequestFailed,
  RequestRequeued,
  RequestSubmitted
} from "#domain/inference-request/Event.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as Counters from "../batch/Counters.ts"
import { integer, text } from "../EventFields.ts"
import { on, onType, type Projection } from "../Projection.ts"
import * as DueWorkRows from "./DueWorkRows.ts"

export const projection: Projection = {
  name: "duework",
  version: 1,
  tables: DueWorkRows.tables,
  open: (db) => {
    const count = db.prepare(`INSERT INTO duework_depth VALUES (?, ?)
      ON CONFLICT (model) DO UPDATE SET queued = queued + excluded.queued`)
    const depth = Counters.make((model, change) => count.run(model, change))
    const rows = DueWorkRows.make(db)

    const end = ({ stream }: RecordedEvent) => {
      const row = rows.remove(stream)
      if (row?.phase === "queued") depth.add(row.model, -1)
    }

    const rules = [
      on(RequestSubmitted, (data, { stream, time, position }) => {
        const model = text(data, "model")
        rows.add(stream, {
          accountId: text(data, "accountId"),
          model,
          phase: "queued",
          dueAt: time,
          attempt: 0,
          provider: null,
          node: null,
          jobId: null,
          cancelRequested: false,
          position
        })
        depth.add(model, 1)
      }),
      on(DispatchStarted, (data, { stream }) => {
        const attempt = integer(data, "attempt")
        const provider = text(data, "provider")
        const node = text(data, "node")
        const row = rows.edit(stream)
        if (row?.phase !== "queued") return
        row.phase = "claimed"
        row.attempt = attempt
        row.provider = provider
        row.node = node
        row.jobId = null
        depth.add(row.model, -1)
      }),
      on(ProviderAccepted, (data, { stream }) => {
        const jobId = text(data, "jobId")
        const row = rows.edit(stream)
        if (row !== undefined) row.jobId = jobId
      }),
      on(RequestRequeued, (data, { stream }) => {
        const dueAt = integer(data, "dueAt")
        const row = rows.edit(stream)
        if (row?.phase !== "claimed") return
        row.phase = "queued"
        row.dueAt = dueAt
        row.provider = null
        row.node = null
        row.jobId = null
        depth.add(row.model, 1)
      }),
      onType(CancelRequested, ({ stream }) => {
        const row = rows.edit(stream)
        if (row !== undefined) row.cancelRequested = true
      }),
      onType(RequestCompleted, end),
      onType(RequestFailed, end),
      onType(RequestCancelled, end)
    ]
    return { rules, kept: [rows, depth] }
  }
}
