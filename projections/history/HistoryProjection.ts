/** Every request there was, for lists: one row each, and counters so that totals need no counting. */
import {
  BillingStatus,
  OutputReceived,
  OutputRejected,
  RequestCancelled,
  RequestCompleted,
  RequestFailed,
  RequestForceFailed,
  RequestRequeued,
  RequestStarted,
  RequestSubmitted,
  SweepRetried
} from "#domain/inference-request/Event.ts"
import { completedOutcome, type OutcomeWord, type Status } from "#domain/inference-request/Status.ts"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import { object, oneOf, text, textOrNull, texts } from "../EventFields.ts"
import * as OutputMedia from "../OutputMedia.ts"
import { on, onType, type Projection } from "../Projection.ts"
import * as HistoryCounters from "./HistoryCounters.ts"
import * as HistoryRows from "./HistoryRows.ts"

interface End {
  readonly status: Status
  readonly outcome: OutcomeWord
  readonly billingStatus: BillingStatus
  /** nano-USD */
  readonly amount: string
  readonly error: string | null
}

const free = { billingStatus: "failed", amount: "0" } as const

export const projection: Projection = {
  name: "history",
  version: 3,
  tables: HistoryRows.tables + HistoryCounters.tables,
  open: (db) => {
    const counters = HistoryCounters.make(db)
    const rows = HistoryRows.make(db, counters.count)

    const end = ({ stream, time, position }: RecordedEvent, endOf: (hasViolations: boolean) => End) => {
      const row = rows.edit(stream)
      if (row === undefined) return
      const { status, outcome, billingStatus, amount, error } = endOf(row.hasViolations)
      row.status = status
      row.outcome = outcome
      row.endedAt = time
      row.billingStatus = billingStatus
      row.amount = amount
      row.error = error
      row.position = position
    }

    const failed = (data: JsonObject, event: RecordedEvent) => {
      const error = text(data, "message")
      end(event, () => ({ status: "FAILED", outcome: "failed", error, ...free }))
    }

    const rules = [
      on(RequestSubmitted, (data, { stream, time, position }) => {
        rows.add(stream, {
          accountId: text(data, "accountId"),
          model: text(data, "model"),
          status: "IN_QUEUE" satisfies Status,
          countedAs: null,
          outcome: "pending" satisfies OutcomeWord,
          metadata: JSON.stringify(texts(data, "metadata")),
          createdAt: time,
          startedAt: null,
          runStartedAt: null,
          endedAt: null,
          hasViolations: false,
          billingStatus: null,
          amount: null,
          error: null,
          position
        })
      }),
      onType(RequestStarted, ({ stream, time, position }) => {
        const row = rows.edit(stream)
        if (row === undefined) return
        row.status = "IN_PROGRESS" satisfies Status
        row.startedAt ??= time
        row.runStartedAt = time
        row.position = position
      }),
      onType(RequestRequeued, ({ stream }) => {
        const row = rows.edit(stream)
        if (row !== undefined) row.runStartedAt = null
      }),
      on(SweepRetried, (data, { stream }) => {
        const reason = oneOf(data, "reason", SweepRetried.fields.reason.literals)
        const row = reason === "lost" ? rows.edit(stream) : undefined
        if (row !== undefined) row.runStartedAt = null
      }),
      onType(OutputReceived, (event) => {
        // What ran is not waiting any more, also when its start was never reported.
        if (!OutputMedia.isNamedIn(event) || rows.look(event.stream)?.status !== "IN_QUEUE") return
        const row = rows.edit(event.stream)
        if (row === undefined) return
        row.status = "IN_PROGRESS" satisfies Status
        row.position = event.position
      }),
      onType(OutputRejected, ({ stream }) => {
        const row = rows.edit(stream)
        if (row !== undefined) row.hasViolations = true
      }),
      on(RequestCompleted, (data, event) => {
        const billing = object(data, "billing")
        const billingStatus = oneOf(billing, "status", BillingStatus.literals)
        const amount = text(billing, "amount")
        const error = textOrNull(data, "error")
        end(event, (hasViolations) => ({
          status: "COMPLETED",
          outcome: completedOutcome(billingStatus, hasViolations),
          billingStatus,
          amount,
          error
        }))
      }),
      on(RequestFailed, failed),
      on(RequestForceFailed, failed),
      on(RequestCancelled, (data, event) => {
        const reason = oneOf(data, "reason", RequestCancelled.fields.reason.literals)
        const outcome = reason === "expired" ? "expired" : "cancelled"
        end(event, () => ({ status: "CANCELLED", outcome, error: null, ...free }))
      })
    ]
    return { rules, kept: [rows, counters] }
  }
}
