/** The ids of the deliveries that a request may have, derived from the request's id. */
import * as crypto from "node:crypto"
import type { RequestId } from "#domain/Ids.ts"
import type { WebhookEventName } from "#domain/inference-request/Event.ts"
import * as DeliveryId from "#domain/webhook-delivery/DeliveryId.ts"

const sha256Base64url = (text: string): string => crypto.hash("sha256", text, "base64url")

export const of = (requestId: RequestId, event: WebhookEventName): DeliveryId.DeliveryId =>
  DeliveryId.of(requestId, event, sha256Base64url)
