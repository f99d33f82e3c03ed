/** What the routes of keys have in common. */
import { Schema } from "effect"

export const params = {
  keyId: Schema.String.annotate({ description: "The part of the key before the colon." })
}
