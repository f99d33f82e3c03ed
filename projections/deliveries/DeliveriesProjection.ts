/** All webhook deliveries with the state of `WebhookDelivery`, and those that wait for an attempt. */
import * as DeliveryRecovery from "#domain/delivery-recovery/DeliveryRecovery.ts"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import {
  type AttemptError,
  AttemptFailed,
  AttemptLost,
  AttemptStarted,
  AttemptSucceeded,
  DeliveryFailed,
  DeliveryScheduled,
  PayloadsErased,
  ReplayRequested
} from "#domain/webhook-delivery/Event.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import { categoryOf, idOf } from "#streams/StreamName.ts"
import { integer, integerOrNull, oneOf, text } from "../EventFields.ts"
import { on, onType, type Projection } from "../Projection.ts"
import * as DeliveryCounters from "./DeliveryCounters.ts"
import * as DeliveryLanes from "./DeliveryLanes.ts"
import * as DeliveryRows from "./DeliveryRows.ts"

/** Unfinished recoveries. */
const recoveryTables = `
  CREATE TABLE deliveries_recoveries (
    recovery_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    requested_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveries_recoveries_by_time ON deliveries_recoveries (requested_at);
  CREATE INDEX deliveries_recoveries_of_account ON deliveries_recoveries (account_id, requested_at);
`

/** `nextAttemptAt` is `null` when no automatic attempt follows. */
const ended = (
  row: DeliveryRows.DeliveryRow,
  responseStatus: number | null,
  error: string,
  nextAttemptAt: number | null
) => {
  row.status = nextAttemptAt === null ? "failed" : "pending"
  row.nextAttemptAt = nextAttemptAt
  row.lastResponseStatus = responseStatus
  row.lastError = error
  row.node = null
}

export const projection: Projection = {
  name: "deliveries",
  version: 1,
  tables: DeliveryRows.tables + DeliveryCounters.tables + DeliveryLanes.tables + recoveryTables,
  open: (db) => {
    const counters = DeliveryCounters.make(db)
    const lanes = DeliveryLanes.make(db)
    const rows = DeliveryRows.make(db, (row) => {
      counters.count(row)
      if ((row.stored?.nextAttemptAt ?? null) !== row.nextAttemptAt) lanes.touch(row.accountId, row.origin)
    })
    const openRecovery = db.prepare("INSERT INTO deliveries_recoveries VALUES (?, ?, ?, ?, ?)")
    const closeRecovery = db.prepare("DELETE FROM deliveries_recoveries WHERE recovery_id = ?")

    const edit = ({ stream, time }: RecordedEvent) => {
      const row = rows.edit(stream)
      if (row !== undefined) row.updatedAt = time
      return row
    }

    const rules = [
      on(DeliveryScheduled, (data, { stream, time }) => {
        const url = text(data, "url")
        rows.add(stream, {
          accountId: text(data, "accountId"),
          requestId: text(data, "requestId"),
          event: oneOf(data, "event", WebhookEventName.literals),
          url,
          origin: new URL(url).origin,
          createdAt: time,
          status: "pending",
          attempts: 0,
          lastResponseStatus: null,
          lastError: null,
          nextAttemptAt: time,
          deliveredAt: null,
          updatedAt: time,
          node: null,
          isErased: false,
          stored: null
        })
      }),
      on(AttemptStarted, (data, event) => {
        const attempt = integer(data, "attempt")
        const node = text(data, "node")
        const row = edit(event)
        if (row === undefined) return
        row.status = "delivering"
        row.attempts = attempt
        row.nextAttemptAt = null
        row.node = node
      }),
      on(AttemptSucceeded, (data, event) => {
        const responseStatus = integer(data, "responseStatus")
        const row = edit(event)
        if (row === undefined) return
        row.status = "delivered"
        row.lastResponseStatus = responseStatus
        row.lastError = null
        row.deliveredAt = event.time
        row.node = null
      }),
      on(AttemptFailed, (data, event) => {
        const responseStatus = integerOrNull(data, "responseStatus")
        const error = text(data, "error")
        const nextAttemptAt = integerOrNull(data, "nextAttemptAt")
        const row = edit(event)
        if (row !== undefined) ended(row, responseStatus, error, nextAttemptAt)
      }),
      on(AttemptLost, (data, event) => {
        const nextAttemptAt = integerOrNull(data, "nextAttemptAt")
        const row = edit(event)
        if (row !== undefined) ended(row, null, "connection_failed" satisfies AttemptError, nextAttemptAt)
      }),
      onType(DeliveryFailed, (event) => {
        const row = edit(event)
        if (row === undefined) return
        row.status = "failed"
        row.nextAttemptAt = null
      }),
      onType(ReplayRequested, (event) => {
        const row = edit(event)
        if (row === undefined) return
        row.status = "pending"
        row.nextAttemptAt = event.time
      }),
      onType(PayloadsErased, (event) => {
        // Requests have an event of the same name.
        if (categoryOf(event.stream) !== WebhookDelivery.aggregate.category) return
        const row = edit(event)
        if (row !== undefined) row.isErased = true
      }),
      on(DeliveryRecovery.RecoveryRequested, (data, { stream, time }) => {
        const accountId = text(data, "accountId")
        openRecovery.run(idOf(stream), accountId, integer(data, "since"), integer(data, "until"), time)
      }),
      onType(DeliveryRecovery.RecoveryFinished, ({ stream }) => {
        closeRecovery.run(idOf(stream))
      })
    ]
    return { rules, buffers: [rows, counters, lanes] }
  }
}
