/** The work queue: one row per request that has not ended, and the webhook events to be scheduled. */
import { endings } from "#domain/inference-request/Ending.ts"
import {
  CancelRequested,
  DispatchStarted,
  OutputReceived,
  ProviderAccepted,
  RequestRequeued,
  RequestStarted,
  RequestSubmitted,
  RunTakenOver,
  SweepRetried,
  WebhookEventName
} from "#domain/inference-request/Event.ts"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import { DeliveryScheduled } from "#domain/webhook-delivery/Event.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import { idOf, type StreamName } from "#streams/StreamName.ts"
import * as Counters from "../batch/Counters.ts"
import { integer, integerIfAny, objectIfAny, oneOf, someOf, text } from "../EventFields.ts"
import * as OutputMedia from "../OutputMedia.ts"
import { on, onType, type Projection } from "../Projection.ts"
import * as DueWorkRows from "./DueWorkRows.ts"
import * as OwedDeliveries from "./OwedDeliveries.ts"
import { steadyOf } from "#domain/inference-request/WallTime.ts"

/** Unix time in ms. `null` when there is none. */
const deadlinesOf = (data: JsonObject) => {
  const deadlines = objectIfAny(data, "deadlines")
  if (deadlines === null) return { endBy: null, deadlineAt: null }
  const endBy = integerIfAny(deadlines, "endBy")
  const startBy = integerIfAny(deadlines, "startBy")
  const deadlineAt = startBy !== null && endBy !== null ? Math.min(startBy, endBy) : (startBy ?? endBy)
  return { endBy, deadlineAt }
}

/** Which events the request's webhook wants. Most requests have no webhook. */
const webhookOf = (data: JsonObject) => {
  const webhook = objectIfAny(data, "webhook")
  if (webhook === null) return { startOwed: null, wantsCompleted: false }
  const events = someOf(webhook, "events", WebhookEventName.literals)
  return { startOwed: events.includes("start") ? false : null, wantsCompleted: events.includes("completed") }
}

/** When a run that began at `since` becomes overdue. `null` when its usual duration is unknown. */
const overdueAt = ({ expectedMs }: Readonly<DueWorkRows.DueWorkRow>, since: number) =>
  expectedMs === null ? null : since + expectedMs

export const projection: Projection = {
  name: "duework",
  version: 5,
  tables: DueWorkRows.tables + OwedDeliveries.tables,
  open: (db) => {
    const count = db.prepare(`INSERT INTO duework_depth VALUES (?, ?)
      ON CONFLICT (model) DO UPDATE SET queued = queued + excluded.queued`)
    const depth = Counters.make((model, change) => count.run(model, change))
    const rows = DueWorkRows.make(db)
    const owed = OwedDeliveries.make(db)

    const end = ({ stream }: RecordedEvent) => {
      const row = rows.remove(stream)
      if (row === undefined) return
      if (row.phase === "queued") depth.add(row.model, -1)
      // After the end, the start is no longer sent (contract, "States and transitions", rule 1).
      if (row.startOwed === true) owed.remove(idOf(stream), "start")
      if (row.wantsCompleted) owed.add(idOf(stream), "completed")
    }

    /**
     * The run is over and another follows. The provider is remembered if the run failed there, so that the next run tries
     * another one.
     */
    const requeue = (row: DueWorkRows.DueWorkRow, dueAt: number, isReturned: boolean) => {
      row.phase = "queued"
      row.dueAt = dueAt
      if (isReturned) row.provider = null
      row.node = null
      row.jobId = null
      row.overdueAt = null
      depth.add(row.model, 1)
    }

    /** Schedules the `start` event of the first run. Starts of later runs are not sent. */
    const oweStart = (stream: StreamName) => {
      const row = rows.edit(stream)
      if (row === undefined) return
      row.startOwed = true
      owed.add(idOf(stream), "start")
    }

    const started = (stream: StreamName, time: number) => {
      const current = rows.look(stream)
      if (current?.startOwed === false) oweStart(stream)
      if (current?.phase !== "claimed") return
      const overdue = overdueAt(current, time)
      if (current.deadlineAt === current.endBy && current.overdueAt === overdue) return
      const row = rows.edit(stream)
      if (row === undefined) return
      row.deadlineAt = row.endBy
      row.overdueAt = overdue
    }

    const rules = [
      on(RequestSubmitted, (data, event) => {
        const { position, stream } = event
        const model = text(data, "model")
        rows.add(stream, {
          accountId: text(data, "accountId"),
          model,
          phase: "queued",
          dueAt: steadyOf(event),
          attempt: 0,
          provider: null,
          node: null,
          jobId: null,
          cancelRequested: false,
          sweepRetries: 0,
          ...deadlinesOf(data),
          expectedMs: integerIfAny(data, "expectedMs"),
          overdueAt: null,
          position,
          ...webhookOf(data),
          crashes: 0
        })
        depth.add(model, 1)
      }),
      on(DispatchStarted, (data, event) => {
        const attempt = integer(data, "attempt")
        const provider = text(data, "provider")
        const node = text(data, "node")
        const row = rows.edit(event.stream)
        if (row?.phase !== "queued") return
        row.phase = "claimed"
        row.attempt = attempt
        row.provider = provider
        row.node = node
        row.jobId = null
        row.overdueAt = overdueAt(row, steadyOf(event))
        depth.add(row.model, -1)
      }),
      on(ProviderAccepted, (data, { stream }) => {
        const jobId = text(data, "jobId")
        const row = rows.edit(stream)
        if (row !== undefined) row.jobId = jobId
      }),
      on(RunTakenOver, (data, { stream }) => {
        const node = text(data, "node")
        const row = rows.edit(stream)
        if (row?.phase === "claimed") row.node = node
      }),
      on(RequestRequeued, (data, { stream }) => {
        const dueAt = integer(data, "dueAt")
        const reason = oneOf(data, "reason", RequestRequeued.fields.reason.literals)
        const row = rows.edit(stream)
        if (row?.phase !== "claimed") return
        row.crashes = integerIfAny(data, "crashes") ?? 0
        requeue(row, dueAt, reason === "shutdown")
      }),
      onType(RequestStarted, (event) => started(event.stream, steadyOf(event))),
      onType(OutputReceived, (event) => {
        // Any other output is followed by the end of its request.
        if (!OutputMedia.isNamed(event)) return
        const row = rows.edit(event.stream)
        if (row?.phase !== "claimed") return
        row.phase = "finalizing"
        row.dueAt = steadyOf(event)
        row.deadlineAt = row.endBy
        row.overdueAt = null
      }),
      on(SweepRetried, (data, { stream }) => {
        const reason = oneOf(data, "reason", SweepRetried.fields.reason.literals)
        const retry = integer(data, "retry")
        const dueAt = integer(data, "dueAt")
        const row = rows.edit(stream)
        if (row === undefined) return
        row.sweepRetries = retry
        if (reason === "lost" && row.phase === "claimed") requeue(row, dueAt, false)
        else if (reason === "media_missing") row.dueAt = dueAt
      }),
      onType(CancelRequested, ({ stream }) => {
        const row = rows.edit(stream)
        if (row !== undefined) row.cancelRequested = true
      }),
      ...endings.map((ending) => onType(ending, end)),
      on(DeliveryScheduled, (data) => {
        owed.remove(text(data, "requestId"), oneOf(data, "event", WebhookEventName.literals))
      })
    ]
    return { rules, buffers: [rows, depth, owed] }
  }
}
