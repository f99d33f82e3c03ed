/**
 * A server in plain code with the guarantees of ours: key by hash, schema, hold, salted payload, hash chain, digest, group commit and
 * fsync before the answer. Arguments: the log's file, `--key keyId:secret`, and `--runs none|claimed|complete`.
 */
import * as crypto from "node:crypto"
import * as http from "node:http"
import { parseArgs } from "node:util"
import * as FloorProgram from "../FloorProgram.ts"
import * as Ids from "../Ids.ts"
import * as KnownRequests from "../KnownRequests.ts"
import * as Funds from "./Funds.ts"
import * as Log from "./Log.ts"
import * as Runs from "./Runs.ts"
import * as Submits from "./Submits.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { key: { type: "string", default: ":" }, runs: { type: "string", default: "none" } }
})

const [keyId = "", secret = ""] = values.key.split(":")
const sha256 = (text: string): string => crypto.hash("sha256", text, "base64url")
const callers = new Map([[sha256(secret), { accountId: "acc_1e6fc917e75a8f3a", keyId }]])

const log = Log.open(positionals[0] ?? "")
const funds = Funds.make(10n ** 18n)
const runs = Runs.make(log, funds)
const accepted = new Map([
  ["claimed", runs.claim],
  ["complete", runs.complete]
]).get(values.runs)
const submit = Submits.make(log, funds, accepted ?? (() => {}))

/** Requests by path, as objects: an answer is written anew each time. */
const known = new Map(
  KnownRequests.all.flatMap(({ etag, id, retrieved, status }) => [
    [`/sandbox/echo/requests/${id}/status`, { etag, body: JSON.parse(status) as unknown }],
    [`/requests/${id}`, { etag, body: JSON.parse(retrieved) as unknown }]
  ])
)

const headers = { "x-content-type-options": "nosniff", "cache-control": "no-store" }

const answerTo =
  (response: http.ServerResponse, more: Readonly<Record<string, string>> = {}) =>
  ({ body, status }: Submits.Answer): void => {
    const text = JSON.stringify(body)
    response.writeHead(status, {
      ...headers,
      ...more,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      "x-request-id": `call_${Ids.next()}`
    })
    response.end(text)
  }

const read = (request: http.IncomingMessage, response: http.ServerResponse): void => {
  const found = known.get(request.url ?? "")
  if (found === undefined) return answerTo(response)({ status: 404, body: {} })
  const { body, etag } = found
  if (request.headers["if-none-match"] === etag) {
    response.writeHead(304, { ...headers, etag, "x-request-id": `call_${Ids.next()}` }).end()
    return
  }
  answerTo(response, { etag })({ status: 200, body })
}

const server = http.createServer((request, response) => {
  const { authorization = "" } = request.headers
  const caller = callers.get(sha256(authorization.slice(authorization.indexOf(":") + 1)))
  if (caller === undefined) return answerTo(response)({ status: 401, body: {} })
  if (request.method === "GET") return read(request, response)
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    submit(caller, request.url ?? "", Buffer.concat(chunks).toString(), answerTo(response))
  })
})

FloorProgram.serve(server)
