/** The request id in a path. With another length or alphabet it is malformed (400), not unknown (decisions, "request_id"). */
import { Result } from "effect"
import { RequestId, requestIdPattern } from "#domain/Ids.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"

export const parse = (text: string): Result.Result<RequestId, Refusal.Refusal> =>
  requestIdPattern.test(text) ? Result.succeed(RequestId.make(text)) : Result.fail(Refusal.malformedRequestId)
