/** Routes that compare read models with the log, and rebuild them. */
import { Data, Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { allProjections } from "#projections/AllProjections.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { UnderWay } from "#src/edges/http/edge/Exchanges.ts"
import { actAs, type Operator } from "#src/features/operators/Operator.ts"
import { OperatorActions } from "#src/features/operators/OperatorActions.ts"
import { permit } from "../Permit.ts"
import { invalid, streamed, textsOf } from "../log/Lines.ts"
import { type Ended, Proofs } from "../log/Proofs.ts"
import { errors, format, formatFlag, running, successOf } from "../log/ProofText.ts"

const names = ListParameters.texts("Only this projection; may be repeated.")

const known = new Set<string>(allProjections.map(({ name }) => name))

const namesOf = (given: unknown) => {
  const names = [...new Set(textsOf(given))]
  return names.every((name) => known.has(name))
    ? Effect.succeed(names)
    : invalid("name", "must be the name of a projection")
}

const compareEndpoint = HttpApiEndpoint.get("admin.verifyProjections", "/admin/v1/projections/verify", {
  query: { name: names, format },
  success: successOf("`report` is what `projections rebuild --verify --json` prints, or its text."),
  error: errors
})
  .annotate(OpenApi.Identifier, "verifyProjections")
  .annotate(OpenApi.Summary, "Compare read models with the log")
  .annotate(
    OpenApi.Description,
    `As \`inferlog projections rebuild --verify\`, on the node that answers. ${running}\n\nRole: \`auditor\`.`
  )

export const verifyProjections = Route.prepared(
  compareEndpoint,
  Effect.map(Proofs, ({ prove }) =>
    Effect.fnUntraced(function* ({ query }: Route.Call<typeof compareEndpoint>, operator: Operator) {
      yield* permit(operator, "auditor")
      const names = yield* namesOf(query.name)
      const format = yield* formatFlag(query.format)
      const args = ["projections", "rebuild", "--verify", ...format, ...names]
      return streamed(yield* prove({ args, form: "report" }))
    })
  )
)

const rebuildEndpoint = HttpApiEndpoint.post("admin.rebuildProjections", "/admin/v1/projections/rebuild", {
  query: { name: names, format },
  success: successOf("`report` is what `projections rebuild --json` prints, or its text."),
  error: errors
})
  .annotate(OpenApi.Identifier, "rebuildProjections")
  .annotate(OpenApi.Summary, "Rebuild read models from the log")
  .annotate(
    OpenApi.Description,
    `As \`inferlog projections rebuild\`, on the node that answers. If it fails or is stopped, nothing has changed. ${running}\n\nRole: \`operator\`.`
  )

class RebuildFailed extends Data.TaggedError("RebuildFailed")<{ readonly end: Ended }> {}

const failedUnless = (end: Ended) =>
  end.code === 0 ? Effect.succeed(end) : Effect.fail(new RebuildFailed({ end }))

export const rebuildProjections = Route.prepared(
  rebuildEndpoint,
  Effect.map(Effect.all([Proofs, OperatorActions]), ([{ prove }, { recorded }]) =>
    Effect.fnUntraced(function* ({ query }: Route.Call<typeof rebuildEndpoint>, operator: Operator) {
      yield* permit(operator, "operator")
      const names = yield* namesOf(query.name)
      const format = yield* formatFlag(query.format)
      const { correlationId: callId } = yield* UnderWay
      const action = {
        action: "rebuildProjections",
        targets: { name: names.length === 0 ? "all" : names.join(",").slice(0, 200) },
        made: () => ({}),
        isRefusal: () => false
      }
      const around = (run: Effect.Effect<Ended>): Effect.Effect<Ended> =>
        recorded(action, Effect.interruptible(Effect.flatMap(run, failedUnless))).pipe(
          actAs({ operator, callId }),
          Effect.catchTags({
            RebuildFailed: ({ end }) => Effect.succeed(end),
            EventStoreError: ({ message }) => Effect.succeed({ code: 1, report: "", messages: message })
          })
        )
      const args = ["projections", "rebuild", ...format, ...names]
      return streamed(yield* prove({ args, form: "report", around }))
    })
  )
)
