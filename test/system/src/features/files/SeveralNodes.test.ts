/**
 * Files on nodes that share a log and a folder: announced, uploaded, combined, read and deleted at any node.
 * @cost Three nodes as processes that share files; bodies are as large as parts of uploads must be.
 */
import * as crypto from "node:crypto"
import * as http from "node:http"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Node } from "#test/support/Nodes.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as Until from "#test/support/Until.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import { explained, World } from "#test/support/src/platform/cluster/nodes/World.ts"

const scenario = { timeout: 90_000 }

const MiB = 1024 * 1024

const patienceMs = 20_000

interface Reply {
  readonly status: number
  readonly bytes: Buffer
  readonly etag: string
}

/** The URL at this node for the path of a public or API URL. */
const ask = (node: Node, target: string, init: RequestInit = {}): Effect.Effect<Reply> =>
  Effect.promise(async () => {
    const { pathname, search } = new URL(target, node.url)
    const response = await fetch(node.url + pathname + search, {
      ...init,
      signal: AbortSignal.timeout(patienceMs)
    })
    const etag = response.headers.get("etag")?.replaceAll('"', "") ?? ""
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()), etag }
  })

const api = (node: Node, method: string, path: string, body?: object) =>
  Effect.map(
    ask(node, path, {
      method,
      headers: { ...ServerProcess.authorization, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) })
    }),
    ({ bytes, status }) => {
      const json: Readonly<Record<string, string>> = bytes.length === 0 ? {} : JSON.parse(bytes.toString())
      return { status, json }
    }
  )

const field = (json: Readonly<Record<string, string>>, name: string): string =>
  json[name] ?? assert.fail(`no ${name} in ${JSON.stringify(json)}`)

const type = "application/octet-stream"
const file = { file_name: "data.bin", content_type: type }

const initiate = (node: Node) =>
  Effect.map(api(node, "POST", "/storage/upload/initiate", file), ({ json }) => ({
    putUrl: field(json, "upload_url"),
    url: field(json, "file_url")
  }))

const initiateMultipart = (node: Node) =>
  Effect.map(api(node, "POST", "/storage/upload/initiate-multipart", file), ({ json }) => ({
    url: field(json, "fileUrl"),
    named: { uploadId: field(json, "uploadId"), uploadKey: field(json, "uploadKey") }
  }))

type Upload = Effect.Success<ReturnType<typeof initiateMultipart>>

const put = (node: Node, url: string, body: Buffer) =>
  ask(node, url, { method: "PUT", headers: { "content-type": type }, body: new Uint8Array(body) })

/** Its URL is requested at one node and used at the other. */
const putPart = Effect.fnUntraced(function* (
  { named }: Upload,
  partNumber: number,
  bytes: Buffer,
  [asked, used]: readonly [Node, Node]
) {
  const query = new URLSearchParams({ ...named, partNumber: `${partNumber}` })
  const { json } = yield* api(asked, "GET", `/storage/upload/multipart-url?${query.toString()}`)
  const { etag, status } = yield* put(used, field(json, "presignedUrl"), bytes)
  assert.strictEqual(status, 200)
  return { partNumber, etag }
})

const complete = (node: Node, { named }: Upload, parts: ReadonlyArray<object>) =>
  api(node, "POST", "/storage/upload/complete", { ...named, parts })

const idOf = (url: string): string => new URL(url).pathname.split("/")[2] ?? ""

const uploaded = Effect.fnUntraced(function* (announcer: Node, receiver: Node, bytes: Buffer) {
  const { putUrl, url } = yield* initiate(announcer)
  const { status } = yield* put(receiver, putUrl, bytes)
  assert.strictEqual(status, 200)
  return url
})

const assertReads = Effect.fnUntraced(function* (node: Node, url: string, bytes: Buffer) {
  const reply = yield* ask(node, url)
  assert.deepStrictEqual([reply.status, reply.bytes.equals(bytes)], [200, true], `node ${node.number}`)
})

/** Begins a PUT of which only half is sent. Returns when the node has received some of it. */
const halfPut = (node: Node, url: string, bytes: Buffer) =>
  Effect.promise(
    () =>
      new Promise<void>((resolve) => {
        const { pathname, search } = new URL(url)
        const request = http.request(node.url + pathname + search, {
          method: "PUT",
          headers: { "content-type": type, "content-length": bytes.length }
        })
        // The kill of the node cuts it off.
        request.on("error", () => {})
        request.write(bytes.subarray(0, bytes.length / 2), () => resolve())
      })
  )

/** A node's answer within the lag of its log. */
const eventually = (node: Node, url: string, status: number) =>
  Until.answers(async () => {
    const { pathname } = new URL(url)
    const response = await fetch(node.url + pathname)
    await response.arrayBuffer()
    if (response.status !== status) throw new Error(`node ${node.number} says ${response.status}`)
  }, Until.processes)

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("Files of several nodes"), () => {
  layer(World.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect(
      "are announced at one, uploaded to another, and readable at any",
      () =>
        Effect.gen(function* () {
          const { nodes } = yield* World
          const [a, b, c] = nodes
          for (const [announcer, receiver, reader] of [
            [a, b, c],
            [b, c, a],
            [c, a, b]
          ] as const) {
            const bytes = crypto.randomBytes(100_000)
            const { putUrl, url } = yield* initiate(announcer)
            assert.strictEqual((yield* ask(reader, url)).status, 404)
            assert.strictEqual((yield* put(receiver, putUrl, bytes)).status, 200)
            for (const node of [reader, announcer, receiver]) yield* assertReads(node, url, bytes)
            const other = yield* put(announcer, putUrl, Buffer.from("others"))
            assert.strictEqual(other.status, 409)
            const same = yield* put(reader, putUrl, bytes)
            assert.deepStrictEqual([same.status, same.etag], [200, crypto.hash("md5", bytes)])
          }
        }).pipe(explained),
      scenario
    )

    it.effect(
      "are deleted on all nodes when deleted on one",
      () =>
        Effect.gen(function* () {
          const { nodes } = yield* World
          const [a, b, c] = nodes
          const bytes = crypto.randomBytes(100_000)
          const url = yield* uploaded(a, b, bytes)
          const { putUrl, url: awaited } = yield* initiate(c)
          for (const node of nodes) yield* assertReads(node, url, bytes)
          for (const deleted of [url, awaited]) {
            assert.strictEqual((yield* api(a, "DELETE", `/files/${idOf(deleted)}`)).status, 204)
            // It reads the log for this and need not have followed it so far.
            assert.strictEqual((yield* api(b, "DELETE", `/files/${idOf(deleted)}`)).status, 204)
            for (const node of nodes) yield* eventually(node, deleted, 410)
          }
          assert.strictEqual((yield* put(c, putUrl, bytes)).status, 410)
        }).pipe(explained),
      scenario
    )

    it.effect(
      "are assembled once at one from parts uploaded to the others",
      () =>
        Effect.gen(function* () {
          const [a, b, c] = (yield* World).nodes
          const upload = yield* initiateMultipart(a)
          const bytes = crypto.randomBytes(11 * MiB)
          const parts = yield* Effect.all([
            putPart(upload, 3, bytes.subarray(10 * MiB), [b, c]),
            putPart(upload, 1, bytes.subarray(0, 5 * MiB), [b, a]),
            putPart(upload, 2, bytes.subarray(5 * MiB, 10 * MiB), [c, c])
          ])
          const completed = yield* Effect.all(
            [b, c, a].map((node) => complete(node, upload, parts)),
            { concurrency: "unbounded" }
          )
          const statuses = completed.map(({ status }) => status).sort()
          assert.include(statuses, 200)
          for (const status of statuses) assert.include([200, 409], status)
          for (const node of [c, b, a]) yield* assertReads(node, upload.url, bytes)
          assert.strictEqual((yield* complete(a, upload, parts)).status, 409)
        }).pipe(explained),
      scenario
    )

    it.effect(
      "are uploaded to another node after one is killed in the middle",
      () =>
        Effect.gen(function* () {
          const [a, b, c] = (yield* World).nodes
          const bytes = crypto.randomBytes(8 * MiB)
          const { putUrl, url } = yield* initiate(a)
          const upload = yield* initiateMultipart(b)
          const parts = [
            yield* putPart(upload, 1, bytes.subarray(0, 6 * MiB), [b, b]),
            yield* putPart(upload, 2, bytes.subarray(6 * MiB), [b, a])
          ]
          yield* halfPut(b, putUrl, bytes)
          // Its result is lost.
          yield* Effect.forkChild(Effect.ignoreCause(complete(b, upload, parts)), { startImmediately: true })
          yield* b.kill
          assert.strictEqual((yield* ask(c, url)).status, 404)
          assert.strictEqual((yield* put(c, putUrl, bytes)).status, 200)
          assert.include([200, 409], (yield* complete(c, upload, parts)).status)
          yield* b.restart
          for (const node of [a, b, c]) {
            yield* assertReads(node, url, bytes)
            yield* assertReads(node, upload.url, bytes)
          }
        }).pipe(explained),
      scenario
    )
  })
})
