/** `get_request`: status, output, pricing and error of a request (contract, "Assistant-tool server"). */
import { Effect, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import * as Arguments from "../Arguments.ts"
import { granted, ToolCaller } from "../../ToolCaller.ts"
import { ToolError } from "../../ToolError.ts"
import * as ToolTraits from "../ToolTraits.ts"
import * as Reports from "./Reports.ts"
import * as RequestReport from "./RequestReport.ts"

export const tool = Tool.make("get_request", {
  description:
    "Returns the current state of a request: its status, its output after a success, its cost, and the error after a failure. Returns at once: to wait for the end, use wait_for_request instead of repeated calls.",
  parameters: Schema.Struct({
    requestId: RequestReport.requestId,
    maxOutputBytes: RequestReport.maxOutputBytes,
    includeInput: Arguments.optional(
      Schema.Boolean.annotate({
        description: "Whether to return the submitted input, too, within maxOutputBytes.",
        default: false
      })
    )
  }),
  success: RequestReport.RequestReport,
  failure: ToolError,
  dependencies: [ToolCaller]
})
  .annotate(Tool.Title, "Get a request")
  .annotateMerge(ToolTraits.reading)

export const make = Effect.map(Reports.make, ({ find, report }) =>
  Effect.fn("GetRequest.call")(function* ({ requestId, ...options }: Tool.Parameters<typeof tool>) {
    const caller = yield* granted("requests:read")
    return yield* report(yield* find(caller, requestId), options)
  })
)
