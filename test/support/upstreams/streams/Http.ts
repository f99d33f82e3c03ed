/** A worker that streams (`docs/reference/provider-contract.md`, "Streams"), written from that page. */
import * as JsonHttp from "../JsonHttp.ts"
import * as PlannedStream from "./PlannedStream.ts"

const secret = "wk_notARealSecret0123456789"

export const make = PlannedStream.make({
  secret,
  input: { text: "hello" },
  survivesCut: false,
  binding: (port) => ({ adapter: "http", url: `http://127.0.0.1:${port}/run`, secretEnv: "WORKER_SECRET" }),
  frames: {
    begin: [
      { event: "progress", data: '{"progress": 0.5}' },
      { event: "log", data: "loading\nloaded" }
    ],
    chunk: (chunk) => ({ event: "chunk", data: JSON.stringify(chunk) }),
    end: [{ event: "completed", data: "{}" }],
    failure: { event: "failed", data: '{"error": "No idea."}' },
    nonsense: { event: "chunk", data: "not JSON" },
    tooMany: 33 * 1024 * 1024
  },
  serve: (request, response, { abandon, stream }) => {
    const { headers, method } = request
    if (JsonHttp.credentialOf(headers, "Bearer") !== secret) return JsonHttp.answer(response, 401, {})
    if (method === "DELETE") {
      abandon()
      return void response.writeHead(204).end()
    }
    if (method !== "POST" || headers.accept?.includes("text/event-stream") !== true)
      return JsonHttp.answer(response, 406, {})
    stream(response)
  }
})
