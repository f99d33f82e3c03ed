/** What the routes of files have in common. */
import { Schema } from "effect"

export const params = {
  fileId: Schema.String.annotate({ description: "24 characters, as in the file's URL." })
}
