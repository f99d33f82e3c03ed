/** Every aggregate whose events are on the log. */
import * as Account from "./account/Account.ts"
import * as Archive from "./archive/Archive.ts"
import * as Listing from "./catalog/Listing.ts"
import * as Offering from "./catalog/Offering.ts"
import * as ConsoleSessions from "./console-sessions/ConsoleSessions.ts"
import * as DeliveryRecovery from "./delivery-recovery/DeliveryRecovery.ts"
import * as File from "./file/File.ts"
import * as IdempotencyKey from "./idempotency-key/IdempotencyKey.ts"
import * as InferenceRequest from "./inference-request/InferenceRequest.ts"
import * as LogHeadAcceptance from "./log-head-acceptance/LogHeadAcceptance.ts"
import * as OperatorAction from "./operator-action/OperatorAction.ts"
import * as Operator from "./operator/Operator.ts"
import * as OperatorIdentity from "./operator-identity/OperatorIdentity.ts"
import * as WebhookDelivery from "./webhook-delivery/WebhookDelivery.ts"
import * as WorkerKey from "./worker-key/WorkerKey.ts"

export const all = [
  InferenceRequest.aggregate,
  Account.aggregate,
  IdempotencyKey.aggregate,
  WebhookDelivery.aggregate,
  DeliveryRecovery.aggregate,
  File.aggregate,
  Offering.aggregate,
  Listing.collections,
  Listing.gpus,
  Listing.deploymentTemplates,
  WorkerKey.aggregate,
  Operator.aggregate,
  OperatorAction.aggregate,
  OperatorIdentity.aggregate,
  ConsoleSessions.aggregate,
  LogHeadAcceptance.aggregate,
  Archive.aggregate
] as const
