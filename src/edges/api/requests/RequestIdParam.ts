/** The request id in a path. With another length or alphabet it is malformed (400), not unknown (decisions, "request_id"). */
import { Result } from "effect"
import { RequestId, requestIdPattern } from "#domain/Ids.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"

export const parse = (text: string): Result.Result<RequestId, ErrorAnswer.ErrorAnswer> =>
  requestIdPattern.test(text)
    ? Result.succeed(RequestId.make(text))
    : Result.fail(ErrorAnswer.malformedRequestId)
