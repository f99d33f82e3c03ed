/** What both routes of the signing secret show. */
import { Schema } from "effect"

export const exampleKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

export const key = Schema.String.annotate({ description: "`whsec_` and base64 text." })
