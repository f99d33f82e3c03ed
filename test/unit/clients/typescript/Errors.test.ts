import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ApiError } from "#clients/typescript/ApiError.ts"
import { errorOf } from "#clients/typescript/ErrorAnswer.ts"
import * as Errors from "#clients/typescript/Errors.ts"
import { InferlogError } from "#clients/typescript/InferlogError.ts"
import * as OutcomeErrors from "#clients/typescript/OutcomeErrors.ts"

const reference = fs.readFileSync(
  path.join(import.meta.dirname, "../../../../docs/reference/errors.md"),
  "utf8"
)
const tableOf = (heading: string) => reference.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? ""

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  errorOf({ status, headers: new Headers(headers), text: JSON.stringify(body) }, 0)

/** Every code of the reference, with the status of its row. */
const codes = [...tableOf("Codes in `details.code`").matchAll(/^\| (`[A-Z_`, ]+`) \| (\d+) \|/gm)].flatMap(
  ([, names = "", status]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, code = ""]) => ({ code, status: Number(status) }))
)

const statuses = [...tableOf("Statuses").matchAll(/^\| (\d+) \|/gm)].map(([, status]) => Number(status))

describe("errors of the TypeScript client", () => {
  it("has a class of its own for every code of the reference, below the class of its status", () => {
    assert.isAbove(codes.length, 40)
    for (const { code, status } of codes) {
      const error = answer(status, { error: "Why.", request_id: "call_1", details: { code, more: 1 } })
      const words = code.split("_").map((word) => word.charAt(0) + word.slice(1).toLowerCase())
      assert.strictEqual(error.name, `${words.join("")}Error`)
      const classes = { ...Errors, ...OutcomeErrors } as Readonly<Record<string, unknown>>
      assert.strictEqual(error.constructor, classes[error.name], code)
      assert.deepInclude(error, { status, code, message: "Why.", details: { code, more: 1 } })
      if (!(error instanceof OutcomeErrors.RequestOutcomeError)) {
        const base = answer(status, { error: "Why." })
        assert.instanceOf(error, base.constructor as typeof ApiError, code)
      }
    }
  })

  it("has a class for every status of the reference that its calls can get", () => {
    assert.isAbove(statuses.length, 15)
    const plain = statuses.filter((status) => answer(status, {}).constructor === ApiError)
    assert.deepStrictEqual(plain, [405, 412, 415, 416, 417, 431])
    for (const status of statuses.filter((status) => !plain.includes(status))) {
      const error = answer(status, { error: "Why." })
      assert.strictEqual((Errors as Readonly<Record<string, unknown>>)[error.name], error.constructor)
    }
  })

  it("uses the class of the status for unknown codes, and ApiError for unknown statuses", () => {
    assert.strictEqual(
      answer(409, { error: "", details: { code: "NEW_ONE" } }).constructor,
      Errors.ConflictError
    )
    assert.strictEqual(answer(599, {}).constructor, Errors.ServerError)
    assert.strictEqual(answer(418, {}).constructor, ApiError)
    assert.strictEqual(answer(418, {}).message, "The server answered 418")
    assert.instanceOf(answer(418, {}), InferlogError)
  })

  it("shows the first issues of an invalid input", () => {
    const issues = ["a", "b", "c", "d", "e"].map((name) => ({
      path: [name, 0],
      message: "must be string",
      code: "type"
    }))
    const error = answer(400, { error: issues, request_id: "call_1" })
    assert.strictEqual(error.constructor, Errors.InvalidInputError)
    assert.strictEqual(error.message, "a.0 must be string; b.0 must be string; c.0 must be string and 2 more")
    assert.deepStrictEqual(error.issues, issues)
  })

  it("takes what is no envelope for an answer without a message", () => {
    for (const text of ["<h1>Bad gateway</h1>", "", "null", "[1]", '"text"', '{"error":7,"details":[]}']) {
      const error = errorOf({ status: 502, headers: new Headers({ "x-request-id": "call_2" }), text }, 0)
      assert.strictEqual(error.constructor, Errors.ServerError)
      assert.deepInclude(error, { message: "The server answered 502", code: undefined, requestId: "call_2" })
      assert.deepStrictEqual(error.issues, [])
      assert.deepStrictEqual(error.details, {})
    }
  })

  it("reads Retry-After as seconds and as a date", () => {
    const now = Date.parse("2026-01-05T12:00:00Z")
    const retryAfter = (text: string) =>
      errorOf({ status: 503, headers: new Headers({ "retry-after": text }), text: "" }, now).retryAfter
    assert.strictEqual(retryAfter("7"), 7_000)
    assert.strictEqual(retryAfter("Mon, 05 Jan 2026 12:00:09 GMT"), 9_000)
    assert.strictEqual(retryAfter("Mon, 05 Jan 2026 11:00:00 GMT"), 0)
    assert.isNull(retryAfter("soon"))
    assert.isNull(retryAfter("-1"))
    assert.isNull(answer(503, {}).retryAfter)
  })

  it("says of a refused result how the request ended", () => {
    const body = {
      id: "rq",
      status: "COMPLETED",
      output: null,
      error: "No.",
      details: { code: "UPSTREAM_FAILURE" }
    }
    const error = answer(422, body)
    assert.instanceOf(error, OutcomeErrors.UpstreamFailureError)
    assert.deepStrictEqual((error as OutcomeErrors.UpstreamFailureError).request, body as never)
    const failed = answer(400, { error: "No.", request_id: "call_1", details: { code: "REQUEST_FAILED" } })
    assert.instanceOf(failed, OutcomeErrors.RequestFailedError)
    assert.isNull((failed as OutcomeErrors.RequestFailedError).request)
  })
})
