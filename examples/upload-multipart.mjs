// Uploads a file in parts, four at a time, and prints its URL. It needs only Node 24:
//   INFERLOG_API_KEY=keyId:secret node examples/upload-multipart.mjs film.mp4 video/mp4
import { openAsBlob } from "node:fs"
import { basename } from "node:path"
import { setTimeout } from "node:timers/promises"

const [path, type = "application/octet-stream"] = process.argv.slice(2)
const server = process.env.INFERLOG_URL ?? "http://127.0.0.1:8080"
const authorization = `Key ${process.env.INFERLOG_API_KEY}`
const concurrency = 4

const file = await openAsBlob(path) // read in pieces while it is sent
// Every part except the last must have at least 5 MiB, and 10,000 parts are allowed.
const partSize = Math.max(16 * 1024 * 1024, Math.ceil(file.size / 10_000))

/** Retries network errors, 408, 429 and 5xx, with a new URL each time. */
async function withRetries(run) {
  for (let attempt = 1; ; attempt++) {
    const response = await run().catch((error) => ({ ok: false, status: 0, text: () => error.message }))
    if (response.ok) return response
    const isTransient = [0, 408, 429].includes(response.status) || response.status >= 500
    if (!isTransient || attempt === 6) throw new Error(`${response.status}: ${await response.text()}`)
    await setTimeout(500 * 2 ** attempt)
  }
}

async function call(method, route, body) {
  const headers = { authorization, "content-type": "application/json" }
  const options = { method, headers, body: body && JSON.stringify(body) }
  return (await withRetries(() => fetch(`${server}/storage/upload/${route}`, options))).json()
}

const announced = { file_name: basename(path), content_type: type, size: file.size }
const { fileUrl, uploadId, uploadKey } = await call("POST", "initiate-multipart", announced)

async function sendPart(partNumber) {
  const bytes = file.slice((partNumber - 1) * partSize, partNumber * partSize, type)
  const query = new URLSearchParams({ uploadKey, uploadId, partNumber })
  const response = await withRetries(async () => {
    const { presignedUrl } = await call("GET", `multipart-url?${query}`)
    return fetch(presignedUrl, { method: "PUT", body: bytes }) // no authorization: the URL contains its credentials
  })
  return { partNumber, etag: response.headers.get("etag").replaceAll('"', "") }
}

const parts = []
const last = Math.max(1, Math.ceil(file.size / partSize))
let next = 1
const sender = async () => {
  while (next <= last) parts.push(await sendPart(next++))
}
await Promise.all(Array.from({ length: concurrency }, sender))

await call("POST", "complete", { uploadId, uploadKey, parts })
process.stdout.write(`${fileUrl}\n`)
