/** Routes that prove the log, and count its events. */
import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import type { Operator } from "#src/features/operators/Operator.ts"
import { permit } from "../Permit.ts"
import { invalid, streamed, textsOf } from "./Lines.ts"
import { Proofs } from "./Proofs.ts"
import { errors, format, formatFlag, incremental, incrementalFlag, running, successOf } from "./ProofText.ts"

const verifyEndpoint = HttpApiEndpoint.get("admin.verifyLog", "/admin/v1/log/verify", {
  query: {
    expect: ListParameters.texts("An anchor `<position>:<digest>` that the log must have; may be repeated."),
    incremental,
    format
  },
  success: successOf("`report` is what `log verify --json` prints, or the text of `log verify`."),
  error: errors
})
  .annotate(OpenApi.Identifier, "verifyLog")
  .annotate(OpenApi.Summary, "Prove that the log is unchanged")
  .annotate(
    OpenApi.Description,
    `As \`inferlog log verify\`: hashes every event and payload. ${running}\n\nRole: \`auditor\`.`
  )

const mostAnchors = 100

const isAnchor = (text: string): boolean => /^\d{1,19}(\.\d{1,9})?:[A-Za-z0-9_-]{43}$/.test(text)

export const verifyLog = Route.prepared(
  verifyEndpoint,
  Effect.map(Proofs, ({ prove }) =>
    Effect.fnUntraced(function* ({ query }: Route.Call<typeof verifyEndpoint>, operator: Operator) {
      yield* permit(operator, "auditor")
      const anchors = textsOf(query.expect)
      if (anchors.length > mostAnchors || !anchors.every(isAnchor)) {
        return yield* invalid("expect", `must be at most ${mostAnchors} of <position>:<digest>`)
      }
      const expected = anchors.flatMap((anchor) => ["--expect", anchor])
      const format = yield* formatFlag(query.format)
      const flags = [...format, ...(yield* incrementalFlag(query.incremental)), ...expected]
      return streamed(yield* prove({ args: ["log", "verify", ...flags], form: "report" }))
    })
  )
)

const statsEndpoint = HttpApiEndpoint.get("admin.countLog", "/admin/v1/log/stats", {
  query: { format },
  success: successOf("`report` is what `log stats --types --json` prints, or its text."),
  error: errors
})
  .annotate(OpenApi.Identifier, "countLog")
  .annotate(OpenApi.Summary, "The events of each type")
  .annotate(
    OpenApi.Description,
    `As \`inferlog log stats --types\`, which reads the whole log. \`GET /admin/v1/log\` has what needs no reading. ${running}\n\nRole: \`auditor\`.`
  )

export const countLog = Route.prepared(
  statsEndpoint,
  Effect.map(Proofs, ({ prove }) =>
    Effect.fnUntraced(function* ({ query }: Route.Call<typeof statsEndpoint>, operator: Operator) {
      yield* permit(operator, "auditor")
      const format = yield* formatFlag(query.format)
      return streamed(yield* prove({ args: ["log", "stats", "--types", ...format], form: "report" }))
    })
  )
)
