/** fastify with the answers of `GET /requests/{id}` from memory, with the same checks and headers. */
import { hash, randomBytes, randomUUID, timingSafeEqual } from "node:crypto"
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { payload } from "./load.ts"
import { run } from "./protocol.ts"

const records = 1_000

const options = () => {
  const { values } = parseArgs({ options: { ids: { type: "string" }, key: { type: "string" } } })
  const [keyId, secret] = values.key?.split(":", 2) ?? []
  if (keyId === undefined || secret === undefined) throw new Error("--key must be id:secret")
  const given: ReadonlyArray<string> | null =
    values.ids === undefined ? null : JSON.parse(readFileSync(values.ids, "utf8"))
  return { keyId, secret, given }
}

const makeId = (): string => randomBytes(16).toString("base64url").slice(0, 21)

/** A completed request with the fields of our answer. */
const record = (id: string) => {
  const response_url = `http://127.0.0.1/sandbox/echo/requests/${id}`
  return {
    id,
    modelEndpoint: "sandbox/echo",
    status: "COMPLETED",
    input: payload(id),
    output: payload(id),
    error: null,
    metadata: { tenant: "bench" },
    inferenceTime: 12,
    delayTime: 3,
    createdAt: "2026-01-01T00:00:00.000Z",
    outcome: "succeeded",
    cost: "0.0001",
    media: [],
    response_url,
    status_url: `${response_url}/status`,
    cancel_url: `${response_url}/cancel`,
    billingStatus: "charged"
  }
}

const text = { type: "string" }
const nullable = (type: string) => ({ type, nullable: true })
const anyJson = {}

/** fastify compiles its serializer from this schema. */
const answerSchema = {
  type: "object",
  properties: {
    id: text,
    modelEndpoint: text,
    status: text,
    input: anyJson,
    output: anyJson,
    error: nullable("string"),
    metadata: { type: "object", additionalProperties: text },
    inferenceTime: nullable("integer"),
    delayTime: nullable("integer"),
    createdAt: text,
    outcome: text,
    cost: text,
    media: { type: "array", items: anyJson },
    response_url: text,
    status_url: text,
    cancel_url: text,
    billingStatus: nullable("string")
  }
}

const paramsSchema = {
  type: "object",
  required: ["id"],
  properties: { id: { type: "string", pattern: "^[A-Za-z0-9_-]{21}$" } }
}

const hashOf = (secret: string): Buffer => hash("sha256", secret, "buffer")

await run(async (resources) => {
  const { given, keyId, secret } = options()
  const { fastify } = await import("fastify")
  const keys = new Map([[keyId, hashOf(secret)]])
  const ids = given ?? Array.from({ length: records }, makeId)
  const requests = new Map(ids.map((id) => [id, record(id)]))

  const isAuthorized = (authorization: string | undefined): boolean => {
    const match = /^Key ([A-Za-z0-9._-]{1,64}):([\x21-\x7e]{1,256})$/.exec(authorization ?? "")
    if (match === null) return false
    const expected = keys.get(match[1] ?? "")
    const presented = hashOf(match[2] ?? "")
    return expected !== undefined && timingSafeEqual(presented, expected)
  }

  const app = resources.adopt(fastify({ genReqId: () => randomUUID(), forceCloseConnections: true }), (app) =>
    app.close()
  )
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({
      "cache-control": "no-store",
      "x-request-id": request.id,
      "x-content-type-options": "nosniff"
    })
    if (!isAuthorized(request.headers.authorization))
      return reply.code(401).send({ error: "Unauthorized", request_id: request.id })
  })
  app.get<{ Params: { id: string } }>(
    "/requests/:id",
    { schema: { params: paramsSchema, response: { 200: answerSchema } } },
    async (request, reply) =>
      requests.get(request.params.id) ??
      reply.code(404).send({ error: "Request not found", request_id: request.id })
  )
  const port = Number(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port)
  return { ready: { port, pids: [], ...(given === null ? { ids } : {}) } }
})
