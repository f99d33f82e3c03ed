/** What the routes of webhook deliveries have in common. */
import { Schema } from "effect"

export const params = {
  deliveryId: Schema.String.annotate({ description: "The `webhook-id` that receivers get." })
}
