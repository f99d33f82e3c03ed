/** `list_my_requests`: the account's history, newest first (contract, "Assistant-tool server"). */
import { Effect, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { Status } from "#domain/inference-request/Status.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { usualLimit } from "#src/edges/http/requests/PageQuery.ts"
import * as HistoryView from "#src/features/requests/views/HistoryView.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { RequestHistory } from "#src/features/requests/RequestHistory.ts"
import { retentionMs } from "#src/kernel/settings/RetentionTime.ts"
import { granted, ToolCaller } from "../../ToolCaller.ts"
import { ToolError } from "../../ToolError.ts"
import * as Arguments from "../Arguments.ts"
import * as ServiceToolErrors from "../ServiceToolErrors.ts"
import * as ToolPage from "../ToolPage.ts"
import * as ToolTraits from "../ToolTraits.ts"
import * as RequestReport from "./RequestReport.ts"

const RequestPage = ToolPage.bodyOf(Schema.Struct(RequestReport.fields))

export const tool = Tool.make("list_my_requests", {
  description:
    "Lists the requests of the user's account, newest first, including those of other programs with the same account. The list has no inputs and outputs: call get_request with a requestId for them.",
  parameters: Schema.Struct({
    status: Arguments.optional(
      Status.annotate({ description: "Only requests with this status; all by default." })
    ),
    modelEndpoint: Arguments.optional(
      Arguments.endpoint.annotate({
        description: "Only requests of this model or wrapper, `owner/name`. All when left out.",
        examples: ["vision/resize"]
      })
    ),
    page: Arguments.page,
    limit: Arguments.limit
  }),
  success: RequestPage,
  failure: ToolError,
  dependencies: [ToolCaller]
})
  .annotate(Tool.Title, "List my requests")
  .annotateMerge(ToolTraits.reading)

const isModelEndpoint = Schema.is(ModelEndpoint)

const malformed = ServiceToolErrors.toolError(
  "modelEndpoint: must be of the form owner/name, in lower case. Leave it out to see the requests of all models."
)

const noneYet = "There are no such requests: omit the filters to see all, or run a model with run_model."

export const make = Effect.gen(function* () {
  const history = yield* RequestHistory
  const urls = yield* PublicUrls
  const keptMs = yield* retentionMs

  return Effect.fn("ListMyRequests.call")(function* ({
    limit = usualLimit,
    modelEndpoint,
    page = 1,
    status
  }: Tool.Parameters<typeof tool>) {
    const caller = yield* granted("requests:read")
    if (modelEndpoint !== undefined && !isModelEndpoint(modelEndpoint)) return yield* malformed
    const { items, total } = yield* Effect.scoped(
      history.list({
        caller,
        page,
        limit,
        after: null,
        expand: new Set(),
        ...(status !== undefined && { status }),
        ...(modelEndpoint !== undefined && { model: modelEndpoint })
      })
    ).pipe(
      Effect.mapError((error) =>
        error._tag === "ModelNotGranted"
          ? ServiceToolErrors.modelNotGranted(caller.grant)
          : ServiceToolErrors.toErrorAnswer(error)
      )
    )
    const data = items.map((item) => RequestReport.listed(HistoryView.record({ ...urls, keptMs }, item)))
    const totalPages = Math.ceil(total / limit)
    const hint = total === 0 ? noneYet : `With this limit there are ${totalPages} pages: request one of them.`
    return { page, limit, total, totalPages, data, ...(data.length === 0 && { hint }) }
  })
})
