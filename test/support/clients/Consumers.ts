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
await inferlog.cancel(request)
const { status } = await inferlog.wait(request)
const error = await inferlog.submit("sandbox/echo", {}).catch((error) => error)
console.log(JSON.stringify({
  name: url.split("/").at(-1).slice(9),
  bytes: found.byteLength,
  status,
  error: error instanceof InvalidInputError && error.name
}))
`

/** Type-checked only. */
export const typedReact = `
import { Inferlog } from "@inferlog/client"
import { InferlogProvider, useRequest, useStream, useUpload } from "@inferlog/react"
import { createElement } from "react"

const client = new Inferlog({ key: async () => "token" })

interface Resize {
  readonly input: { readonly image: string; readonly width: number }
  readonly output: { readonly url: string }
}

const View = () => {
  const resize = useRequest<Resize>("vision/resize")
  const writer = useStream("acme/writer", { metadata: { page: "home" } })
  const { upload, url = "" } = useUpload({ contentType: "image/png" })
  const onClick = () => resize.run({ image: url, width: 100 })
  // @ts-expect-error
  resize.run({ image: url })
  upload(new Blob([]))
  return createElement("button", { onClick }, writer.text, resize.output?.url)
}

export const app = createElement(InferlogProvider, { client }, createElement(View))
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
  const output: unknown = await inferlog.run("vision/resize", { image: new Blob([]), width: 1 }, { timeout: 1_000 })
  try {
    for await (const { data, type } of inferlog.stream("acme/writer", { text: url })) {
      if (type === "chunk") return String(data)
    }
  } catch (error) {
    if (error instanceof RateLimitedError) return \`\${error.retryAfter ?? 0}\`
    throw error
  }
  return typeof output
}

// @ts-expect-error
void inferlog.run(1, {})
`

/** Type-checked only. Nothing of what the errors are about is `any`. */
export const typedEffect = `
import { Inferlog, type Schemas } from "@inferlog/client/effect"
import { Effect, Redacted } from "effect"
import type { HttpClient } from "effect/http/HttpClient"

const program = Effect.gen(function* () {
  const { history, queue } = yield* Inferlog
  const params = { ownerName: "sandbox", modelName: "echo" }
  const submitted = yield* queue.submitRequest({ params, query: {}, headers: {}, payload: { value: 1 } })
  const id: string = "request_id" in submitted ? submitted.request_id : submitted.id
  const { data } = yield* history.listRequests({ query: { status: "COMPLETED", limit: 10 } })
  const outcomes: ReadonlyArray<Schemas.Outcome> = data.map(({ outcome }) => outcome)
  return [id, ...outcomes]
}).pipe(
  Effect.catchTag("TooManyRequestsError", ({ details }) => Effect.succeed([details.code ?? ""])),
  Effect.provide(Inferlog.layer({ url: "http://127.0.0.1:8080", key: Redacted.make("id:secret") }))
)

export const typed: Effect.Effect<ReadonlyArray<string>, unknown, HttpClient> = program

// @ts-expect-error the key has to be redacted
Inferlog.layer({ url: "", key: "id:secret" })
// @ts-expect-error no such status
Effect.flatMap(Inferlog, ({ history }) => history.listRequests({ query: { status: "DONE" } }))
// @ts-expect-error no such error
program.pipe(Effect.catchTag("TeapotError", () => Effect.void))
`
