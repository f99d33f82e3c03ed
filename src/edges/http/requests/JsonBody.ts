/** JSON bodies (decisions, "Bodies"): an object whose text passes `JsonBytes`. */
import { Result } from "effect"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import type * as JsonScan from "#src/kernel/text/JsonScan.ts"
import * as Refusal from "../Refusal.ts"
import { issue } from "./Parsed.ts"

/** Bytes. */
export const maxBytes = 10 * 1024 * 1024

/** By the fault that `JsonBytes` finds. */
export const refusals: Readonly<Record<JsonBytes.Fault, Refusal.Refusal>> = {
  too_many_values: Refusal.tooManyValues,
  not_utf8: Refusal.malformed("The request body is not valid UTF-8."),
  not_json: Refusal.malformed("The request body is not valid JSON."),
  too_deep: Refusal.malformed(`The request body is nested more than ${JsonBytes.maxDepth} levels deep.`),
  not_finite: Refusal.malformed("The request body has a number out of range.")
}
export const notAnObject = Refusal.invalid([issue([], "type", "must be object")])

const refusalOf = (fault: JsonBytes.Fault) => refusals[fault]

const objectOf = (json: Json): Result.Result<JsonObject, Refusal.Refusal> =>
  isObject(json) ? Result.succeed(json) : Result.fail(notAnObject)

/** Scans the text for limits before it is parsed. */
export const look = (bytes: Uint8Array): Result.Result<JsonScan.Scan, Refusal.Refusal> =>
  Result.mapError(JsonBytes.look(bytes), refusalOf)

/** Parses a scanned text. */
export const parseLooked = (
  bytes: Uint8Array,
  scan: JsonScan.Scan
): Result.Result<JsonObject, Refusal.Refusal> =>
  Result.flatMap(Result.mapError(JsonBytes.parseLooked(bytes, scan), refusalOf), objectOf)

/** Scans and parses. Never throws. */
export const parseObject = (bytes: Uint8Array): Result.Result<JsonObject, Refusal.Refusal> =>
  Result.flatMap(look(bytes), (scan) => parseLooked(bytes, scan))
