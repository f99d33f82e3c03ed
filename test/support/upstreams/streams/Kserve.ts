/** Triton with the generate extension. `../README.md` lists its documentation. */
import * as JsonHttp from "../JsonHttp.ts"
import * as PlannedStream from "./PlannedStream.ts"

const secret = "not-a-real-token-of-a-gateway"

const response = (text: string) =>
  JSON.stringify({ model_name: "mymodel", model_version: "1", text_output: text })

export const make = PlannedStream.make({
  secret,
  input: { prompt: "client input", temperature: 0 },
  survivesCut: false,
  binding: (port) => ({
    adapter: "kserve",
    url: `http://127.0.0.1:${port}`,
    secretEnv: "KSERVE_TOKEN",
    options: {
      model: "mymodel",
      inputs: {
        prompt: { datatype: "BYTES", tensor: "text_input" },
        temperature: { datatype: "FP32" }
      },
      parameters: { stream: true }
    }
  }),
  frames: {
    chunk: (chunk) => ({ data: response(chunk) }),
    end: [],
    nonsense: { data: '{"text": "x"}' },
    tooMany: 1_100_000
  },
  serve: ({ body, headers, method, path }, reply, { stream }) => {
    if (JsonHttp.credentialOf(headers, "Bearer") !== secret) return JsonHttp.answer(reply, 401, {})
    if (method !== "POST" || path !== "/v2/models/mymodel/generate_stream")
      return JsonHttp.answer(reply, 404, { error: "unknown model" })
    const given = JSON.stringify(body)
    const expected = { parameters: { stream: true }, text_input: "client input", temperature: 0 }
    if (given !== JSON.stringify(expected))
      return JsonHttp.answer(reply, 400, { error: `unexpected ${given}` })
    stream(reply)
  }
})
