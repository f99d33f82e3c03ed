/** Charges and ends of requests, forged by someone who knows the log's format. */
import { describe } from "@effect/vitest"
import * as AuditedLog from "#test/support/src/features/billing/audit/AuditedLog.ts"
import * as ForgedLog from "#test/support/src/features/billing/audit/ForgedLog.ts"
import {
  billed,
  change,
  forged,
  removed,
  shareLog
} from "#test/support/src/features/billing/audit/TamperedCopies.ts"

shareLog()

describe("An audit of forged events finds", () => {
  describe("charges", () => {
    forged(
      "too much",
      billed("partial", { amount: "6000001" }),
      "charge as quoted",
      /RequestCompleted of InferenceRequest-rq-partial-+: \$0.006000001 is charged, the quote says \$0.006$/
    )
    forged("more than is held", billed("charged", { amount: "8000001" }), "charge as quoted", /\$0.008000001/)
    forged("too little", billed("charged", { amount: "7999999" }), "charge as quoted", /\$0.007999999/)
    forged("a negative amount", billed("charged", { amount: "-1" }), "charge as quoted", /\$-0.000000001/)
    forged(
      "more units than were delivered",
      billed("partial", { units: "4000000", amount: "8000000", status: "charged" }),
      "charge as quoted",
      /4000000 are billed, 3000000 were delivered/
    )
    forged(
      "a partial run as a whole one",
      billed("partial", { status: "charged" }),
      "charge as quoted",
      /is charged/
    )
    forged(
      "a whole run as a partial one",
      billed("charged", { status: "partial" }),
      "charge as quoted",
      /is partial/
    )
    forged(
      "a run that delivered nothing",
      billed("nothing", { status: "partial" }),
      "no charge for a failure",
      /reported an error/
    )
    forged(
      "a run that delivered nothing, without its error",
      (log) => {
        change("RequestCompleted", "nothing", () => ({ error: null }))(log)
        return billed("nothing", { status: "partial" })(log)
      },
      "charge as quoted",
      /delivered nothing/
    )
    forged(
      "a failed run",
      billed("model-failed", { amount: "8000000" }),
      "no charge for a failure",
      /\$0.008 is charged/
    )
    forged(
      "units of a failed run",
      billed("model-failed", { units: "1" }),
      "no charge for a failure",
      /failed run/
    )
    forged(
      "a run whose output was rejected",
      billed("invalid", { status: "charged", amount: "8000000", units: "4000000" }),
      "delivered before charged",
      /rejected/
    )
    forged(
      "a run without an output",
      removed("OutputReceived", "charged", (log) => ForgedLog.find(log, "RequestCompleted", "charged")),
      "delivered before charged",
      /without an output/
    )
    forged(
      "the output of another run",
      (log) => {
        change("OutputReceived", "retried", () => ({ attempt: 1 }))(log)
        return ForgedLog.find(log, "RequestCompleted", "retried")
      },
      "delivered before charged",
      /without an output of its run/
    )
    forged(
      "a run whose files were not stored",
      removed("MediaStored", "media", (log) => ForgedLog.find(log, "RequestCompleted", "media")),
      "delivered before charged",
      /files/
    )
  })

  describe("ends", () => {
    const completion = (log: ForgedLog.Log) => ForgedLog.find(log, "RequestCompleted", "charged").data

    forged(
      "a second charge",
      (log) => {
        const first = ForgedLog.find(log, "RequestCompleted", "charged")
        return ForgedLog.insertAfter(log, first, { type: "RequestCompleted", data: first.data })
      },
      "one end",
      /had ended before/
    )
    for (const [type, of] of [
      ["RequestFailed", "refused"],
      ["RequestCancelled", "cancelled"],
      ["RequestForceFailed", "given-up"]
    ] as const) {
      forged(
        `a charge after ${type}`,
        (log) =>
          ForgedLog.insertAfter(log, ForgedLog.find(log, type, of), {
            type: "RequestCompleted",
            data: completion(log)
          }),
        "one end",
        /had ended before/
      )
      forged(
        `a charge in the place of ${type}`,
        (log) => {
          const event = ForgedLog.find(log, type, of)
          event.type = "RequestCompleted"
          event.data = completion(log)
          return event
        },
        "delivered before charged",
        /without an output/
      )
    }
    forged(
      "an output after the end",
      (log) => {
        const end = ForgedLog.find(log, "RequestFailed", "refused")
        const { delivered } = ForgedLog.find(log, "OutputReceived", "charged").data
        return ForgedLog.insertAfter(log, end, {
          type: "OutputReceived",
          data: { attempt: 1, delivered: delivered ?? null }
        })
      },
      "one end",
      /OutputReceived/
    )
    forged(
      "a forced end after four retries",
      (log) => {
        ForgedLog.remove(
          log,
          ForgedLog.first(log, ({ data, type }) => type === "SweepRetried" && data["retry"] === 5)
        )
        return change("RequestForceFailed", "given-up", () => ({ retries: 4 }))(log)
      },
      "forced end in time",
      /after 4 retries and 420 minutes/
    )
    forged(
      "a forced end after six hours",
      (log) => {
        const event = ForgedLog.find(log, "RequestForceFailed", "given-up")
        event.time = AuditedLog.t0 + 10 * AuditedLog.day + 6 * AuditedLog.hour
        return event
      },
      "forced end in time",
      /after 5 retries and 360 minutes/
    )
    forged(
      "retries that were never made",
      change("SweepRetried", "given-up", () => ({ retry: 3 })),
      "forced end in time",
      /it counts 3 retries, the log has 1/
    )
  })
})
