/** Checks that the headers announce a readable body: JSON, uncompressed, not too large. */
import { Result } from "effect"
import * as ErrorAnswer from "../ErrorAnswer.ts"
import type { RequestHeaders } from "./RequestHeaders.ts"
import * as JsonBody from "./JsonBody.ts"

const isJson = (contentType: string): boolean => {
  if (contentType === "application/json") return true
  const [mediaType = "", ...parameters] = contentType.toLowerCase().split(";")
  return (
    mediaType.trim() === "application/json" &&
    parameters.every((parameter) => /^(charset="?utf-8"?)?$/.test(parameter.trim()))
  )
}

export const tooLarge = ErrorAnswer.bodyTooLarge(JsonBody.maxBytes)

/** Bodies must be sent without a content encoding (RFC 9110, 8.4). */
export const checkEncoding = (headers: RequestHeaders): Result.Result<void, ErrorAnswer.ErrorAnswer> => {
  const encoding = headers["content-encoding"] ?? "identity"
  return encoding.toLowerCase() === "identity" ? Result.void : Result.fail(ErrorAnswer.unsupportedEncoding)
}

/** @param limit of the body, bytes. */
export const checkLength = (
  headers: RequestHeaders,
  limit: number
): Result.Result<void, ErrorAnswer.ErrorAnswer> =>
  Number(headers["content-length"] ?? 0) > limit ? Result.fail(ErrorAnswer.bodyTooLarge(limit)) : Result.void

/** Checks the media type alone. */
export const checkType = (headers: RequestHeaders): Result.Result<void, ErrorAnswer.ErrorAnswer> =>
  isJson(headers["content-type"] ?? "") ? Result.void : Result.fail(ErrorAnswer.unsupportedMediaType)

/** Does not check the length. */
export const checkForm = (headers: RequestHeaders): Result.Result<void, ErrorAnswer.ErrorAnswer> =>
  Result.flatMap(checkType(headers), () => checkEncoding(headers))

/** @param limit of the body, bytes. */
export const check = (
  headers: RequestHeaders,
  limit = JsonBody.maxBytes
): Result.Result<void, ErrorAnswer.ErrorAnswer> =>
  Result.flatMap(checkForm(headers), () => checkLength(headers, limit))
