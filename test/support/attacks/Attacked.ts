/** A server process with little memory, and clients that attack it. */
import { createHash } from "node:crypto"
import { once } from "node:events"
import * as fs from "node:fs"
import * as http from "node:http"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

/** Killed with the scope. */
export const server = Effect.fnUntraced(function* (env: Readonly<Record<string, string>> = {}) {
  const dataDirectory = yield* TempDirectory.make
  return yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const port = await ServerProcess.freePort()
      const memory = { NODE_OPTIONS: "--max-old-space-size=512" }
      return ServerProcess.start({ dataDirectory, port, env: { ...memory, ...env } })
    }),
    ({ kill }) => Effect.promise(() => kill("SIGKILL"))
  )
})

export interface Got {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  /** Bytes of the body. */
  readonly length: number
  /** Of the body; hex. */
  readonly sha256: string
}

/** Sends a GET on a new connection, reads the body and discards it. Rejects if the body is incomplete. */
export const get = async (
  url: string,
  options: Pick<http.RequestOptions, "localAddress" | "headers"> = {}
): Promise<Got> => {
  const request = http.get(url, { agent: false, headers: ServerProcess.authorization, ...options })
  const [response] = (await once(request, "response")) as [http.IncomingMessage]
  const hash = createHash("sha256")
  let length = 0
  for await (const chunk of response) {
    hash.update(chunk)
    length += chunk.length
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    length,
    sha256: hash.digest("hex")
  }
}

export const json = async (url: string, init: RequestInit = {}): Promise<Record<string, unknown>> => {
  const response = await fetch(url, {
    ...init,
    headers: { ...ServerProcess.authorization, "content-type": "application/json" }
  })
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  return Object(await response.json())
}

/** Runs a `sandbox/echo` request with about `bytes` of input and of output, and returns its id. */
export const largeResult = async (url: string, bytes: number): Promise<string> => {
  const value = Array.from({ length: Math.floor(bytes / 60) }, () => "x".repeat(57))
  const body = JSON.stringify({ value })
  const { request_id: id } = await json(`${url}/sandbox/echo`, { method: "POST", body })
  const { status } = await json(`${url}/sandbox/echo/requests/${String(id)}/status?wait=60`)
  if (status === "IN_QUEUE" || status === "IN_PROGRESS") {
    const { status } = await json(`${url}/sandbox/echo/requests/${String(id)}/status?wait=60`)
    if (status !== "COMPLETED") throw new Error(`The request is ${String(status)} after two minutes`)
  }
  return String(id)
}

/** Memory of the process, MiB. */
export const residentMiB = (pid: number, field: "VmRSS" | "VmHWM" = "VmRSS"): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** Uploads a public file of `bytes` and returns its path. */
export const publicFile = async (url: string, bytes: number): Promise<string> => {
  const type = "application/octet-stream"
  const body = JSON.stringify({ file_name: "large.bin", content_type: type })
  const { file_url, upload_url } = await json(`${url}/storage/upload/initiate`, { method: "POST", body })
  const put = await fetch(String(upload_url), {
    method: "PUT",
    headers: { "content-type": type },
    body: Buffer.alloc(bytes, "x")
  })
  if (!put.ok) throw new Error(`${put.status}: ${await put.text()}`)
  return new URL(String(file_url)).pathname
}
