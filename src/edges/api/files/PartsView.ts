/** The 400 for parts that cannot be made a file (decisions, "Upload errors"), with their numbers. */
import { minPartBytes } from "#src/features/media/storage/FileLimits.ts"
import type { Part } from "#src/platform/blobs/Part.ts"
import type { PartsRefused } from "#src/features/media/storage/UploadStore.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { issue } from "#src/edges/http/requests/Parsed.ts"
import type { Issue } from "#src/platform/views/EnvelopeView.ts"

const messages: Record<PartsRefused["reason"], string> = {
  missing: "has not been uploaded, or is left out between others",
  etag_mismatch: "is not the ETag that the last upload of the part was answered with",
  too_small: `must have at least ${minPartBytes} bytes, as every part but the last`,
  wrong_size: "must have as many bytes in all as were declared for the file",
  not_named: "must name every part that was uploaded"
}

/** @param named the parts of the body. An issue has the path of its part, or of `parts` when the part is not named. */
export const errorAnswer = (
  { partNumbers, reason }: PartsRefused,
  named: ReadonlyArray<Part>
): ErrorAnswer.ErrorAnswer => {
  const indexes = new Map(named.map(({ partNumber }, index) => [partNumber, index]))
  const issueOf = (partNumber: number): Issue => {
    const index = indexes.get(partNumber)
    const place = reason === "etag_mismatch" ? ["etag"] : []
    return issue(index === undefined ? ["parts"] : ["parts", index, ...place], reason, messages[reason])
  }
  const issues =
    reason === "wrong_size" ? [issue(["parts"], reason, messages[reason])] : partNumbers.map(issueOf)
  return ErrorAnswer.invalid(issues, { code: "PARTS_REFUSED", reason, partNumbers })
}
