/** A model at fal with a `/stream` endpoint. `../README.md` lists its documentation. */
import * as JsonHttp from "../JsonHttp.ts"
import * as PlannedStream from "./PlannedStream.ts"

const secret = "not-a-real-id:0123456789abcdef"

export const make = PlannedStream.make({
  secret,
  input: { prompt: "a sunset over mountains" },
  survivesCut: false,
  binding: (port) => ({
    adapter: "fal",
    url: `http://127.0.0.1:${port}`,
    secretEnv: "FAL_KEY",
    options: { app: "fal-ai/any-llm", chunk: "delta" }
  }),
  frames: {
    chunk: (chunk, index) => ({ data: JSON.stringify({ delta: chunk, partial: index < 2 }) }),
    end: [],
    nonsense: { data: "not JSON" },
    tooMany: 33 * 1024 * 1024
  },
  serve: ({ body, headers, method, path }, response, { stream }) => {
    if (JsonHttp.credentialOf(headers, "Key") !== secret) return JsonHttp.answer(response, 401, {})
    if (method !== "POST" || path !== "/fal-ai/any-llm/stream")
      return JsonHttp.answer(response, 404, { detail: "Not Found" })
    if (!JsonHttp.isObject(body) || body["prompt"] === undefined) return JsonHttp.answer(response, 422, {})
    stream(response)
  }
})
