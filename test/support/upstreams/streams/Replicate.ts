/** Replicate with a model that streams (https://replicate.com/docs/topics/predictions/streaming). */
import * as JsonHttp from "../JsonHttp.ts"
import * as PlannedStream from "./PlannedStream.ts"

const secret = "r8_notARealToken0123456789"
const id = "gm3qorzdhgbfurvjtvhg6d0001"

const prediction = (status: string, host = "") => ({
  id,
  status,
  output: status === "succeeded" ? [...PlannedStream.chunks] : null,
  error: null,
  logs: "",
  urls: { get: `http://${host}/v1/predictions/${id}`, stream: `http://${host}/streams/${id}` }
})

export const make = PlannedStream.make({
  secret,
  input: { prompt: "Tell me a story" },
  survivesCut: true,
  binding: (port) => ({
    adapter: "replicate",
    url: `http://127.0.0.1:${port}/v1`,
    secretEnv: "REPLICATE_API_TOKEN",
    options: { model: "meta/meta-llama-3-70b-instruct" }
  }),
  frames: {
    chunk: (chunk, index) => ({ event: "output", id: `1690212292:${index}`, data: chunk }),
    end: [{ event: "done", data: "{}" }],
    nonsense: { event: "error", data: '{"detail": "Something went wrong"}' },
    tooMany: 1_100_000
  },
  serve: ({ body, headers, method, path }, response, { abandon, isAbandoned, isOver, stream }) => {
    if (JsonHttp.credentialOf(headers, "Bearer") !== secret) return JsonHttp.answer(response, 401, {})
    const { host } = headers
    if (method === "POST" && path.endsWith("/cancel")) {
      abandon()
      return JsonHttp.answer(response, 200, prediction("canceled", host))
    }
    if (method === "POST") {
      const isToStream = JsonHttp.isObject(body) && body["stream"] === true
      return JsonHttp.answer(response, isToStream ? 201 : 422, prediction("starting", host))
    }
    if (path === `/streams/${id}`) return stream(response)
    const status = isAbandoned() ? "canceled" : isOver() ? "succeeded" : "processing"
    return JsonHttp.answer(response, 200, prediction(status, host))
  }
})
