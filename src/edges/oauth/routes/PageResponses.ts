/** The declared responses of browser routes: pages and redirects. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { contentType } from "../pages/Page.ts"

const described = (description: string) => Schema.String.annotate({ description })

export const page = (status: number, description: string) =>
  described(description).pipe(HttpApiSchema.asText({ contentType }), HttpApiSchema.status(status))

export const sentOn = (description: string) =>
  HttpApiSchema.WithHeaders(HttpApiSchema.Empty(303).annotate({ description }), {
    location: described("The address to which the browser is redirected.")
  })
