/** Programs of people who have installed `@inferlog/client`. */

/** Uploads a file and reads it back, makes a request and cancels it. Prints what it found as JSON. */
export const program = `
import { Inferlog, InvalidInputError } from "@inferlog/client"
import { file } from "@inferlog/client/node"
import { writeFileSync } from "node:fs"

writeFileSync("cat.png", new Uint8Array(100_000).fill(7))
const inferlog = new Inferlog()
const url = await inferlog.files.upload(await file("cat.png"))
const found = await (await inferlog.files.download(url)).arrayBuffer()
const request = await inferlog.submit("sandbox/echo", { value: 1 })
const error = await inferlog.submit("sandbox/echo", {}).catch((error) => error)
console.log(JSON.stringify({
  name: url.split("/").at(-1).slice(9),
  bytes: found.byteLength,
  status: request.status,
  error: error instanceof InvalidInputError && error.name
}))
`

/** Type-checked only. The last line is an error that must be found. */
export const typed = `
import { type ClientOptions, Inferlog, RateLimitedError } from "@inferlog/client"
import { file } from "@inferlog/client/node"

const options: ClientOptions = { url: "http://127.0.0.1:8080", key: async () => "key" }
const inferlog = new Inferlog(options)

export const main = async (signal: AbortSignal): Promise<string> => {
  const url: string = await inferlog.files.upload(await file("cat.png"), {
    signal,
    onProgress: (sent: number, total: number) => sent / total
  })
  try {
    return (await inferlog.submit("acme/writer", { text: url }, { timeout: 1_000 })).request_id
  } catch (error) {
    if (error instanceof RateLimitedError) return \`\${error.retryAfter ?? 0}\`
    throw error
  }
}

// @ts-expect-error
void inferlog.submit(1, {})
`
