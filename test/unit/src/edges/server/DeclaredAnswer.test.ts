import { assert, describe, it } from "@effect/vitest"
import * as DeclaredAnswer from "#test/support/DeclaredAnswer.ts"
import type { Probe, Reply } from "#test/support/HttpProbe.ts"

const reply = (status: number, body: unknown, type = "application/json"): Reply => {
  const text = body === undefined ? "" : JSON.stringify(body)
  const headers = { "content-type": type }
  return { status, headers, rawHeaders: [], bytes: Buffer.from(text), text, json: body }
}

const error = { error: "Not found", request_id: "call_rqP767p1r--YJnrN3DE72" }
const health: Probe = { path: "/health?live=1" }

const told = async (probe: Probe, answer: Reply) => (await DeclaredAnswer.check())(probe, answer)

describe("the check of answers against the document", () => {
  it.each<readonly [string, Probe, Reply]>([
    ["a declared body", health, reply(200, { status: "ok" })],
    ["a HEAD", { ...health, method: "HEAD" }, reply(200, undefined)],
    ["a question before a call", { ...health, method: "OPTIONS" }, reply(204, undefined)],
    ["an error of the edge", health, reply(431, error)],
    ["a method that the path lacks", { ...health, method: "PUT" }, reply(405, error)],
    ["an unknown path", { path: "/a/b/c/d" }, reply(404, error)]
  ])("accepts %s", async (_, probe, answer) => assert.isNull(await told(probe, answer)))

  it.each<readonly [string, Probe, Reply, RegExp]>([
    ["a status", health, reply(202, { status: "ok" }), /^GET \/health: 202 is not declared by \/health$/],
    ["a media type", health, reply(200, { status: "ok" }, "text/plain"), /is of type text\/plain/],
    ["a field's value", health, reply(200, { status: "fine" }), /is not as declared: data\/status/],
    ["an error's form", health, reply(405, { error: 1 }), /is not as declared/],
    ["the status of a HEAD", { ...health, method: "HEAD" }, reply(201, undefined), /is not declared/],
    ["a success of no operation", { path: "/a/b/c/d" }, reply(200, {}), /is of no operation/],
    ["a body that is not an error", { path: "/a/b/c/d" }, reply(404, { message: "?" }), /is no error/]
  ])("reports %s as undeclared", async (_, probe, answer, breach) =>
    assert.match(String(await told(probe, answer)), breach)
  )
})
