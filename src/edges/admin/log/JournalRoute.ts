/** `GET /admin/v1/audit/journal`: the journal of the books as a file, as the audit writes it. */
import { Effect, Schema, Stream } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Route from "#src/edges/http/api/Route.ts"
import type { Operator } from "#src/features/operators/Operator.ts"
import { permit } from "../Permit.ts"
import { choiceOf, choices } from "./AuditRoute.ts"
import { Proofs } from "./Proofs.ts"
import { chosen, errors, oneOf, running } from "./ProofText.ts"

const formats = ["csv", "json"] as const

const files = {
  csv: { contentType: "text/csv; charset=utf-8", name: "journal.csv" },
  json: { contentType: "application/x-ndjson", name: "journal.ndjson" }
} as const

const endpoint = HttpApiEndpoint.get("admin.downloadJournal", "/admin/v1/audit/journal", {
  query: { format: oneOf("CSV (RFC 4180), or a line of JSON for each entry.", formats), ...choices },
  success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" })).annotate({
    description: "A line for each entry, as `audit --format` writes it."
  }),
  error: errors
})
  .annotate(OpenApi.Identifier, "downloadJournal")
  .annotate(OpenApi.Summary, "Download the journal of the books")
  .annotate(
    OpenApi.Description,
    `As \`inferlog audit --format csv\`. The answer breaks off when the books are wrong: \`GET /admin/v1/audit\` says where. ${running}\n\nRole: \`auditor\`.`
  )

export const downloadJournal = Route.prepared(
  endpoint,
  Effect.map(Proofs, ({ output }) =>
    Effect.fnUntraced(function* ({ query }: Route.Call<typeof endpoint>, operator: Operator) {
      yield* permit(operator, "auditor")
      const format = yield* chosen("format", query.format, formats)
      const { contentType, name } = files[format]
      const texts = yield* output(["audit", "--format", format, ...(yield* choiceOf(query))])
      return HttpServerResponse.stream(Stream.encodeText(texts), {
        contentType,
        headers: { "cache-control": "no-store", "content-disposition": `attachment; filename="${name}"` }
      })
    })
  )
)
