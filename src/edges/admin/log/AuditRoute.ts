/** `GET /admin/v1/audit`: proves the books, and sends the statement of accounts or the journal. */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { AccountId } from "#domain/Ids.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as Period from "#src/features/billing/audit/Period.ts"
import type { Operator } from "#src/features/operators/Operator.ts"
import { permit } from "../Permit.ts"
import { invalid, streamed } from "./Lines.ts"
import { type Form, Proofs } from "./Proofs.ts"
import { chosen, errors, incremental, incrementalFlag, oneOf, running, successOf } from "./ProofText.ts"

const auditFormats = ["json", "text", "journal", "csv"] as const

/** The flags of the command for each format, and how its output is sent. */
const audits: Readonly<
  Record<(typeof auditFormats)[number], readonly [args: ReadonlyArray<string>, form: Form]>
> = {
  json: [["--json"], "lines"],
  text: [[], "texts"],
  journal: [["--format", "json"], "lines"],
  csv: [["--format", "csv"], "texts"]
}

/** The parameters that choose what is shown. */
export const choices = {
  account: ListParameters.text("Shows only this account; all are proved."),
  from: ListParameters.text("Shows entries from this time on.", { type: "string", format: "date-time" }),
  to: ListParameters.text("Shows entries before this time.", { type: "string", format: "date-time" })
}

const auditEndpoint = HttpApiEndpoint.get("admin.auditBooks", "/admin/v1/audit", {
  query: {
    format: oneOf(
      "The statement of accounts and the proof (`json`, or as a `text`), or each entry (`journal`, or `csv`).",
      auditFormats
    ),
    incremental,
    ...choices
  },
  success: successOf(
    'Between them are the parts of the output, as they are written: `{ type: "line", line }` with an object for each line that `audit --json` or `audit --format json` prints, or `{ type: "text", text }`. `report` is `null`.'
  ),
  error: errors
})
  .annotate(OpenApi.Identifier, "auditBooks")
  .annotate(OpenApi.Summary, "Prove the books")
  .annotate(OpenApi.Description, `As \`inferlog audit\`. ${running}\n\nRole: \`auditor\`.`)

const timeFlag = (name: "from" | "to", given: string | undefined) => {
  if (given === undefined) return Effect.succeed([])
  return Period.parseTime(given) === null
    ? invalid(name, "must be a date, or a date and time such as 2026-07-01T00:00:00Z")
    : Effect.succeed([`--${name}`, given])
}

const isAccount = Schema.is(AccountId)

const accountFlag = (given: string | undefined) => {
  if (given === undefined) return Effect.succeed([])
  return isAccount(given)
    ? Effect.succeed(["--account", given])
    : invalid("account", "must be the id of an account")
}

/** The flags of the command for the parameters `choices`. */
export const choiceOf = Effect.fnUntraced(function* (
  query: Readonly<Partial<Record<keyof typeof choices, string | undefined>>>
) {
  return [
    ...(yield* accountFlag(query.account)),
    ...(yield* timeFlag("from", query.from)),
    ...(yield* timeFlag("to", query.to))
  ]
})

export const auditBooks = Route.prepared(
  auditEndpoint,
  Effect.map(Proofs, ({ prove }) =>
    Effect.fnUntraced(function* ({ query }: Route.Call<typeof auditEndpoint>, operator: Operator) {
      yield* permit(operator, "auditor")
      const [args, form] = audits[yield* chosen("format", query.format, auditFormats)]
      const filters = [...(yield* incrementalFlag(query.incremental)), ...(yield* choiceOf(query))]
      return streamed(yield* prove({ args: ["audit", ...args, ...filters], form }))
    })
  )
)
