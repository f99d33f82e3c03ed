/**
 * The body of a new prediction, `{ input, version?, webhook?, webhook_events_filter? }`, as the body of a submit: the input with the
 * reserved webhook fields. The text of the input is handed on as it is, because it may be large.
 */
import { Result } from "effect"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonMembers from "#src/kernel/text/JsonMembers.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"
import { issue } from "#src/edges/http/requests/Parsed.ts"
import type { Issue } from "#src/platform/views/EnvelopeView.ts"

export interface PredictionBody {
  /** For the service that accepts submits. */
  readonly submit: Uint8Array
  /** `null` without one. */
  readonly version: string | null
}

type Parsed<A> = Result.Result<A, ErrorAnswer.ErrorAnswer>

/** Bytes of everything beside the input. */
const mostBeside = 64 * 1024

/** Bytes of a name that may be one of those below, with escapes. */
const longestName = 256

const webhookField = "webhook"
const filterField = "webhook_events_filter"

const invalid = (...issues: ReadonlyArray<Issue>): Parsed<never> => Result.fail(ErrorAnswer.invalid(issues))

/** Replicate sends these, too, to a client that names none. */
const usualEvents = ["start", "completed"]

const unsent = ["output", "logs"]

const besideTooLarge = new ErrorAnswer.ErrorAnswer({
  status: 413,
  error: `The request body must not exceed ${mostBeside} bytes beside its input.`
})

interface Split {
  readonly input: Uint8Array
  /** The rest of the body. */
  readonly beside: JsonObject
}

/** Of a text that is no object, without parsing it. */
const faultOf = (bytes: Uint8Array): ErrorAnswer.ErrorAnswer =>
  Buffer.from(bytes.subarray(0, 64)).toString().trimStart().startsWith("{")
    ? JsonBody.errorAnswers.not_json
    : JsonBody.notAnObject

/** Only of a text that passes `JsonBody.look`: each of its members is visited. */
const split = (bytes: Uint8Array): Parsed<Split> => {
  const inputs: Array<readonly [start: number, end: number]> = []
  let isRepeated = false
  const isObject = JsonMembers.visit(bytes, (written, start, end) => {
    if (JsonMembers.nameOf(written, longestName) !== "input") return
    isRepeated ||= inputs.length > 0
    inputs[0] = [start, end]
  })
  if (!isObject) return Result.fail(faultOf(bytes))
  const [found] = inputs
  if (found === undefined) return invalid(issue(["input"], "required", "must be given"))
  if (isRepeated) return invalid(issue(["input"], "uniqueItems", "must be given once"))
  const [start, end] = found
  const beside = Buffer.concat([bytes.subarray(0, start), Buffer.from("null"), bytes.subarray(end)])
  if (beside.length > mostBeside) return Result.fail(besideTooLarge)
  return Result.map(JsonBody.parseObject(beside), (rest) => ({
    input: bytes.subarray(start, end),
    beside: rest
  }))
}

const eventsOf = (filter: Json | undefined): Parsed<Json> => {
  if (filter === undefined || filter === null) return Result.succeed(usualEvents)
  const issues = (Array.isArray(filter) ? filter : []).flatMap((name: Json, index) =>
    typeof name === "string" && unsent.includes(name)
      ? [issue([filterField, index], "unsupported", "is not sent here: name start and completed only")]
      : []
  )
  return issues.length > 0 ? invalid(...issues) : Result.succeed(filter)
}

/** The fields as they are reserved in the body of a submit, which checks their values. */
const webhookOf = (beside: JsonObject): Parsed<JsonObject> => {
  const { [filterField]: filter, [webhookField]: url } = beside
  if (url === undefined || url === null) {
    return Result.succeed(filter === undefined || filter === null ? {} : { [filterField]: filter })
  }
  return Result.map(eventsOf(filter), (events) => ({ [webhookField]: url, [filterField]: events }))
}

const versionOf = ({ version = null }: JsonObject): Parsed<string | null> =>
  version === null || typeof version === "string"
    ? Result.succeed(version)
    : invalid(issue(["version"], "type", "must be string"))

/** Inserts the webhook fields before the members of the input. */
const submitOf = (input: Uint8Array, webhook: JsonObject): Parsed<Uint8Array> => {
  const reserved: Array<string> = []
  let members = 0
  const isObject = JsonMembers.visit(input, (written) => {
    members++
    const name = JsonMembers.nameOf(written, longestName)
    if (name === webhookField || name === filterField) reserved[0] = name
  })
  if (!isObject) return Result.fail(ofInput(faultOf(input)))
  const [name] = reserved
  if (name !== undefined) {
    return invalid(issue(["input", name], "reserved", "is not the model's: name it beside the input"))
  }
  const fields = JSON.stringify(webhook).slice(1, -1)
  if (fields === "") return Result.succeed(input)
  const head = members === 0 ? `{${fields}` : `{${fields},`
  return Result.succeed(Buffer.concat([Buffer.from(head), input.subarray(1)]))
}

/** Puts the paths of issues below `input`. */
export const ofInput = (errorAnswer: ErrorAnswer.ErrorAnswer): ErrorAnswer.ErrorAnswer =>
  typeof errorAnswer.error === "string"
    ? errorAnswer
    : ErrorAnswer.invalid(
        errorAnswer.error.map(({ code, message, path }) => ({ path: ["input", ...path], code, message }))
      )

export const parse = (bytes: Uint8Array): Parsed<PredictionBody> =>
  Result.flatMap(
    Result.flatMap(JsonBody.look(bytes), () => split(bytes)),
    ({ beside, input }) =>
      Result.flatMap(Result.all({ version: versionOf(beside), webhook: webhookOf(beside) }), (named) =>
        Result.map(submitOf(input, named.webhook), (submit) => ({ submit, version: named.version }))
      )
  )
