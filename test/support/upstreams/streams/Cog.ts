/** A container built by Cog whose model has the `streaming` decorator (https://cog.run/http). */
import * as CallBack from "../CallBack.ts"
import * as JsonHttp from "../JsonHttp.ts"
import * as PlannedStream from "./PlannedStream.ts"

const secret = "cog_notARealSecret0123456789"
const id = "rq0000000000000000001-1"

const succeeded = {
  id,
  status: "succeeded",
  output: [...PlannedStream.chunks],
  metrics: { predict_time: 0.42 }
}

export const make = PlannedStream.make({
  secret,
  input: { prompt: "Write a haiku about onions" },
  survivesCut: true,
  binding: (port) => ({ adapter: "cog", url: `http://127.0.0.1:${port}`, secretEnv: "COG_TOKEN" }),
  frames: {
    begin: [{ event: "start", data: JSON.stringify({ id, status: "processing" }) }],
    chunk: (chunk, index) => ({ event: "output", data: JSON.stringify({ chunk, index }) }),
    end: [{ event: "completed", data: JSON.stringify(succeeded) }],
    nonsense: { event: "output", data: '{"index": 1}' },
    tooMany: 33 * 1024 * 1024
  },
  serve: ({ body, headers, method, path }, response, { abandon, isOver, onEnd, stream }) => {
    if (JsonHttp.credentialOf(headers, "Bearer") !== secret) return JsonHttp.answer(response, 401, {})
    if (method === "GET" && path === "/health-check")
      return JsonHttp.answer(response, 200, { status: isOver() ? "READY" : "BUSY" })
    const webhook = JsonHttp.isObject(body) ? body["webhook"] : undefined
    if (method === "POST" && path === `/predictions/${id}/cancel`) {
      JsonHttp.answer(response, 200, {})
      return abandon()
    }
    if (method !== "PUT" || path !== `/predictions/${id}`) return JsonHttp.answer(response, 404, {})
    if (headers.accept !== "text/event-stream") return JsonHttp.answer(response, 406, {})
    onEnd(() => CallBack.post(String(webhook), succeeded))
    stream(response)
  }
})
