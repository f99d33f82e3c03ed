/** The state of a request and of its deliveries after an event of its timeline. Nodes and providers are not public. */
import { Schema } from "effect"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import { isTerminal, type Phase, type Request } from "#domain/inference-request/State.ts"
import { cost, outcome, OutcomeWord, Status, status } from "#domain/inference-request/Status.ts"
import * as WallTime from "#domain/inference-request/WallTime.ts"
import * as Money from "#domain/Money.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type { Delivery } from "#domain/webhook-delivery/State.ts"
import { DeliveryStatus, statusOf } from "#projections/deliveries/DeliveryItem.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import type { Moment } from "../Moments.ts"
import * as ResultView from "./ResultView.ts"

const time = (description: string) => Schema.NullOr(DateTime.DateTime).annotate({ description })
const usd = (description: string) => Schema.String.annotate({ description })

const phases = ["queued", "claimed", "running", "storing", "ended"] as const

const DeliveryBody = Schema.Struct({
  deliveryId: Schema.String,
  event: WebhookEventName,
  status: DeliveryStatus,
  attempts: Schema.Int,
  nextAttemptAt: time("When it is sent next, while it is `pending`."),
  lastResponseStatus: Schema.NullOr(Schema.Int),
  lastError: Schema.NullOr(Schema.String)
}).annotate({ identifier: "DeliveryMoment" })

export const MomentBody = Schema.Struct({
  status: Status,
  outcome: OutcomeWord,
  phase: Schema.Literals(phases).annotate({
    description:
      "More exact than `status`: `claimed` is handed to the provider, `storing` stores the output's files."
  }),
  attempt: Schema.Int.annotate({ description: "Number of the latest run; 0 before the first." }),
  startedAt: time("When a run first started."),
  dueAt: time("From when on the next run, or the next try to store the files, may begin; null otherwise."),
  retries: Schema.Struct({
    transport: Schema.Int,
    lost: Schema.Int,
    sweep: Schema.Int
  }).annotate({
    description: "Runs repeated after an error of transport, after their server was gone, and by the sweep."
  }),
  progress: Schema.NullOr(Schema.Finite).annotate({ description: "0 to 1, as last reported." }),
  logLines: Schema.Int,
  cancelRequested: Schema.Boolean,
  input: Schema.Literals(["stored", "erased"]),
  output: Schema.Literals(["none", "stored", "erased"]).annotate({
    description: "Whether the log had the output. The request shows it only once it has completed with one."
  }),
  violations: Schema.Int.annotate({ description: "Where the output breaks the model's schema." }),
  files: Schema.Int.annotate({ description: "Stored files of the output." }),
  hold: usd("Held for the request, in USD; `0` once it has ended."),
  cost: usd("Charged, in USD."),
  error: Schema.NullOr(Schema.String),
  deliveries: Schema.Array(DeliveryBody).annotate({ description: "Webhook deliveries scheduled by then." })
}).annotate({
  identifier: "TimelineState",
  description: "The request and its deliveries after the event."
})
export type MomentBody = typeof MomentBody.Type

export const example: MomentBody = {
  status: "COMPLETED",
  outcome: "succeeded",
  phase: "ended",
  attempt: 1,
  startedAt: "2026-01-05T12:00:00.000Z",
  dueAt: null,
  retries: { transport: 0, lost: 0, sweep: 0 },
  progress: null,
  logLines: 0,
  cancelRequested: false,
  input: "stored",
  output: "stored",
  violations: 0,
  files: 0,
  hold: "0",
  cost: "0.001",
  error: null,
  deliveries: []
}

export const record = ({ ahead, deliveries, request }: Moment): MomentBody => {
  const dateBy = (steady: number | null) =>
    steady === null ? null : DateTime.format(WallTime.dateBy(steady, { ahead }))
  const isErased = (name: string) => request.erasure?.erased.includes(name) === true
  const { output, phase, retries, submitted } = request
  return {
    status: status(request),
    outcome: outcome(request),
    phase: phaseOf(phase),
    attempt: request.attempt,
    startedAt: dateBy(request.startedAt),
    dueAt: dateBy("dueAt" in phase ? phase.dueAt : null),
    retries: { ...retries, sweep: request.sweepRetries },
    progress: request.progress,
    logLines: request.logs.length,
    cancelRequested: request.cancelRequested,
    input: isErased("input") ? "erased" : "stored",
    output: output === null ? "none" : isErased(output.name) ? "erased" : "stored",
    violations: request.violations.length,
    files: filesOf(request),
    hold: Money.format(isTerminal(phase) ? Money.zero : submitted.quote.hold),
    cost: Money.format(cost(request)),
    error: ResultView.errorOf({ request }),
    deliveries: [...deliveries].map(delivered)
  }
}

const phaseOf = ({ _tag }: Phase): MomentBody["phase"] => {
  switch (_tag) {
    case "Queued":
      return "queued"
    case "Dispatched":
      return "claimed"
    case "Running":
      return "running"
    case "Finalizing":
      return "storing"
    case "Completed":
    case "Failed":
    case "Cancelled":
      return "ended"
  }
}

const filesOf = ({ erasure, media }: Request): number => (erasure === null ? media.length : 0)

const delivered = ([deliveryId, delivery]: readonly [
  DeliveryId,
  Delivery
]): (typeof DeliveryBody)["Type"] => {
  const { attempts, lastError, lastResponseStatus, phase, scheduled } = delivery
  return {
    deliveryId,
    event: scheduled.event,
    status: statusOf(phase),
    attempts,
    nextAttemptAt: DateTime.formatNullable(phase._tag === "Pending" ? phase.nextAttemptAt : null),
    lastResponseStatus,
    lastError
  }
}
