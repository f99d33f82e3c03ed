/** All requests for lists, one row each, with counters for totals, and all changes of status for those who follow them. */
import type { Ending } from "#domain/inference-request/Ending.ts"
import {
  BillingStatus,
  MediaStored,
  OutputReceived,
  OutputRejected,
  PayloadsErased,
  RequestCancelled,
  RequestCompleted,
  RequestFailed,
  RequestForceFailed,
  RequestRequeued,
  RequestStarted,
  RequestSubmitted,
  SweepRetried
} from "#domain/inference-request/Event.ts"
import { aggregate } from "#domain/inference-request/InferenceRequest.ts"
import { completedOutcome, type OutcomeWord, type Status } from "#domain/inference-request/Status.ts"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import { categoryOf } from "#streams/StreamName.ts"
import { integerIfAny, list, object, oneOf, text, textOrNull, texts } from "../EventFields.ts"
import * as OutputMedia from "../OutputMedia.ts"
import { on, onType, type Projection, type Rule } from "../Projection.ts"
import * as HistoryChanges from "./HistoryChanges.ts"
import * as HistoryCounters from "./HistoryCounters.ts"
import * as HistoryMetadata from "./HistoryMetadata.ts"
import * as HistoryRows from "./HistoryRows.ts"
import * as WallTime from "#domain/inference-request/WallTime.ts"

interface End {
  readonly status: Status
  readonly outcome: OutcomeWord
  readonly billingStatus: BillingStatus
  /** nano-USD */
  readonly amount: string
  readonly error: string | null
  /** JSON text. */
  readonly upstream: string | null
}

const free = { billingStatus: "failed", amount: "0" } as const

export const projection: Projection = {
  name: "history",
  version: 9,
  tables: HistoryRows.tables + HistoryChanges.tables + HistoryMetadata.tables + HistoryCounters.tables,
  open: (db) => {
    const changes = HistoryChanges.make(db)
    const counters = HistoryCounters.make(db)
    const metadata = HistoryMetadata.make(db)
    const rows = HistoryRows.make(db, (requestId, row) => {
      metadata.move(requestId, row)
      counters.move(row)
    })

    /** Does nothing if the row already has the status. */
    const change = (row: HistoryRows.HistoryRow, status: Status, event: RecordedEvent) => {
      if (row.status === status) return
      row.status = status
      row.position = event.position
      row.changeId = changes.add(row.accountId, status, event)
    }

    const end = (event: RecordedEvent, endOf: (hasViolations: boolean) => End) => {
      const row = rows.edit(event.stream)
      if (row === undefined) return
      const { status, outcome, billingStatus, amount, error, upstream } = endOf(row.hasViolations)
      change(row, status, event)
      row.inferenceMs = status === "COMPLETED" ? (row.inferenceMs ?? runMsUntil(row, event)) : null
      row.outcome = outcome
      row.endedAt = event.time
      row.billingStatus = billingStatus
      row.amount = amount
      row.error = error
      row.upstream = upstream
    }

    const failed = (data: JsonObject, event: RecordedEvent) => {
      const error = text(data, "message")
      const upstream = upstreamIn(data)
      end(event, () => ({ status: "FAILED", outcome: "failed", error, upstream, ...free }))
    }

    const loseRun = ({ stream }: RecordedEvent) => {
      const row = rows.edit(stream)
      if (row !== undefined) row.runStartedAt = null
    }

    const ends: Record<Ending["_tag"], Rule> = {
      RequestCompleted: on(RequestCompleted, (data, event) => {
        const billing = object(data, "billing")
        const billingStatus = oneOf(billing, "status", BillingStatus.literals)
        const amount = text(billing, "amount")
        const error = textOrNull(data, "error")
        const upstream = upstreamIn(data)
        end(event, (hasViolations) => ({
          status: "COMPLETED",
          outcome: completedOutcome(billingStatus, hasViolations),
          billingStatus,
          amount,
          error,
          upstream
        }))
      }),
      RequestFailed: on(RequestFailed, failed),
      RequestForceFailed: on(RequestForceFailed, failed),
      RequestCancelled: on(RequestCancelled, (data, event) => {
        const reason = oneOf(data, "reason", RequestCancelled.fields.reason.literals)
        const outcome = reason === "expired" ? "expired" : "cancelled"
        end(event, () => ({ status: "CANCELLED", outcome, error: null, upstream: null, ...free }))
      })
    }

    const rules = [
      on(RequestSubmitted, (data, event) => {
        const accountId = text(data, "accountId")
        rows.add(event.stream, {
          accountId,
          model: text(data, "model"),
          status: "IN_QUEUE" satisfies Status,
          countedAs: null,
          outcome: "pending" satisfies OutcomeWord,
          metadata: texts(data, "metadata"),
          createdAt: event.time,
          expectedMs: integerIfAny(data, "expectedMs"),
          startedAt: null,
          runStartedAt: null,
          inferenceMs: null,
          endedAt: null,
          hasViolations: false,
          isCut: false,
          billingStatus: null,
          amount: null,
          error: null,
          upstream: null,
          media: "[]",
          erasedAt: null,
          position: event.position,
          changeId: changes.add(accountId, "IN_QUEUE", event),
          ahead: integerIfAny(data, "ahead") ?? 0
        })
      }),
      onType(RequestStarted, (event) => {
        const row = rows.edit(event.stream)
        if (row === undefined) return
        change(row, "IN_PROGRESS", event)
        const time = timeOf(row, event)
        row.startedAt ??= time
        row.runStartedAt = time
      }),
      onType(RequestRequeued, loseRun),
      on(SweepRetried, (data, event) => {
        const reason = oneOf(data, "reason", SweepRetried.fields.reason.literals)
        if (reason === "lost") loseRun(event)
      }),
      onType(OutputReceived, (event) => {
        const isCut = isCutOff(event)
        const isNamed = OutputMedia.isNamed(event)
        if (!isCut && !isNamed) return
        const row = rows.edit(event.stream)
        if (row === undefined) return
        row.isCut = isCut
        if (!isNamed) return
        // The request ran, even if its start was never reported.
        change(row, "IN_PROGRESS", event)
        row.inferenceMs = runMsUntil(row, event)
      }),
      onType(OutputRejected, ({ stream }) => {
        const row = rows.edit(stream)
        if (row !== undefined) row.hasViolations = true
      }),
      on(MediaStored, (data, { stream }) => {
        const media = JSON.stringify(list(data, "media"))
        const row = rows.edit(stream)
        if (row !== undefined) row.media = media
      }),
      ...Object.values(ends),
      onType(PayloadsErased, ({ stream, time }) => {
        // Webhook deliveries and files have an event of the same name.
        const row = categoryOf(stream) === aggregate.category ? rows.edit(stream) : undefined
        if (row !== undefined) row.erasedAt = time
      })
    ]
    return { rules, buffers: [rows, changes, metadata, counters] }
  }
}

/** JSON text of what the provider said of the error. Events of releases before have no such field. */
const upstreamIn = (data: JsonObject): string | null =>
  data["upstream"] === undefined ? null : JSON.stringify(object(data, "upstream"))

/** Most outputs are whole, which their text shows without parsing. */
const isCutOff = ({ data, text }: RecordedEvent) => text.includes('"cut":') && data["cut"] === true

/** The time by the wall clock as it was set at the submit, so that durations are right. */
const timeOf = ({ ahead }: Readonly<HistoryRows.HistoryRow>, event: RecordedEvent) =>
  WallTime.dateBy(WallTime.steadyOf(event), { ahead })

/** Time since the start of the current run, ms. `null` when no start was reported. */
const runMsUntil = (row: Readonly<HistoryRows.HistoryRow>, event: RecordedEvent) =>
  row.runStartedAt === null ? null : Math.max(timeOf(row, event) - row.runStartedAt, 0)
