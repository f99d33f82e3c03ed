/** JSON bodies (decisions, "Bodies"): an object whose text passes `JsonBytes`. */
import { Result } from "effect"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { Path } from "#domain/JsonText.ts"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import type * as JsonScan from "#src/kernel/text/JsonScan.ts"
import * as ErrorAnswer from "../ErrorAnswer.ts"
import { issue } from "./Parsed.ts"

/** Bytes. */
export const maxBytes = 10 * 1024 * 1024

/** By the fault that `JsonBytes` finds. */
export const errorAnswers: Readonly<Record<JsonBytes.JsonError, ErrorAnswer.ErrorAnswer>> = {
  too_many_values: ErrorAnswer.tooManyValues,
  not_utf8: ErrorAnswer.malformed("The request body is not valid UTF-8."),
  not_json: ErrorAnswer.malformed("The request body is not valid JSON."),
  too_deep: ErrorAnswer.malformed(`The request body is nested more than ${JsonBytes.maxDepth} levels deep.`),
  not_finite: ErrorAnswer.malformed("The request body has a number out of range.")
}
export const notAnObject = ErrorAnswer.invalid([issue([], "type", "must be object")])

/** For two members of one object with the same name. */
export const repeated = (path: Path): ErrorAnswer.ErrorAnswer =>
  ErrorAnswer.invalid([issue([...path], "uniqueItems", "must be given once")])

const errorAnswerOf = (fault: JsonBytes.JsonError) => errorAnswers[fault]

const objectOf = (json: Json): Result.Result<JsonObject, ErrorAnswer.ErrorAnswer> =>
  isObject(json) ? Result.succeed(json) : Result.fail(notAnObject)

/** Scans the text for limits before it is parsed. */
export const look = (bytes: Uint8Array): Result.Result<JsonScan.Scan, ErrorAnswer.ErrorAnswer> =>
  Result.mapError(JsonBytes.look(bytes), errorAnswerOf)

/** Parses a scanned text. Refuses an object that has a name twice. */
export const parseLooked = (
  bytes: Uint8Array,
  scan: JsonScan.Scan
): Result.Result<JsonObject, ErrorAnswer.ErrorAnswer> =>
  Result.flatMap(Result.mapError(JsonBytes.parseLooked(bytes, scan), errorAnswerOf), (json) => {
    const path = JsonBytes.repeatedName(json, scan)
    return path === null ? objectOf(json) : Result.fail(repeated(path))
  })

/** Scans and parses. Never throws. */
export const parseObject = (bytes: Uint8Array): Result.Result<JsonObject, ErrorAnswer.ErrorAnswer> =>
  Result.flatMap(look(bytes), (scan) => parseLooked(bytes, scan))
